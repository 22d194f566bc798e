/** Measurements of `seamMap`, which scores every cut between two clips by the L-score. */
import { load, seamMap } from "kinestitch";
import { median, ms, type Row } from "./measure";
import { type Recording, withFrames } from "./recording";

/** Length of the clips, frames. */
const FRAMES = 300;

/** Loads two clips of {@link FRAMES} frames. The second starts later in the recording. */
async function loadClips(recording: Recording) {
  const { rows } = recording;
  const middle = Math.floor(rows.length * 0.4);
  const rotated = { ...recording, rows: [...rows.slice(middle), ...rows.slice(0, middle)] };
  return [
    await load(withFrames(recording, FRAMES), { name: "a" }),
    await load(withFrames(rotated, FRAMES), { name: "b" }),
  ] as const;
}

/** Measures the scores of all cuts between two clips, each with 0 to 15 injected frames. */
export async function measureMap(recording: Recording, rounds = 5): Promise<Row> {
  const times: number[] = [];
  let joints = 0;
  for (let round = -1; round < rounds; round++) {
    // Loads the clips again, because the package caches the map of two clips.
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

/** Measures the update of a map after the trim of the first clip changed by one frame. */
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
