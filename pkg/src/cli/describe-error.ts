/** Converts errors of commands to text. */
import { KinestitchError, messageOf } from "../core/error.js";
import { FileError } from "./file-error.js";
import { UsageError } from "./flags.js";

/** Returns one sentence about an error of a command; for a bug of the program also the stack. */
export function describeError(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}; see kinestitch --help`;
  if (error instanceof KinestitchError || error instanceof FileError) return error.message;
  return `this should not have happened: ${error instanceof Error ? error.stack : messageOf(error)}`;
}
