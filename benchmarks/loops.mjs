// Loops of recorded walks and runs: the step over the seam compared with those of neighbouring frames.
//
//     node benchmarks/loops.mjs FOLDER [--strips FOLDER] [--method NAME]
//
// FOLDER: recordings of people outside all training data (see docs/results); the files listed below are searched in it
// and its subfolders. --strips writes three turns of each loop as BVH, for `kinestitch render`.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { load, loop } from "kinestitch";

/**
 * Walks of CMU subject 8, a run of subject 9 (clips numbered …3 are left out of training), Bandai-Namco. The seconds
 * leave out starts and ends of recordings.
 */
const FILES = [
  ["08_01.bvh", 0.2, 2.2],
  ["08_02.bvh", 0.2, 2.2],
  ["08_05.bvh", 0.2, 2.2],
  ["08_08.bvh", 0.2, 2.2],
  ["08_10.bvh", 0.2, 2.2],
  ["dataset-1_run_normal_001.bvh", 0, 60],
  ["09_03.bvh", 0, 1.2],
  ["dataset-2_run_active_001.bvh", 0, 60],
  ["dataset-2_run_active_010.bvh", 0, 60],
  ["dataset-2_walk_active_010.bvh", 0, 60],
];
/** Frames on each side of the seam for the comparison. */
const BESIDE = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { strips: { type: "string" }, method: { type: "string" } },
});
const [data = "."] = positionals;
const all = readdirSync(data, { recursive: true }).map(String);
if (values.strips) mkdirSync(values.strips, { recursive: true });

/** Largest movement of a body joint between two frames, metres. */
function step(positions, joints, body, a, b) {
  let most = 0;
  for (const joint of body) {
    const [i, j] = [(a * joints + joint) * 3, (b * joints + joint) * 3];
    const way = Math.hypot(...[0, 1, 2].map((axis) => positions[i + axis] - positions[j + axis]));
    most = Math.max(most, way);
  }
  return most;
}

/** World positions of the first frame of the next turn. */
function next(positions, joints, { x, z, heading }) {
  const [sine, cosine] = [Math.sin(heading), Math.cos(heading)];
  const moved = new Float32Array(joints * 3);
  for (let i = 0; i < joints * 3; i += 3) {
    const [px, py, pz] = positions.subarray(i, i + 3);
    moved.set([cosine * px + sine * pz + x, py, -sine * px + cosine * pz + z], i);
  }
  return moved;
}

console.log("file | frames | cycle | ends apart, cm | closed by | over the seam, cm | beside, cm | travel, m | ms");
let good = 0;
let seen = 0;
for (const [name, from, to] of FILES) {
  const path = all.find((path) => path.endsWith(name));
  if (!path) {
    console.log(`${name} | not there`);
    continue;
  }
  const whole = await load(join(data, path));
  const length = whole.info().seconds;
  const clip = whole.slice(Math.min(from, length / 4), Math.min(to, length));
  const started = performance.now();
  const result = await loop(clip, values.method ? { method: values.method } : {});
  const took = performance.now() - started;
  const { frames, cycle, apartCm, travel, seam } = result;
  const { joints: list, rig } = result.info();
  const joints = list.length;
  // A static joint above the hips does not travel.
  const body = list.flatMap((joint, index) => (Object.values(rig).includes(joint.name) ? [index] : []));
  const positions = result.positions();
  const turn = new Float32Array([...positions, ...next(positions, joints, travel)]);
  const steps = Array.from({ length: frames }, (_, frame) => step(turn, joints, body, frame, frame + 1));
  const over = steps[frames - 1];
  const beside = Math.max(...steps.slice(0, BESIDE), ...steps.slice(-1 - BESIDE, -1));
  seen++;
  if (over <= beside) good++;
  const description = seam?.options
    ? `${seam.options.gap ? `${seam.options.gap} by ${seam.options.gapMethod}` : seam.options.method}`
    : seam?.method;
  const numbers = [apartCm.toFixed(1), description ?? "as it is", (over * 100).toFixed(2), (beside * 100).toFixed(2)];
  const far = Math.hypot(travel.x, travel.z).toFixed(2);
  console.log([name, frames, `${cycle.from}–${cycle.to}`, ...numbers, far, took.toFixed(0)].join(" | "));
  if (values.strips) {
    const still = await loop(clip, { ...(values.method && { method: values.method }), inPlace: true });
    writeFileSync(join(values.strips, name), still.concat(still, still).toBvh());
  }
}
console.log(`${good} of ${seen} step over the seam no farther than in the ${2 * BESIDE} frames beside it`);
