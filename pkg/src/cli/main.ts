/** Entry point of the command line. Exit codes: 0 success, 1 failure, 2 wrong usage. */
import { readListeners } from "../core/node-read.js";
import { printableMessage } from "../core/quote.js";
import { parseCommand } from "./args.js";
import { clipTool } from "./clip-tools.js";
import { unknownCommand } from "./command-names.js";
import type { Command } from "./commands.js";
import { toFlagError } from "./flag-errors.js";
import { UsageError } from "./flags.js";
import { convert } from "./convert.js";
import { help } from "./help.js";
import { inbetween } from "./inbetween.js";
import { info } from "./info.js";
import { judge } from "./judge.js";
import { lscore } from "./lscore.js";
import { print, OutputClosed, recordInput } from "./output.js";
import { networks } from "./networks.js";
import { phases } from "./phases.js";
import { render } from "./render.js";
import { describeError } from "./describe-error.js";
import { stitch } from "./stitch.js";
import { version } from "./version.js";

/** Runs the program. `args`: its arguments. Resolves to the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  // Without a listener, an error of standard output would end the process. `write` and `print` report such errors.
  process.stdout.on("error", () => {});
  readListeners.push(recordInput); // inputs must not be overwritten
  try {
    await runCommand(args);
    return 0;
  } catch (error) {
    if (error instanceof OutputClosed) return 1;
    return fail(describeError(error), error instanceof UsageError ? 2 : 1);
  }
}

/** Runs one command; throws on failure, in the terms of the command line. */
export async function runCommand(args: readonly string[]): Promise<void> {
  try {
    await runNamed(args);
  } catch (error) {
    throw toFlagError(error, args);
  }
}

async function runNamed(args: readonly string[]): Promise<void> {
  const [name = "", ...rest] = args;
  switch (name) {
    case "render":
      return render(rest);
    case "batch":
      return (await import("./batch.js")).batch(rest);
    case "mcp":
      return (await import("./mcp.js")).mcp(rest, runCommand);
    default:
      return clipTool(name)?.(rest) ?? runParsed(parseCommand(args));
  }
}

async function runParsed(command: Command): Promise<void> {
  switch (command.do) {
    case "help": {
      const text = await help(command.topic);
      if (text === undefined) throw new UsageError(unknownCommand(command.topic ?? ""));
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
  console.error(`kinestitch: ${printableMessage(message)}`);
  return code;
}
