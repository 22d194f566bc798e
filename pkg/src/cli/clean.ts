/** Command `clean`: mends the faults of one motion. */
import type { CleanOptions, Edit } from "../core/types.js";
import { clean } from "../node.js";
import { clean as cleanTask } from "../tasks/clean.js";
import { COMMON_OPTIONS_HELP, parseArguments, REPORT_PROPERTIES, runTool } from "./tool-arguments.js";
import { defineFlags, flagOptions, NETWORKS, networkOptions } from "./flags.js";
import { loadDefaultNetwork, setNetworkOptions } from "./networks.js";

/** Text of `kinestitch clean --help`. */
export const cleanHelp = `kinestitch clean IN -o OUT

Finds and mends faults of captured, retargeted or generated motion, and lists what it changed. Sharp moves keep their
peaks, and values that need no change keep their bits.

${COMMON_OPTIONS_HELP}
  --spikes on|off         fill frames in which a joint leaves its path and returns (default: on)
  --dropouts on|off       fill frames in which the body stands still and then jumps (default: on)
  --jitter S              strength of the smoothing, 0 to 3: a factor of the measured noise (default: 1)
  --floor S               correct a floor that is too high, too low or tilted, 0 to 1 (default: 1)
  --way S                 correct a way over the ground that does not fit the steps, 0 to 1 (default: 1)
  --feet S                hold feet on the ground that slide, 0 to 1 (default: 1)
  --from N, --to N        first frame to change, and the frame after the last one (default: all). Floor and way change
                          only in whole motions
  --mask JOINT,…          joints to change; JOINT/ is a joint with all below it (default: all)
  --method NAME           method that fills dropouts, see inbetween --method
  --set NAME, --models DIR
                          networks, see stitch
  --json                  one JSON object: ${REPORT_PROPERTIES.slice(0, -1)}, edits: [{kind, range,
                          joints, text, before, after, unit}], warnings: []}`;

/** Describes an edit in one line. */
const line = ({ range, text }: Edit): string => `  frames ${range.from} to ${range.to - 1}: ${text}`;

/** Runs `clean`; `args`: the arguments after its name. */
export async function cleanCommand(args: string[]): Promise<void> {
  const { options } = cleanTask.definition;
  const parsed = await parseArguments("clean", args, cleanHelp, {
    ...defineFlags(options),
    method: { type: "string" },
    set: NETWORKS.set,
    models: NETWORKS.models,
  });
  if (!parsed) return;
  const cleanOptions: CleanOptions = flagOptions<CleanOptions>(options as never, parsed.values);
  await setNetworkOptions(networkOptions(parsed.values as { set?: string; models?: string }));
  if (cleanOptions.method === undefined) await loadDefaultNetwork("inbetween");
  await runTool(parsed, async (clip) => {
    const cleaned = await clean(clip, cleanOptions);
    const { edits, warnings } = cleaned;
    const lines = [
      edits.length === 0 ? "; nothing to mend" : "",
      ...edits.map(line),
      ...warnings.map((warning) => `warning: ${warning}`),
    ];
    return { clip: cleaned, report: { edits, warnings }, summary: lines.join("\n") };
  });
}
