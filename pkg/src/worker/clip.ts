/** Clips of `kinestitch/worker`: the page holds their bytes, the worker computes. */
import { DISPOSE, PACKED, type Packed } from "../core/packed.js";
import { KinestitchError } from "../core/error.js";
import { quoted } from "../core/quote.js";
import type {
  CallOptions,
  Clip,
  ClipCurves,
  ClipInfo,
  LimbPhases,
  MotionData,
  NaturalnessOptions,
  PhaseOptions,
  Pose,
  RigEdits,
  RootMotion,
  WorkerClip,
} from "../core/types.js";
import type { WorkerLink } from "./link.js";
import type { ClipMethod, Sent } from "./protocol.js";

export class RemoteClip implements WorkerClip {
  readonly #link: WorkerLink;
  #packed: Packed | undefined;
  readonly name: string;
  readonly frames: number;
  readonly fps: number;

  constructor(link: WorkerLink, packed: Packed) {
    this.#link = link;
    this.#packed = packed;
    this.name = packed.name;
    this.frames = packed.frames;
    this.fps = packed.fps;
  }

  /** Placeholder of a clip in a message; `undefined` for other objects. */
  static sent(clip: object): (Sent & { $clip: Packed }) | undefined {
    if (!(PACKED in clip)) return undefined;
    const packed = (clip as { [PACKED]?: Packed })[PACKED];
    if (packed) return { $clip: packed, $report: {} };
    throw new KinestitchError("clip", `clip ${quoted((clip as unknown as WorkerClip).name)} was freed`);
  }

  /** For the functions of all entries, which accept each other's clips. @internal */
  get [PACKED](): Packed | undefined {
    return this.#packed;
  }

  free(): void {
    if (this.#packed) this.#link.forget(this.#packed);
    this.#packed = undefined;
  }

  [DISPOSE](): void {
    this.free();
  }

  info(options?: CallOptions): Promise<ClipInfo> {
    return this.#ask("info", [], options);
  }

  positions(options?: CallOptions): Promise<Float32Array> {
    return this.#ask("positions", [], options);
  }

  rotations(options?: CallOptions): Promise<Float32Array> {
    return this.#ask("rotations", [], options);
  }

  curves(options?: CallOptions): Promise<ClipCurves> {
    return this.#ask("curves", [], options);
  }

  phases(phases?: PhaseOptions, options?: CallOptions): Promise<LimbPhases[]> {
    return this.#ask("phases", [phases], options);
  }

  naturalness(judge?: Pick<NaturalnessOptions, "set">, options?: CallOptions): Promise<Float32Array> {
    return this.#ask("naturalness", [judge], options);
  }

  toBvh(options?: CallOptions): Promise<string> {
    return this.#ask("toBvh", [], options);
  }

  toGlb(options?: CallOptions): Promise<Uint8Array<ArrayBuffer>> {
    return this.#ask("toGlb", [], options);
  }

  resample(fps: number, options?: CallOptions): Promise<WorkerClip> {
    return this.#ask("resample", [fps], options);
  }

  withRig(rig: RigEdits, options?: CallOptions): Promise<WorkerClip> {
    return this.#ask("withRig", [rig], options);
  }

  inPlace(options?: CallOptions): Promise<WorkerClip> {
    return this.#ask("inPlace", [], options);
  }

  retarget(target: Clip | WorkerClip | MotionData, options?: CallOptions): Promise<WorkerClip> {
    return this.#ask("retarget", [target], options);
  }

  slice(from: number, to: number, options?: CallOptions): Promise<WorkerClip> {
    return this.#ask("slice", [from, to], options);
  }

  reverse(options?: CallOptions): Promise<WorkerClip> {
    return this.#ask("reverse", [], options);
  }

  mirror(options?: CallOptions): Promise<WorkerClip> {
    return this.#ask("mirror", [], options);
  }

  timeScale(factor: number, options?: CallOptions): Promise<WorkerClip> {
    return this.#ask("timeScale", [factor], options);
  }

  at(seconds: number, options?: CallOptions): Promise<Pose> {
    return this.#ask("at", [seconds], options);
  }

  concat(...others: (Clip | WorkerClip)[]): Promise<WorkerClip> {
    return this.#ask("concat", others);
  }

  rootMotion(options?: CallOptions): Promise<RootMotion<WorkerClip>> {
    return this.#ask("rootMotion", [], options);
  }

  rootMotionFromFeet(options?: CallOptions): Promise<WorkerClip> {
    return this.#ask("rootMotionFromFeet", [], options);
  }

  async #ask<T>(method: ClipMethod, args: unknown[], options: CallOptions = {}): Promise<T> {
    // The link replaces it by its placeholder.
    const clip: object = this;
    return this.#link.turn({ do: "clip", clip, method, args }, options) as Promise<T>;
  }
}

/** A result with its report. */
export class RemoteResult extends RemoteClip {
  constructor(link: WorkerLink, packed: Packed, report: object) {
    super(link, packed);
    Object.assign(this, report);
  }
}

/** A result of `stitch`. */
export class RemoteStitched extends RemoteResult {
  #aligned: RemoteClip[];

  constructor(link: WorkerLink, packed: Packed, report: object, aligned: readonly Packed[]) {
    super(link, packed, report);
    this.#aligned = aligned.map((clip) => new RemoteClip(link, clip));
  }

  async aligned(): Promise<WorkerClip[]> {
    RemoteClip.sent(this);
    return [...this.#aligned];
  }

  override free(): void {
    super.free();
    this.#aligned = [];
  }
}
