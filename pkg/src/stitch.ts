/** `stitch`: options checked, handles gathered, the result wrapped. */
import { type StitchedHandle, Stitcher } from "../wasm/kinestitch.js";
import { KinestitchClip } from "./clip.js";
import { KinestitchError } from "./error.js";
import { CUT_WIDTH, cuts } from "./lscore.js";
import type { Networks } from "./networks.js";
import { reporting } from "./progress.js";
import type { Clip, Method, Seam, StitchedClip, StitchOptions } from "./types.js";

/** Numbers a seam takes in `StitchedHandle.seamNumbers`. */
const SEAM_WIDTH = 11;

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
export async function stitchClips(clips: readonly Clip[], options: StitchOptions, networks: Networks): Promise<StitchedClip> {
  const { blend = 20, footLock = true, fps, name } = options;
  if (!Array.isArray(clips)) throw new KinestitchError("option", "stitch takes an array of clips");
  if (!isCount(blend)) throw new KinestitchError("option", `blend must be a whole number of frames, not ${blend}`);
  const started = performance.now();
  const stitcher = gathered(clips, options);
  try {
    const method = options.method ?? (networks.info && clips.every(isBiped) ? "rmr" : "inertialize");
    if (method !== "rmr") {
      const stitched = reporting(options, (report) => stitcher.run(method, blend, footLock, fps, name, report));
      return new KinestitchStitched(stitched, performance.now() - started);
    }
    const other = clips.find((clip) => !isBiped(clip));
    if (other) throw notBiped(other);
    const draft = reporting(options, (report) => stitcher.draft(footLock, fps, name, report));
    let drawn = false;
    try {
      const drafted = performance.now();
      await networks.ready(options);
      const loaded = performance.now();
      const rows = await networks.refine({ rows: draft.rows(), seams: draft.seams() }, options);
      // `finish` takes the draft along, whether it ends well or not.
      drawn = true;
      const stitched = reporting(options, (report) => draft.finish(rows, report));
      return new KinestitchStitched(stitched, performance.now() - started - (loaded - drafted));
    } finally {
      if (!drawn) draft.free();
    }
  } finally {
    stitcher.free();
  }
}

/** The clips and how to cut them, in wasm. */
function gathered(clips: readonly Clip[], options: StitchOptions): Stitcher {
  const { trim = [], seam = "keep", maxCut = 0.5, window = 5, minInject = 0, maxInject = 15 } = options;
  if (trim.length > clips.length) {
    throw new KinestitchError("option", `trim has ${trim.length} entries for ${clips.length} clips`);
  }
  if (seam !== "keep" && seam !== "best") throw new KinestitchError("option", `seam is "keep" or "best", not "${String(seam)}"`);
  for (const [name, value] of Object.entries({ window, minInject, maxInject })) {
    if (!isCount(value)) throw new KinestitchError("option", `${name} must be a whole number of frames, not ${value}`);
  }
  const handles = clips.map((clip, index) => KinestitchClip.handleOf(clip, `clip ${index}`));
  const wrong = trim.findIndex((range) => range && !(isCount(range.from) && isCount(range.to)));
  if (wrong >= 0) throw new KinestitchError("option", `trim of clip ${wrong} must be whole frame numbers`);
  const stitcher = new Stitcher();
  handles.forEach((handle, index) => stitcher.add(handle, trim[index]?.from, trim[index]?.to));
  stitcher.scoreCuts(window, minInject, maxInject);
  if (seam === "best") stitcher.cutBest(maxCut);
  return stitcher;
}

function isBiped(clip: Clip): boolean {
  return KinestitchClip.handleOf(clip, "a clip").kind === "biped";
}

function notBiped({ name }: Clip): KinestitchError {
  const help = 'correct its bone mapping with withRig, or choose the method "inertialize"';
  return new KinestitchError("rig", `clip "${name}": "rmr" needs a body with two legs and two arms; ${help}`);
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < 2 ** 32;
}

function seams(handle: StitchedHandle): Seam[] {
  const numbers = handle.seamNumbers();
  return handle.seamMethods().map((method, index) => {
    const [frame = 0, from = 0, to = 0, footSkate = 0, peakJerk = 0, driftCm = 0, ...rest] = numbers.subarray(index * SEAM_WIDTH);
    const [cut] = cuts(rest.slice(0, CUT_WIDTH));
    return {
      frame,
      method: method as Method,
      edited: [from, to],
      footSkate,
      peakJerk,
      ...(cut && !Number.isNaN(cut.takeoff) && { cut }),
      ...(method === "rmr" && { driftCm }),
    };
  });
}
