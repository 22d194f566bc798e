/** Texts of `kinestitch --help` and `kinestitch help COMMAND`, with the defaults of the Rust library. */
import { defaults } from "../../wasm/kinestitch.js";
import { maxGapSeconds, methodDefaults, networkMethods } from "../generated/methods.js";
import { methodsWith } from "../core/method.js";
import { defaultNetworks } from "../core/network-types.js";
import { devices, inbetweenMethods, methods } from "../core/types.js";
import { init } from "../node.js";
import { clipToolsHelp } from "./clip-tools.js";
import { renderHelp } from "./render.js";

/** Default options of the Rust library, by function. */
interface Defaults {
  stitch: {
    method: string;
    blend: number;
    keep: boolean;
    seam: string;
    maxCut: number;
    window: number;
    minInject: number;
    maxInject: number;
    footLock: boolean;
    ground: string;
    heading: string;
  };
  score: { window: number; minInject: number; maxInject: number };
  cuts: { count: number; apart: number; maxCut: number };
  inbetween: { method: string; frames: number[]; footLock: boolean; ground: string };
}

const OVERVIEW = `kinestitch: stitch motion clips (BVH) into one natural motion

  kinestitch info FILE ... [--animation NAME] [--json]
  kinestitch info --networks [--json]
  kinestitch stitch A B [C ...] -o OUT.bvh|OUT.glb|OUT.vrma|OUT.fbx [options]
  kinestitch inbetween A@FRAME B@FRAME [C@FRAME ...] --frames N -o OUT.bvh|OUT.glb|OUT.vrma|OUT.fbx [options]
  kinestitch convert IN.bvh -o OUT.glb|OUT.bvh|OUT.vrma|OUT.fbx [--fps N] [--json]
  kinestitch convert "*.bvh" -o FOLDER/ --format glb
  kinestitch slice IN [--from SECONDS] [--to SECONDS] -o OUT
  kinestitch reverse|mirror IN -o OUT
  kinestitch speed IN --factor N -o OUT
  kinestitch resample IN --fps N -o OUT
  kinestitch root IN --extract|--remove|--from-feet -o OUT
  kinestitch loop IN -o OUT [--in-place] [options]
  kinestitch clean IN -o OUT [options]
  kinestitch lscore A B [--takeoff a] [--landing b] [options]
  kinestitch phases FILE [--json] [--svg OUT.svg] [options]
  kinestitch judge FILE [CLIP ...] [--json]
  kinestitch render FILE -o OUT.svg|OUT.png|OUT.gif [options]
  kinestitch batch RECIPE.json [options]
  kinestitch mcp FOLDER

  kinestitch help COMMAND     options of a command
  kinestitch --version, -v

"-" as an input is standard input. "-o -" is standard output (BVH, or --format glb), and reports go to standard error.
Patterns (*, ?, [a-c], {a,b}, ** for any folders) in quotes are expanded to the matching files.

Exit code: 0 success, 1 failure, 2 wrong usage.`;

/** Writes one line of help for each option of the gap-filling methods. */
function methodOptions(): string {
  const all = [...new Set(Object.values(methodDefaults).flatMap((options) => Object.keys(options)))];
  const line = (option: string): string =>
    `  ${`--${option} VALUE`.padEnd(24)}with ${methodsWith(option).join(", ")}${HINTS[option] ?? ""}`;
  return all.map(line).join("\n");
}

/** Syntax of options of gap-filling methods whose values need an explanation. */
const HINTS: Record<string, string> = {
  seed: ": a whole number; each gives another motion (default: the mean motion), with --candidates other paths",
  style: ": name of a style; an unknown name lists the known ones",
  path: ': "X,Z X,Z ...", a path on the ground in metres; its ends are moved to the poses',
};

/** Help of the options that correct how a BVH file is read. */
const BVH_HELP = `  --unit UNIT             unit of a BVH file: m, dm, cm, mm, inch, ft, or its number of metres
  --up Y|Z                vertical axis of a BVH file
  --root-offset replace|add
                          whether the root's position channels replace its OFFSET or are added to it
  --root NAME             body to read from a BVH file that holds several
  --strict                refuse a damaged BVH file; by default it is read as far as it is sound, with warnings`;

/** Help texts by command, for the commands whose texts contain defaults. */
const commandHelp = ({ stitch, score, cuts, inbetween }: Defaults): Record<string, string> => ({
  info: `kinestitch info FILE ... [--animation NAME] [--json]

Prints joints, frames, frame rate, length, the joint of each role, warnings, and contents of the file that are left out;
for a BVH file also unit, vertical axis and position mode, which such a file does not state, each with the reason.

${BVH_HELP}
  --animation NAME        animation of GLB, glTF and FBX files (default: the first)
  --json                  one JSON object, for several files a list: {name, joints, frames, fps, seconds, unit,
                          metresPerUnit, upAxis, kind, rig: {role: joint}, warnings: [], leftOut: [],
                          guesses?: {unit, up, rootOffset}, bodies?: [], animations?: [], lengths?: []}; of a file in the list that
                          cannot be read {file, error}

kinestitch info --networks [--device D] [--set NAME] [--models DIR] [--json]

Prints the available networks with training data, licence and scores. Loads the network of "stitch --method rmr", if it
is available, and prints its device and the reason for this choice. The options have the same meaning as for stitch.

  --json    one JSON object: {models: [...], loaded?: {name, set, licence, ..., device: {asked, used, reason}}}`,

  stitch: `kinestitch stitch A B [C ...] -o OUT.bvh|OUT.glb|OUT.vrma|OUT.fbx [options]

Joins the files, in order, into one motion on the first file's skeleton. An existing output is overwritten.

  -o, --output OUT        output file; its extension selects the format. "-": standard output
  --format bvh|glb|vrma|fbx
                          the format, regardless of the extension
  --method NAME           ${methods.join(", ")} (default: ${stitch.method})
                          auto tries several joins at each seam, also with the networks of --models, and keeps the most
                          natural one; rmr, for bipeds, adjusts the steps around each seam with a network
  --device D              with rmr: ${devices.join(", ")} (default: auto, the faster)
  --set NAME              with a network: set of weights, see info --networks (default: open, if available)
                          The set "research" is for non-commercial use
  --models DIR            with a network: folder of manifest.json and the weights (default: this package's)
  --blend S               duration of each blend, seconds (default: ${stitch.blend.toFixed(2)})
  --animation NAME        animation of GLB and glTF files (default: the first), see kinestitch info
  --trim CLIP:FROM:TO     use only the frames FROM to TO (excluded) of a clip; clips and frames count from 0.
                          Can be given once per clip
  --seam keep|best|phase  keep: cut at the ends of the clips; best: at the lowest L-score; phase: where the feet of both
                          clips are in step (default: ${stitch.seam})
  --gap N|auto            insert N frames between two clips instead of a blend; auto: choose the number
  --gap-method M          method for the inserted frames, see inbetween --method (default: inertialize)
  --max-cut S             with auto, --seam best and phase: cut at most S seconds off each clip at a seam
                          (default: ${stitch.maxCut})
  --keep on|off           with auto: keep every frame of every clip (default: ${stitch.keep ? "on" : "off"})
  --window W              frames compared on each side of a cut (default: ${stitch.window})
  --min-inject K          with lscore: fewest injected frames (default: ${stitch.minInject})
  --max-inject K          with lscore: most injected frames (default: ${stitch.maxInject})
  --foot-lock on|off      hold feet on the ground in place (default: ${stitch.footLock ? "on" : "off"})
  --ground level|asInFile level: move files that stand on different floors to one floor; asInFile: keep all heights
                          (default: ${stitch.ground})
  --heading auto|travel|facing|asInFile
                          direction of each file after the first: auto: the direction of travel, if the body faces it,
                          else the facing direction (default: ${stitch.heading})
  --fps N                 frame rate of the result (default: the first file's)
  --json                  one JSON object: {frames, fps, seams: [{frame, method, editedRange, measuredRange,
                          footSkate, peakJerk, faults: [{kind, value, text, remedy}], cut?, driftCm?,
                          fallbackReason?, gap?, gapMethod?, options?, trials?}], warnings: [], milliseconds, networks?}`,

  inbetween: `kinestitch inbetween A@FRAME B@FRAME [C@FRAME ...] --frames N -o OUT.bvh|OUT.glb|OUT.vrma|OUT.fbx [options]
kinestitch inbetween A@FRAME B@FRAME --method ${methodsWith("path").join("|")} --candidates N -o FOLDER [options]

Makes the motion between poses: frame FRAME of each file (from 0), with N frames between consecutive poses, on the first
file's skeleton. The poses do not change; their velocities come from the neighbouring frames. Consecutive poses of one
file keep their relative position; a pose of another file is placed by extrapolating the motion. An existing output is
overwritten.

  -o, --output OUT        output file; its extension selects the format. "-": standard output
  --format bvh|glb|vrma|fbx
                          the format, regardless of the extension
  --frames N              frames between two poses, 1 to 480; optional with --candidates, --path and --speed, because
                          each path has its own duration
  --method NAME           auto, ${inbetweenMethods.join(", ")} (default: the network
                          ${defaultNetworks.inbetween} if its weights are available, all poses are of bipeds and no gap is
                          longer than ${Math.floor(maxGapSeconds[defaultNetworks.inbetween])} s, else ${inbetween.method})
                          auto tries all methods and fills each gap with the most natural motion
                          ${networkMethods.join(", ")}, for bipeds, are networks; info --networks lists the
                          networks with weights in this package or in --models
${methodOptions()}
  --candidates N          with two poses and a method that has a path: up to N results on different paths, in the folder
                          of -o: candidate-1.bvh and so on, --format glb for GLB. With auto: results of all methods, the
                          most natural first
  --speed slow|medium|fast
                          with a method that has a path: only paths of this speed, relative to all paths
  --set NAME              with a network: set of weights, see info --networks (default: open, if available)
                          The set "research" is for non-commercial use
  --models DIR            with a network: folder of manifest.json and the weights (default: this package's)
  --animation NAME        animation of GLB and glTF files (default: the first), see kinestitch info
  --at X,Z,DEGREES        ground pose of the last pose: position in metres, heading in degrees, 0 along +z
  --foot-lock on|off      hold feet on the ground in place (default: ${inbetween.footLock ? "on" : "off"})
  --ground level|asInFile level: move files that stand on different floors to one floor; asInFile: keep all heights
                          (default: ${inbetween.ground})
  --fps N                 frame rate of the result (default: the first file's)
  --json                  one JSON object: {frames, fps, keys: [{from, to}], gaps: [{method, range, keyErrorCm,
                          keyErrorDegrees, footSkate, peakJerk, trials?}], warnings: [], milliseconds, path?: [[x, z]],
                          speed?, style?, score?, networks?}; with --candidates {candidates: [{output, the same, ...}],
                          networks?}`,

  lscore: `kinestitch lscore A B [options]

Scores cuts from one motion to another: the L-score of the cut at given frames, or else the ${cuts.count} best cuts.
Frames count from 0 in each file. A lower score is better.

  --takeoff N             last frame used of A (default with --landing: its last frame)
  --landing N             first frame used of B (default with --takeoff: its first frame)
  --min-inject K          fewest frames injected between them (default: ${score.minInject})
  --max-inject K          most frames injected between them (default: ${score.maxInject})
  --window W              frames compared on each side (default: ${score.window})
  --animation NAME        animation of GLB and glTF files (default: the first), see kinestitch info
  --map FILE.csv          write the score of every cut; columns: takeoff,landing,inject,score
  --json                  one JSON object: {best: [{score, takeoff, landing, inject, euclidean}, ...]}; with --takeoff or
                          --landing only the inner object`,

  phases: `kinestitch phases FILE [options]

Prints the phase of each foot in its cycle of ground contacts (local motion phases); of a quadruped, of all four feet.

  --joint NAME            joint (name or role) to use instead of the feet; can be repeated
  --object FILE           use contacts of the joints (default: both hands) with an object, which moves like the first
                          root of FILE; FILE must have the same number of frames
  --radius METRES         with --object: distance below which a joint touches the object
  --animation NAME        animation of GLB and glTF files (default: the first), see kinestitch info
  --svg OUT.svg           draw contacts, filtered signal, fit, and phases as bars
  --json                  one JSON object: {name, frames, fps, limbs: [{name, joint, touches, contact: [0|1, ...],
                          filtered: [], fit: [], phase: [], frequency: [], amplitude: [], vector: [sin, cos, ...]}]}`,

  judge: `kinestitch judge FILE [CLIP ...] [options]

Scores each frame of a person's motion: from 0, a higher score is less natural. Prints the frames with a score above 1;
at most one frame in fifty of recorded motion exceeds 1. If the clips are given from which FILE was joined, in order,
also prints the visible faults of each seam, and what to try.

  --animation NAME        animation of GLB and glTF files (default: the first), see kinestitch info
  --set NAME              set of weights of the judge (default: open)
  --models FOLDER         folder of manifest.json and the weights (default: those of this package)
  --json                  one JSON object: {name, frames, fps, flagged: [{from, to, worst}, ...], scores: [...],
                          seams?: [{clips: [a, b], from, to, faults: [{kind, value, text, remedy}]}]}`,

  convert: `kinestitch convert IN -o OUT.glb|OUT.bvh|OUT.vrma|OUT.fbx [--fps N] [--character HERO.glb] [options]
kinestitch convert IN ... -o FOLDER/ --format bvh|glb|vrma|fbx [--fps N] [--json]

Reads BVH, GLB, glTF, VRM or VRMA files and writes another format or frame rate. Results of several files are written
into a folder, under the names of the inputs. An existing output is overwritten, and a missing folder is created.

  -o, --output OUT        output file, or a folder (FOLDER/); the extension selects the format. "-": standard output
  --format bvh|glb|vrma|fbx
                          the format, regardless of the extension
  --fps N                 frame rate of the result (default: the input's)
  --animation NAME        animation of a GLB or glTF file (default: the first), see kinestitch info
  --character HERO.glb    put the motion on this character (GLB, glTF or VRM with a skin): a copy of its file with
                          one more animation
  --root-motion keep|inPlace
                          inPlace: remove the movement over the ground (default: keep)
  --ground level|asInFile with --character: level: move the motion to the ground of the character; asInFile: keep its
                          height (default: level)
${BVH_HELP}
  --json                  one JSON object, for several files a list: {input, output, frames, fps, seconds, warnings: [],
                          leftOut: []}`,
});

/** Returns the help text of a command, or the list of commands if it is `undefined`; `undefined` if it is unknown. */
export async function help(command: string | undefined): Promise<string | undefined> {
  if (command === undefined || command === "help") return OVERVIEW;
  await init();
  const all: Record<string, string> = {
    ...commandHelp(defaults() as Defaults),
    ...clipToolsHelp,
    clean: (await import("./clean.js")).cleanHelp,
    render: renderHelp,
    batch: (await import("./batch.js")).batchHelp,
    mcp: (await import("./mcp.js")).mcpHelp,
  };
  return Object.hasOwn(all, command) ? all[command] : undefined;
}
