/** `kinestitch` on the command line. Exit codes: 0 success, 1 failure, 2 wrong usage. */
import { readFileSync } from "node:fs";
import { KinestitchError, messageOf } from "../core/error.js";
import { readers } from "../core/node-read.js";
import { messageText } from "../core/quote.js";
import { parseCommand } from "./args.js";
import { clipTool } from "./clip-tools.js";
import { unknownCommand } from "./command-names.js";
import type { Command } from "./commands.js";
import { UsageError } from "./flags.js";
import { convert } from "./convert.js";
import { FileError } from "./file-error.js";
import { help } from "./help.js";
import { inbetween } from "./inbetween.js";
import { info } from "./info.js";
import { judge } from "./judge.js";
import { lscore } from "./lscore.js";
import { print, ReaderLeft, remember } from "./output.js";
import { networks } from "./networks.js";
import { phases } from "./phases.js";
import { render } from "./render.js";
import { stitch } from "./stitch.js";

export async function main(args: readonly string[]): Promise<number> {
  // Errors of writing are reported to the writer.
  process.stdout.on("error", () => {});
  readers.push(remember);
  try {
    await perform(args);
    return 0;
  } catch (error) {
    if (error instanceof ReaderLeft) return 1;
    return fail(sentence(error), error instanceof UsageError ? 2 : 1);
  }
}

/** Runs one command; throws on failure. */
export async function perform(args: readonly string[]): Promise<void> {
  const [name = "", ...rest] = args;
  switch (name) {
    case "render":
      return render(rest);
    case "batch":
      return (await import("./batch.js")).batch(rest);
    case "mcp":
      return (await import("./mcp.js")).mcp(rest);
    default:
      return clipTool(name)?.(rest) ?? run(parseCommand(args));
  }
}

/** Converts an error of a command to a sentence. */
export function sentence(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}; see kinestitch --help`;
  if (error instanceof KinestitchError || error instanceof FileError) return error.message;
  return `this should not have happened: ${error instanceof Error ? error.stack : messageOf(error)}`;
}

async function run(command: Command): Promise<void> {
  switch (command.do) {
    case "help": {
      const text = await help(command.about);
      if (text === undefined) throw new FileError(unknownCommand(command.about ?? ""));
      await print(text);
      return;
    }
    case "version":
      await print(version());
      return;
    case "info":
      return info(command);
    case "networks":
      return networks(command);
    case "stitch":
      return stitch(command);
    case "inbetween":
      return inbetween(command);
    case "convert":
      return convert(command);
    case "lscore":
      return lscore(command);
    case "phases":
      return phases(command);
    case "judge":
      return judge(command);
  }
}

function fail(message: string, code: number): number {
  console.error(`kinestitch: ${messageText(message)}`);
  return code;
}

/** Version of the package. */
export function version(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
