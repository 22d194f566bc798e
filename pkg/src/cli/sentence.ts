/** Errors of commands as text. */
import { KinestitchError, messageOf } from "../core/error.js";
import { FileError } from "./file-error.js";
import { UsageError } from "./flags.js";

/** Converts an error of a command to a sentence. */
export function sentence(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}; see kinestitch --help`;
  if (error instanceof KinestitchError || error instanceof FileError) return error.message;
  return `this should not have happened: ${error instanceof Error ? error.stack : messageOf(error)}`;
}
