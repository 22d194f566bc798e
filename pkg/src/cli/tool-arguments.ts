/** Arguments, outputs and reports that the commands of clips share: slice, mirror, loop, clean and others. */
import { KinestitchError } from "../core/error.js";
import { printableJson } from "../core/quote.js";
import type { Clip } from "../core/types.js";
import type { clipToolNames } from "./command-names.js";
import type { Output } from "./commands.js";
import { FileError } from "./file-error.js";
import { loadFile, save, printReport } from "./files.js";
import { ANIMATION, HELP, JSON_FLAG, OUTPUT, requireOnePath, parseFlags } from "./flags.js";
import { round } from "./info.js";
import { checkOutputs, print, STANDARD } from "./output.js";
import { parseOutput } from "./output-args.js";

/** Help on the options of all these commands. */
export const COMMON_OPTIONS_HELP = `  -o, --output OUT        output file (.bvh, .glb, .vrma or .fbx), overwritten if it exists. "-": standard output
  --format bvh|glb|vrma|fbx
                          the format, regardless of the extension
  --animation NAME        animation of a GLB or glTF file (default: the first)`;
/** Properties of the JSON report of all these commands. */
export const REPORT_PROPERTIES = "{input, output, frames, fps, seconds}";

/** Parsed arguments that all these commands have. */
interface ToolArguments {
  file: string;
  output: Output;
  animation?: string;
  json: boolean;
}

type Values = ReturnType<typeof parseFlags<typeof COMMON>>["values"];
const COMMON = { ...HELP, ...JSON_FLAG, ...OUTPUT, ...ANIMATION };

/** Parses the arguments of a command. For `--help`, prints `helpText` and returns `undefined`. */
export async function parseArguments<ToolFlags extends Record<string, { type: "string" | "boolean" }>>(
  command: (typeof clipToolNames)[number],
  args: string[],
  helpText: string,
  toolFlags: ToolFlags,
): Promise<(ToolArguments & { values: Record<string, string | boolean | undefined> }) | undefined> {
  const { values, positionals } = parseFlags(args, { ...COMMON, ...toolFlags });
  const { help, json, animation, ...toolValues } = values as Values & Record<string, string | boolean | undefined>;
  if (help) {
    await print(helpText);
    return undefined;
  }
  const file = requireOnePath(command, positionals);
  const parsed = { file, output: parseOutput(toolValues), json: json ?? false, values: toolValues };
  return animation === undefined ? parsed : { ...parsed, animation };
}

/**
 * Loads the file, edits the clip, writes the result and prints a report. Errors about the motion name the file.
 * `otherPath`: the second output, which `edit` writes.
 */
export async function runTool<Result extends Clip>(
  { file, output, animation, json }: ToolArguments,
  edit: (clip: Clip) => Promise<{ clip: Result; report?: object; summary?: string }>,
  otherPath?: string,
): Promise<void> {
  checkOutputs([output.path], [file]);
  const clip = await loadFile(file, undefined, animation);
  const result = await edit(clip).catch((error: unknown) => {
    throw error instanceof KinestitchError ? new FileError(`${file}: ${error.message}`, { cause: error }) : error;
  });
  await save(result.clip, output);
  const { frames, fps } = result.clip;
  const { seconds } = result.clip.info();
  const line = `${output.path}: ${frames} frames at ${round(fps)} fps, ${round(seconds)} s${result.summary ?? ""}`;
  const report = { input: file, output: output.path, frames, fps, seconds, ...result.report };
  await printReport(json ? printableJson(report, 2) : line, otherPath === STANDARD ? { path: otherPath } : output);
}
