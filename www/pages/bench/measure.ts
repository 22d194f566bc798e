/** The measurements of the benchmark page. Each returns one row of its table. */
import { init, load, stitch } from "kinestitch";
import { BVHLoader } from "three/examples/jsm/loaders/BVHLoader.js";
import start from "../../../pkg/wasm/kinestitch.js";
import { type Recording, withBytes, withFrames } from "./recording";

/** A row of the table: the measurement, our result, a result to compare it with, and the target. */
export interface Row {
  measurement: string;
  ours: string;
  comparison: string;
  target: string;
  isMet: boolean;
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const ms = (value: number) => `${value.toFixed(1)} ms`;
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

async function measureTime(job: () => unknown): Promise<number> {
  const started = performance.now();
  await job();
  return performance.now() - started;
}

/** Measures the parsing of a BVH file by Kinestitch and by three.js's BVHLoader, in turn, under equal conditions. */
export async function measureParsing(recording: Recording, rounds = 9): Promise<Row> {
  const text = withBytes(recording, 4e6);
  const loader = new BVHLoader();
  const ours: number[] = [];
  const theirs: number[] = [];
  await init();
  for (let round = -2; round < rounds; round++) {
    const our = await measureTime(() => load(text, { name: recording.name }));
    const their = await measureTime(() => loader.parse(text));
    if (round < 0) continue; // The first rounds include compilation.
    ours.push(our);
    theirs.push(their);
  }
  const ratio = median(theirs) / median(ours);
  return {
    measurement: `Read a BVH file of ${mb(text.length)}`,
    ours: ms(median(ours)),
    comparison: `three.js BVHLoader ${ms(median(theirs))}, ${ratio.toFixed(1)} times ours`,
    target: "3 times faster",
    isMet: ratio >= 3,
  };
}

/** Measures stitching of two clips of 1,000 frames. */
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
  const { memory } = await start({ module_or_path: "" });
  const clip = await load(text, { name: "long" });
  const joints = clip.info().joints.length;
  const clipBytes = frames * (joints * 4 + 3) * 4;
  const memoryBytes = memory.buffer.byteLength;
  return {
    measurement: `wasm memory once a clip of 100,000 frames and ${joints} joints was read`,
    ours: mb(memoryBytes),
    comparison: `${mb(clipBytes)} as f32, ${(memoryBytes / clipBytes).toFixed(2)} times that`,
    target: "under 4 times",
    isMet: memoryBytes < 4 * clipBytes,
  };
}
