/** `stitch`: options checked, handles gathered, the result wrapped. */
import { type StitchedHandle, Stitcher } from "../wasm/kinestitch.js";
import { KinestitchClip } from "./clip.js";
import { KinestitchError } from "./error.js";
import { CUT_WIDTH, cuts } from "./lscore.js";
import { reporting } from "./progress.js";
import type { Clip, Method, Seam, StitchedClip, StitchOptions } from "./types.js";

/** Numbers a seam takes in `StitchedHandle.seamNumbers`. */
const SEAM_WIDTH = 10;

class KinestitchStitched extends KinestitchClip implements StitchedClip {
  readonly #aligned: readonly KinestitchClip[];
  readonly seams: Seam[];
  readonly starts: number[];
  readonly warnings: string[];
  readonly milliseconds: number;

  constructor(handle: StitchedHandle, milliseconds: number) {
    super(handle.clip());
    this.starts = Array.from(handle.starts());
    this.#aligned = handle.aligned().map((clip) => new KinestitchClip(clip));
    this.seams = seams(handle);
    this.warnings = handle.warnings();
    this.milliseconds = milliseconds;
    handle.free();
  }

  aligned(): Clip[] {
    return [...this.#aligned];
  }

  override release(): void {
    super.release();
    for (const clip of this.#aligned) clip.release();
  }
}

/** Joins clips on the calling thread. `onProgress` may abort the signal to stop. */
export function stitchClips(clips: readonly Clip[], options: StitchOptions): StitchedClip {
  const { trim = [], method = "inertialize", blend = 20, footLock = true, fps, name } = options;
  if (!Array.isArray(clips)) throw new KinestitchError("option", "stitch takes an array of clips");
  if (!isCount(blend)) throw new KinestitchError("option", `blend must be a whole number of frames, not ${blend}`);
  if (trim.length > clips.length) {
    throw new KinestitchError("option", `trim has ${trim.length} entries for ${clips.length} clips`);
  }
  const started = performance.now();
  const stitcher = new Stitcher();
  try {
    clips.forEach((clip, index) => {
      const range = trim[index];
      if (range && !(isCount(range.from) && isCount(range.to))) {
        throw new KinestitchError("option", `trim of clip ${index} must be whole frame numbers`);
      }
      stitcher.add(KinestitchClip.handleOf(clip, `clip ${index}`), range?.from, range?.to);
    });
    const { seam = "keep", maxCut = 0.5, window = 5, minInject = 0, maxInject = 15 } = options;
    if (seam !== "keep" && seam !== "best") throw new KinestitchError("option", `seam is "keep" or "best", not "${String(seam)}"`);
    for (const [name, value] of Object.entries({ window, minInject, maxInject })) {
      if (!isCount(value)) throw new KinestitchError("option", `${name} must be a whole number of frames, not ${value}`);
    }
    stitcher.scoreCuts(window, minInject, maxInject);
    if (seam === "best") stitcher.cutBest(maxCut);
    const stitched = reporting(options, (report) => stitcher.run(method, blend, footLock, fps, name, report));
    return new KinestitchStitched(stitched, performance.now() - started);
  } finally {
    stitcher.free();
  }
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < 2 ** 32;
}

function seams(handle: StitchedHandle): Seam[] {
  const numbers = handle.seamNumbers();
  return handle.seamMethods().map((method, index) => {
    const [frame = 0, from = 0, to = 0, footSkate = 0, peakJerk = 0, ...rest] = numbers.subarray(index * SEAM_WIDTH);
    const [cut] = cuts(rest.slice(0, CUT_WIDTH));
    const seam = { frame, method: method as Method, edited: [from, to] as [number, number], footSkate, peakJerk };
    return cut && !Number.isNaN(cut.takeoff) ? { ...seam, cut } : seam;
  });
}
