/** Measurements of the L-score's map. */
import { load, seamMap } from "kinestitch";
import type { Row } from "./measure";
import { type Recording, withFrames } from "./recording";

const FRAMES = 300;

const median = (values: number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const ms = (value: number) => `${value.toFixed(1)} ms`;

/** Two clips of 300 frames; the second starts elsewhere in the recording. */
async function loadClips(recording: Recording) {
  const { rows } = recording;
  const middle = Math.floor(rows.length * 0.4);
  const rotated = { ...recording, rows: [...rows.slice(middle), ...rows.slice(0, middle)] };
  return [
    await load(withFrames(recording, FRAMES), { name: "a" }),
    await load(withFrames(rotated, FRAMES), { name: "b" }),
  ] as const;
}

/** Every cut between two clips, 16 numbers of injected frames each. */
export async function measureMap(recording: Recording, rounds = 5): Promise<Row> {
  const times: number[] = [];
  let joints = 0;
  for (let round = -1; round < rounds; round++) {
    // Fresh clips: a map is kept for the clips it was made of.
    const [a, b] = await loadClips(recording);
    joints = Object.keys(a.info().rig).length;
    const started = performance.now();
    await seamMap(a, b);
    if (round >= 0) times.push(performance.now() - started);
  }
  return {
    measurement: `Score every cut between two clips of ${FRAMES} frames, ${joints} joints, k = 0 to 15`,
    ours: ms(median(times)),
    comparison: `longest ${ms(Math.max(...times))}`,
    target: "under 1 s",
    isMet: median(times) < 1000,
  };
}

/** One frame more at an end of the first clip. */
export async function measureMapUpdate(recording: Recording, rounds = 15): Promise<Row> {
  const [a, b] = await loadClips(recording);
  const times: number[] = [];
  for (let round = -2; round < rounds; round++) {
    await seamMap(a, b, { trim: [{ from: 0, to: FRAMES - 1 }] });
    const started = performance.now();
    await seamMap(a, b);
    if (round >= 0) times.push(performance.now() - started);
  }
  return {
    measurement: "The same after a trim changed by one frame",
    ours: ms(median(times)),
    comparison: `longest ${ms(Math.max(...times))}`,
    target: "under 50 ms",
    isMet: median(times) < 50,
  };
}
