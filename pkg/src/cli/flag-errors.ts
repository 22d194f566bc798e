/** Converts errors about options of the package, which have names of JavaScript, to errors about flags. */
import { KinestitchError } from "../core/error.js";
import { HELP as MODELS_ADVICE } from "../networks/manifest.js";
import { FileError } from "./file-error.js";
import { flagName, UsageError } from "./flags.js";

/** Flags of options whose names differ from their flags. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  joints: ["joint"],
  speed: ["factor", "speed"],
  slice: ["from", "to"],
};

/** Options whose valid values depend on the files: a wrong value is a failure, not wrong usage. */
const FILE_OPTIONS: readonly string[] = ["trim", "takeoff", "landing", "joints", "object", "slice", "keys"];

/** Mention of a clip or of a file of a network in a message: the valid values depend on these files too. */
const FILE_MENTION = /\bthe clip\b|\bclip "|\bgallery\b/;

/** Advice of the command line for a folder of models with unexpected contents. */
const FOLDER_ADVICE = "copy models/ of this package there, or name its folder: --models FOLDER";

/**
 * Returns an error of a command in the terms of the command line; errors that concern no flag are returned unchanged.
 * `args`: arguments of the command.
 */
export function toFlagError(error: unknown, args: readonly string[]): unknown {
  const cause = error instanceof FileError ? error.cause : error;
  if (!(error instanceof Error && cause instanceof KinestitchError)) return error;
  if (cause.code === "weights" && error.message.endsWith(MODELS_ADVICE))
    return new FileError(error.message.slice(0, -MODELS_ADVICE.length) + FOLDER_ADVICE);
  const { option } = cause;
  const start = `option ${option}: `;
  if (option === undefined || !cause.message.startsWith(start)) return error;
  // A message may mention another option: at most "maxSeconds".
  const fault = cause.message
    .slice(start.length)
    .replace(/"([a-z]+[A-Z]\w*)"/g, (_, name: string) => `--${flagName(name)}`);
  const given = (FLAGS[option] ?? [flagName(option)])
    .map((name) => `--${name}`)
    .filter((flag) => args.some((word) => word === flag || word.startsWith(`${flag}=`)));
  const subject = given.length > 0 ? `${given.join(" and ")}: ` : "";
  if (FILE_OPTIONS.includes(option) || FILE_MENTION.test(fault))
    return new FileError(error.message.replace(start, () => subject));
  return given.length > 0 ? new UsageError((subject + fault).replace(": must be ", " must be ")) : error;
}
