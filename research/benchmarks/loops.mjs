// Smoothness of loops that `loop` makes of recorded walks and runs: the largest movement of a joint from the last frame
// to the first frame of the next cycle, cm, compared with the frames beside this seam; and the time of `loop`, ms.
// Peer: none.
//
//     npm run build && node research/benchmarks/loops.mjs [FOLDER] [--strips FOLDER] [--method NAME]
//
// FOLDER: folder with the recordings of FILES, also in subfolders; default: the current folder. --strips: writes each
// loop, in place and repeated three times, as BVH for `kinestitch render`. --method: method of `loop`.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { load, loop } from "kinestitch";

/**
 * File names, and the seconds from and to which they are used; 60: to the end of the recording. CMU: walks of subject 8
 * (test split) and a run of subject 9 (validation split). Bandai-Namco: of these, only the files …_010 are in the test
 * split. Splits: research/recipes/sets.json.
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
/** Number of frames on each side of the seam that it is compared with. */
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

/** Returns the world positions of the first frame of the next cycle: of the first frame, moved by the root motion. */
function firstFrameOfNextCycle(positions, joints, { x, z, heading }) {
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
    console.log(`${name} | not found in ${data}`);
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
  // Only joints with a role: others may stay in place, such as a root joint above the hips.
  const body = list.flatMap((joint, index) => (Object.values(rig).includes(joint.name) ? [index] : []));
  const positions = result.positions();
  const extendedPositions = new Float32Array([...positions, ...firstFrameOfNextCycle(positions, joints, travel)]);
  // Movement from each frame to the next; the last one crosses the seam.
  const movements = Array.from({ length: frames }, (_, frame) =>
    largestMovement(extendedPositions, joints, body, frame, frame + 1),
  );
  const overSeam = movements[frames - 1];
  const beside = Math.max(...movements.slice(0, NEIGHBOUR_FRAMES), ...movements.slice(-1 - NEIGHBOUR_FRAMES, -1));
  loopCount++;
  if (overSeam <= beside) smoothCount++;
  const description = seam?.options
    ? `${seam.options.gap ? `${seam.options.gap} frames by ${seam.options.gapMethod}` : seam.options.method}`
    : seam?.method;
  const numbers = [
    apartCm.toFixed(1),
    description ?? "already closed",
    (overSeam * 100).toFixed(2),
    (beside * 100).toFixed(2),
  ];
  const distance = Math.hypot(travel.x, travel.z).toFixed(2);
  console.log([name, frames, `${cycle.from}–${cycle.to}`, ...numbers, distance, milliseconds.toFixed(0)].join(" | "));
  if (values.strips) {
    const inPlace = await loop(clip, { ...(values.method && { method: values.method }), inPlace: true });
    writeFileSync(join(values.strips, name), await (await inPlace.concat(inPlace, inPlace)).toBvh());
  }
}
console.log(
  `${smoothCount} of ${loopCount} move over the seam no farther than in the ${2 * NEIGHBOUR_FRAMES} frames beside it`,
);
