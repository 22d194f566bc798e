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
const NEIGHBOUR_FRAMES = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { strips: { type: "string" }, method: { type: "string" } },
});
const [data = "."] = positionals;
const paths = readdirSync(data, { recursive: true }).map(String);
if (values.strips) mkdirSync(values.strips, { recursive: true });

/** Returns the largest movement of a body joint between two frames, metres. */
function largestMovement(positions, jointCount, body, a, b) {
  let largest = 0;
  for (const joint of body) {
    const [i, j] = [(a * jointCount + joint) * 3, (b * jointCount + joint) * 3];
    const distance = Math.hypot(...[0, 1, 2].map((axis) => positions[i + axis] - positions[j + axis]));
    largest = Math.max(largest, distance);
  }
  return largest;
}

/** Returns the world positions of the first frame of the next turn. */
function nextTurn(positions, joints, { x, z, heading }) {
  const [sine, cosine] = [Math.sin(heading), Math.cos(heading)];
  const moved = new Float32Array(joints * 3);
  for (let i = 0; i < joints * 3; i += 3) {
    const [px, py, pz] = positions.subarray(i, i + 3);
    moved.set([cosine * px + sine * pz + x, py, -sine * px + cosine * pz + z], i);
  }
  return moved;
}

console.log("file | frames | cycle | ends apart, cm | closed by | over the seam, cm | beside, cm | travel, m | ms");
let [smoothCount, loopCount] = [0, 0];
for (const [name, from, to] of FILES) {
  const path = paths.find((path) => path.endsWith(name));
  if (!path) {
    console.log(`${name} | missing`);
    continue;
  }
  const recording = await load(join(data, path));
  const length = recording.info().seconds;
  const clip = recording.slice(Math.min(from, length / 4), Math.min(to, length));
  const started = performance.now();
  const result = await loop(clip, values.method ? { method: values.method } : {});
  const milliseconds = performance.now() - started;
  const { frames, cycle, apartCm, travel, seam } = result;
  const { joints: list, rig } = result.info();
  const joints = list.length;
  // A static joint above the hips does not travel.
  const body = list.flatMap((joint, index) => (Object.values(rig).includes(joint.name) ? [index] : []));
  const positions = result.positions();
  const positionsOfTwoTurns = new Float32Array([...positions, ...nextTurn(positions, joints, travel)]);
  const steps = Array.from({ length: frames }, (_, frame) =>
    largestMovement(positionsOfTwoTurns, joints, body, frame, frame + 1),
  );
  const overSeam = steps[frames - 1];
  const beside = Math.max(...steps.slice(0, NEIGHBOUR_FRAMES), ...steps.slice(-1 - NEIGHBOUR_FRAMES, -1));
  loopCount++;
  if (overSeam <= beside) smoothCount++;
  const description = seam?.options
    ? `${seam.options.gap ? `${seam.options.gap} by ${seam.options.gapMethod}` : seam.options.method}`
    : seam?.method;
  const numbers = [
    apartCm.toFixed(1),
    description ?? "as it is",
    (overSeam * 100).toFixed(2),
    (beside * 100).toFixed(2),
  ];
  const distance = Math.hypot(travel.x, travel.z).toFixed(2);
  console.log([name, frames, `${cycle.from}–${cycle.to}`, ...numbers, distance, milliseconds.toFixed(0)].join(" | "));
  if (values.strips) {
    const still = await loop(clip, { ...(values.method && { method: values.method }), inPlace: true });
    writeFileSync(join(values.strips, name), still.concat(still, still).toBvh());
  }
}
console.log(
  `${smoothCount} of ${loopCount} step over the seam no farther than in the ${2 * NEIGHBOUR_FRAMES} frames beside it`,
);
