import { defaults } from "../../wasm/kinestitch.js";
import { methodDefaults, networkMethods } from "../core/generated/methods.js";
import { methodsWith } from "../core/method.js";
import { devices, inbetweenMethods, methods } from "../core/types.js";
import { init } from "../node.js";
import { clipToolsHelp } from "./clip-tools.js";
import { renderHelp } from "./render.js";

/** The defaults of the crate, by function. */
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
  };
  score: { window: number; minInject: number; maxInject: number };
  cuts: { count: number; apart: number; maxCut: number };
  inbetween: { method: string; frames: number[]; footLock: boolean };
}

const OVERVIEW = `kinestitch: stitch motion clips (BVH) into one natural motion

  kinestitch info FILE ... [--json]
  kinestitch info --networks [--json]
  kinestitch stitch A B [C ...] -o OUT.bvh|OUT.glb|OUT.vrma [options]
  kinestitch inbetween A@FRAME B@FRAME [C@FRAME ...] --frames N -o OUT.bvh|OUT.glb|OUT.vrma [options]
  kinestitch convert IN.bvh -o OUT.glb|OUT.bvh|OUT.vrma [--fps N] [--json]
  kinestitch convert "*.bvh" -o FOLDER/ --format glb
  kinestitch slice IN --from SECONDS --to SECONDS -o OUT
  kinestitch reverse|mirror IN -o OUT
  kinestitch speed IN --factor N -o OUT
  kinestitch resample IN --fps N -o OUT
  kinestitch root IN --extract|--remove|--from-feet -o OUT
  kinestitch loop IN -o OUT [--in-place] [options]
  kinestitch lscore A B [--takeoff a] [--landing b] [options]
  kinestitch phases FILE [--json] [--svg OUT.svg] [options]
  kinestitch judge FILE [--json]
  kinestitch render FILE -o OUT.svg|OUT.png|OUT.gif [options]
  kinestitch batch RECIPE.json [options]
  kinestitch mcp FOLDER

  kinestitch help COMMAND     options of a command
  kinestitch --version, -v

"-" in place of a file is standard input, after -o standard output (BVH, or --format glb; what is told then goes to
standard error). A pattern (*, ?, [a-c], {a,b}, ** for any folders) that the shell leaves alone stands for the files it
matches.

Exit code: 0 done, 1 a file is at fault or there is no such help, 2 the command line is.`;

/** One line for each option of the gap-filling methods. */
function methodOptions(): string {
  const all = [...new Set(Object.values(methodDefaults).flatMap((options) => Object.keys(options)))];
  const line = (option: string): string =>
    `  ${`--${option} VALUE`.padEnd(24)}with ${methodsWith(option).join(", ")}${HINTS[option] ?? ""}`;
  return all.map(line).join("\n");
}

/** Syntax of some of them. */
const HINTS: Record<string, string> = {
  seed: ": another motion for each whole number (default: its mean); with --candidates: other ways",
  style: ": a name there is not is answered with those there are",
  path: ': "X,Z X,Z ...", a line on the ground, metres; its ends are drawn onto the poses',
};

const commands = ({ stitch, score, cuts, inbetween }: Defaults): Record<string, string> => ({
  info: `kinestitch info FILE ... [--json]

Prints joints, frames, frame rate, length, unit, the joint of each role, and warnings.

  --json    one JSON object, of several files a list of them: {name, joints, frames, fps, seconds, unit, metresPerUnit, upAxis, kind,
            rig: {role: joint}, warnings: []}

kinestitch info --networks [--device D] [--set NAME] [--models DIR] [--json]

Prints the networks there are, with data, licence and scores, loads the one that "stitch --method rmr" would use, and tells
where it runs and why. The options are those of stitch.

  --json    one JSON object: {models: [...], loaded: {method, set, licence, ..., device: {asked, used, reason}}}`,

  stitch: `kinestitch stitch A B [C ...] -o OUT.bvh|OUT.glb|OUT.vrma [options]

Joins the files, in order, into one motion on the first file's skeleton. The output is overwritten where it exists.

  -o, --output OUT        the result; its ending chooses the format. "-": standard output
  --format bvh|glb|vrma   the format, whatever the ending says
  --method NAME           ${methods.join(", ")} (default: ${stitch.method})
                          auto tries every way of joining at each seam, with the networks of --models, and keeps the most
                          natural; rmr, for bipeds, lets a network change the steps around each seam
  --device D              with rmr: ${devices.join(", ")} (default: auto, the faster)
  --set NAME              with rmr: which training data, see info --networks (default: open, where there is one)
                          The set "research" is not for commercial use
  --models DIR            with rmr: folder of manifest.json and the weights (default: this package's)
  --blend S               seconds each blend takes (default: ${stitch.blend.toFixed(2)})
  --trim CLIP:FROM:TO     use frames FROM up to, not including, TO of a clip; clips and frames count from 0.
                          Once for each clip
  --seam keep|best|phase  keep: last frame meets first; best: cut where the least work is needed; phase: cut where
                          the feet are in step (default: ${stitch.seam})
  --gap N|auto            put N frames between two clips instead of a blend; auto: as many as they need
  --gap-method M          how they are made, as inbetween's --method; default inertialize
  --max-cut S             with auto, --seam best and phase: cut away at most S seconds of each clip at a seam (default: ${stitch.maxCut})
  --keep on|off           with auto: keep every frame of every clip (default: ${stitch.keep ? "on" : "off"})
  --window W              look at W frames on each side of a cut (default: ${stitch.window})
  --min-inject K          lscore injects at least K frames (default: ${stitch.minInject})
  --max-inject K          lscore injects at most K frames (default: ${stitch.maxInject})
  --foot-lock on|off      pin feet that touch the ground (default: ${stitch.footLock ? "on" : "off"})
  --fps N                 frames a second of the result (default: the first file's)
  --json                  one JSON object: {frames, fps, seams: [{frame, method, edited, measured,
                          footSkate, peakJerk, cut?, driftCm?, gap?, gapMethod?, way?, tried?}], warnings: [],
                          milliseconds, network?}`,

  inbetween: `kinestitch inbetween A@FRAME B@FRAME [C@FRAME ...] --frames N -o OUT.bvh|OUT.glb|OUT.vrma [options]
kinestitch inbetween A@FRAME B@FRAME --method ${methodsWith("path").join("|")} --candidates N -o FOLDER [options]

Makes the motion between poses: frame FRAME of each file (from 0), with N frames between each two, on the first file's
skeleton. Poses come back exactly; the frames around them tell how fast they move. Poses of one file keep their place to
each other, others stand where the motion would lead. The output is overwritten where it exists.

  -o, --output OUT        the result; its ending chooses the format. "-": standard output
  --format bvh|glb|vrma   the format, whatever the ending says
  --frames N              frames between two poses, 1 to 480; with --candidates, --path or --speed each way takes its own time
                          where it is left out
  --method NAME           auto, ${inbetweenMethods.join(", ")} (default: ${inbetween.method})
                          auto tries all of them and fills each gap with the most natural motion
                          ${networkMethods.join(", ")}, for bipeds, are networks'; see info --networks for those that
                          this package has weights of (--models)
${methodOptions()}
  --candidates N          with a method that has a path, and two poses: up to N results, each on a way of its own, into
                          the folder that -o names: candidate-1.bvh and so on, --format glb for GLB. With auto those of
                          all methods, the most natural first
  --speed slow|medium|fast
                          with a method that has a path: only ways that are so fast among all that lead there
  --set NAME              with a network: which training data, see info --networks (default: open, where there is one)
                          The set "research" is not for commercial use
  --models DIR            with a network: folder of manifest.json and the weights (default: this package's)
  --at X,Z,DEGREES        where the last pose stands, metres, and where it faces, about the vertical, 0 along +z
  --foot-lock on|off      pin feet that touch the ground (default: ${inbetween.footLock ? "on" : "off"})
  --fps N                 frames a second of the result (default: the first file's)
  --json                  one JSON object: {frames, fps, keys: [[from, to]], gaps: [{method, edited, arrivalCm,
                          arrivalDegrees, footSkate, peakJerk, tried?}], warnings: [], milliseconds, path?: [[x, z]],
                          speed?, style?, score?, network?}; with --candidates {candidates: [{output, the same, ...}], network}`,

  lscore: `kinestitch lscore A B [options]

Where to cut from one motion to another: the work (L-score) of a cut at given frames, or the ${cuts.count} best cuts.
Frames count from 0, each file's own. Less is better.

  --takeoff N             last frame used of A (default with --landing: the last there is)
  --landing N             first frame used of B (default with --takeoff: the first there is)
  --min-inject K          inject at least K frames between them (default: ${score.minInject})
  --max-inject K          inject at most K frames between them (default: ${score.maxInject})
  --window W              look at W frames on each side (default: ${score.window})
  --map FILE.csv          write the score of every cut: takeoff,landing,inject,score
  --json                  with frames {score, takeoff, landing, inject, euclidean}; without {best: [the same, ...]}`,

  phases: `kinestitch phases FILE [options]

Where each limb is in its cycle of contacts (local motion phases): the feet on the ground, of animals on four legs all four.

  --joint NAME            this joint, by its name or role, instead of the feet; once for each
  --object FILE           the joints, or without any both hands, touch what the first root of this file moves like; it has
                          as many frames
  --radius METRES         a joint nearer than this touches the object
  --svg OUT.svg           draw contacts, what was fitted, the fit, and phases as bars
  --json                  one JSON object: {name, frames, fps, limbs: [{name, joint, touches, contact: [0|1, ...],
                          filtered: [], fit: [], phase: [], frequency: [], amplitude: [], vector: [sin, cos, ...]}]}`,

  judge: `kinestitch judge FILE [options]

How natural each frame of a person's motion is: 0 and more. 1 is exceeded by one frame in fifty of recorded motion. Prints the parts
over 1, which hardly any recording is like.

  --set NAME              which recordings the judge knows (default: open)
  --models FOLDER         folder of manifest.json and the weights (default: those of this package)
  --json                  one JSON object: {name, frames, fps, flagged: [{from, to, worst}, ...], scores: [...]}`,

  convert: `kinestitch convert IN -o OUT.glb|OUT.bvh|OUT.vrma [--fps N] [--character HERO.glb] [options]
kinestitch convert IN.bvh ... -o FOLDER/ --format bvh|glb [--fps N] [--json]

Reads BVH, GLB or glTF. Writes a file in another format, or at another frame rate; several into a folder that is there, by their own names. The
output is overwritten where it exists.

  -o, --output OUT        the result, or a folder; its ending chooses the format. "-": standard output
  --format bvh|glb|vrma   the format, whatever the ending says
  --fps N                 frames a second of the result (default: the input's)
  --animation NAME        of a GLB or glTF file: which animation (default: the first), see kinestitch info
  --character HERO.glb    put the motion on this body (GLB, glTF, VRM, with a skin): its file as it is, with one animation more
  --root-motion keep|inPlace
                          inPlace: without the way over the ground (default: keep)
  --json                  one JSON object, of several files a list of them: {input, output, frames, fps, seconds}`,
});

/** Help on a command, or on all; `undefined` for an unknown command. */
export async function help(command: string | undefined): Promise<string | undefined> {
  if (command === undefined) return OVERVIEW;
  await init();
  const all: Record<string, string> = {
    ...commands(defaults() as Defaults),
    ...clipToolsHelp,
    render: renderHelp,
    batch: (await import("./batch.js")).batchHelp,
    mcp: (await import("./mcp.js")).mcpHelp,
  };
  return Object.hasOwn(all, command) ? all[command] : undefined;
}
