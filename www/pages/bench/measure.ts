/** The measurements of the benchmark page. Each returns one row of its table. */
import { init, load, stitch } from "kinestitch";
import { BVHLoader } from "three/examples/jsm/loaders/BVHLoader.js";
import start from "../../../pkg/wasm/kinestitch.js";
import { type Recording, withBytes, withFrames } from "./recording";

/** A row of the table: the measurement, our result, that of the compared library, and the target. */
export interface Row {
  what: string;
  ours: string;
  peer: string;
  target: string;
  met: boolean;
}

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const ms = (value: number) => `${value.toFixed(1)} ms`;
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

async function timed(job: () => unknown): Promise<number> {
  const started = performance.now();
  await job();
  return performance.now() - started;
}

/** Parsing: ours and three.js's BVHLoader in turn, so that both have the same conditions. */
export async function parsing(recording: Recording, rounds = 9): Promise<Row> {
  const text = withBytes(recording, 4e6);
  const loader = new BVHLoader();
  const ours: number[] = [];
  const theirs: number[] = [];
  await init();
  for (let round = -2; round < rounds; round++) {
    const our = await timed(() => load(text, { name: recording.name }));
    const their = await timed(() => loader.parse(text));
    if (round < 0) continue; // both compile first
    ours.push(our);
    theirs.push(their);
  }
  const times = median(theirs) / median(ours);
  return {
    what: `Read a BVH file of ${mb(text.length)}`,
    ours: ms(median(ours)),
    peer: `three.js BVHLoader ${ms(median(theirs))}, ${times.toFixed(1)} times ours`,
    target: "3 times faster",
    met: times >= 3,
  };
}

/** Two clips of 1,000 frames into one. */
export async function stitching(recording: Recording, rounds = 15): Promise<Row> {
  const text = withFrames(recording, 1000);
  const clips = [await load(text, { name: "first" }), await load(text, { name: "second" })];
  const whole: number[] = [];
  for (let round = -3; round < rounds; round++) {
    const took = await timed(() => stitch(clips, { method: "inertialize", footLock: true }));
    if (round >= 0) whole.push(took);
  }
  return {
    what: "Stitch two clips of 1,000 frames: inertialization and foot lock",
    ours: ms(median(whole)),
    peer: `longest ${ms(Math.max(...whole))}`,
    target: "under 30 ms",
    met: median(whole) < 30,
  };
}

/** Growth of wasm memory while a long clip is read; run last, because memory never shrinks. */
export async function memory(recording: Recording): Promise<Row> {
  const frames = 100_000;
  const text = withFrames(recording, frames);
  const { memory } = await start({ module_or_path: "" }); // the package has started it: this only hands its memory out
  const clip = await load(text, { name: "long" });
  const joints = clip.info().joints.length;
  const size = frames * (joints * 4 + 3) * 4;
  const held = memory.buffer.byteLength;
  return {
    what: `wasm memory once a clip of 100,000 frames and ${joints} joints was read`,
    ours: mb(held),
    peer: `${mb(size)} as f32, ${(held / size).toFixed(2)} times that`,
    target: "under 4 times",
    met: held < 4 * size,
  };
}
