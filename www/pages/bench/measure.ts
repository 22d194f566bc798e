/** The measurements of the benchmark page. Each returns one row of its table. */
import { init, load, stitch } from "kinestitch";
import { BVHLoader } from "three/examples/jsm/loaders/BVHLoader.js";
import startModule from "../../../pkg/wasm/kinestitch.js";
import { type Recording, withBytes, withFrames } from "./recording";

/** A row of the table. */
export interface Row {
  measurement: string;
  /** Our result, with its unit. */
  ours: string;
  /** A value for comparison: the result of another library, the longest time, or a size. */
  comparison: string;
  target: string;
  /** Whether our result meets the target. */
  isMet: boolean;
}

/** Returns the median; of an even number of values, the upper of the two in the middle. NaN without values. */
export const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
/** Formats milliseconds. */
export const ms = (value: number) => `${value.toFixed(1)} ms`;
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

async function measureTime(job: () => unknown): Promise<number> {
  const started = performance.now();
  await job();
  return performance.now() - started;
}

/** Measures the parsing of a BVH file by Kinestitch and by three.js's BVHLoader: the same text, alternately. */
export async function measureParsing(recording: Recording, rounds = 9): Promise<Row> {
  const text = withBytes(recording, 4e6);
  const loader = new BVHLoader();
  const ourTimes: number[] = [];
  const threeTimes: number[] = [];
  await init();
  for (let round = -2; round < rounds; round++) {
    const ourTime = await measureTime(() => load(text, { name: recording.name }));
    const threeTime = await measureTime(() => loader.parse(text));
    if (round < 0) continue; // The first two rounds include compilation.
    ourTimes.push(ourTime);
    threeTimes.push(threeTime);
  }
  const ratio = median(threeTimes) / median(ourTimes);
  return {
    measurement: `Read a BVH file of ${mb(text.length)}`,
    ours: ms(median(ourTimes)),
    comparison: `three.js BVHLoader ${ms(median(threeTimes))}, ${ratio.toFixed(1)} times ours`,
    target: "3 times faster",
    isMet: ratio >= 3,
  };
}

/** Measures the time to stitch two clips of 1,000 frames. */
export async function measureStitching(recording: Recording, rounds = 15): Promise<Row> {
  const text = withFrames(recording, 1000);
  const clips = [await load(text, { name: "first" }), await load(text, { name: "second" })];
  const durations: number[] = [];
  for (let round = -3; round < rounds; round++) {
    const duration = await measureTime(() => stitch(clips, { method: "inertialize", footLock: true }));
    if (round >= 0) durations.push(duration);
  }
  return {
    measurement: "Stitch two clips of 1,000 frames: inertialization and foot lock",
    ours: ms(median(durations)),
    comparison: `longest ${ms(Math.max(...durations))}`,
    target: "under 30 ms",
    isMet: median(durations) < 30,
  };
}

/** Measures the WebAssembly memory after a long clip was read. Must run last, because this memory never shrinks. */
export async function measureMemory(recording: Recording): Promise<Row> {
  const frames = 100_000;
  const text = withFrames(recording, frames);
  // The package has started the module already, so this call only returns its memory.
  const { memory } = await startModule({ module_or_path: "" });
  const clip = await load(text, { name: "long" });
  const joints = clip.info().joints.length;
  // A rotation (quaternion) of each joint and a translation of the root, f32.
  const clipBytes = frames * (joints * 4 + 3) * 4;
  const memoryBytes = memory.buffer.byteLength;
  return {
    measurement: `wasm memory after reading a clip of 100,000 frames and ${joints} joints`,
    ours: mb(memoryBytes),
    comparison: `${(memoryBytes / clipBytes).toFixed(2)} times the frames, which take ${mb(clipBytes)} as f32`,
    target: "under 4 times the frames",
    isMet: memoryBytes < 4 * clipBytes,
  };
}
