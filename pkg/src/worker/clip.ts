/** Clips of `kinestitch/worker`: the page holds their bytes, the worker computes. */
import { DISPOSE, PACKED, type PackedMotion } from "../core/packed.js";
import { KinestitchError } from "../core/error.js";
import { checkOptions } from "../core/options.js";
import { quote } from "../core/quote.js";
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
  RetargetOptions,
  RigEdits,
  RootMotion,
  WorkerClip,
} from "../core/types.js";
import type { ClipMethod, Request, ClipPlaceholder } from "./protocol.js";

/** The worker that computes the methods of a clip. */
export interface ClipWorker {
  /** Sends a request after all earlier ones have ended. */
  enqueue(request: Request, options: CallOptions): Promise<unknown>;
  /** Removes a motion that the worker may keep. */
  forget(packed: PackedMotion): void;
}

/** A clip whose bytes are on the page, and whose methods run in a worker. */
export class RemoteClip implements WorkerClip {
  readonly #worker: ClipWorker;
  #packed: PackedMotion | undefined;
  readonly name: string;
  readonly frames: number;
  readonly fps: number;

  constructor(worker: ClipWorker, packed: PackedMotion) {
    this.#worker = worker;
    this.#packed = packed;
    this.name = packed.name;
    this.frames = packed.frames;
    this.fps = packed.fps;
  }

  /** Returns the placeholder of a clip in a message; `undefined` for other objects. */
  static placeholderOf(clip: object): (ClipPlaceholder & { $clip: PackedMotion }) | undefined {
    if (!(PACKED in clip)) return undefined;
    const packed = (clip as { [PACKED]?: PackedMotion })[PACKED];
    if (packed) return { $clip: packed, $report: {} };
    throw new KinestitchError("clip", `clip ${quote((clip as unknown as WorkerClip).name)} was freed`);
  }

  /** The motion; by this property, functions of one entry point accept clips of another entry point. @internal */
  get [PACKED](): PackedMotion | undefined {
    return this.#packed;
  }

  free(): void {
    if (this.#packed) this.#worker.forget(this.#packed);
    this.#packed = undefined;
  }

  [DISPOSE](): void {
    this.free();
  }

  info(options?: CallOptions): Promise<ClipInfo> {
    return this.#call("info", [], options);
  }

  positions(options?: CallOptions): Promise<Float32Array> {
    return this.#call("positions", [], options);
  }

  rotations(options?: CallOptions): Promise<Float32Array> {
    return this.#call("rotations", [], options);
  }

  curves(options?: CallOptions): Promise<ClipCurves> {
    return this.#call("curves", [], options);
  }

  phases(phases?: PhaseOptions, options?: CallOptions): Promise<LimbPhases[]> {
    return this.#call("phases", [phases], options);
  }

  naturalness(judge?: Pick<NaturalnessOptions, "set">, options?: CallOptions): Promise<Float32Array> {
    return this.#call("naturalness", [judge], options);
  }

  toBvh(options?: CallOptions): Promise<string> {
    return this.#call("toBvh", [], options);
  }

  toGlb(options?: CallOptions): Promise<Uint8Array<ArrayBuffer>> {
    return this.#call("toGlb", [], options);
  }

  resample(fps: number, options?: CallOptions): Promise<WorkerClip> {
    return this.#call("resample", [fps], options);
  }

  withRig(rig: RigEdits, options?: CallOptions): Promise<WorkerClip> {
    return this.#call("withRig", [rig], options);
  }

  inPlace(options?: CallOptions): Promise<WorkerClip> {
    return this.#call("inPlace", [], options);
  }

  retarget(
    target: Clip | WorkerClip | MotionData,
    { ground, ...options }: RetargetOptions & CallOptions = {},
  ): Promise<WorkerClip> {
    return this.#call("retarget", ground === undefined ? [target] : [target, { ground }], options);
  }

  slice(from: number, to: number, options?: CallOptions): Promise<WorkerClip> {
    return this.#call("slice", [from, to], options);
  }

  reverse(options?: CallOptions): Promise<WorkerClip> {
    return this.#call("reverse", [], options);
  }

  mirror(options?: CallOptions): Promise<WorkerClip> {
    return this.#call("mirror", [], options);
  }

  timeScale(factor: number, options?: CallOptions): Promise<WorkerClip> {
    return this.#call("timeScale", [factor], options);
  }

  at(seconds: number, options?: CallOptions): Promise<Pose> {
    return this.#call("at", [seconds], options);
  }

  concat(...others: (Clip | WorkerClip)[]): Promise<WorkerClip> {
    return this.#call("concat", others);
  }

  rootMotion(options?: CallOptions): Promise<RootMotion<WorkerClip>> {
    return this.#call("rootMotion", [], options);
  }

  rootMotionFromFeet(options?: CallOptions): Promise<WorkerClip> {
    return this.#call("rootMotionFromFeet", [], options);
  }

  async #call<T>(method: ClipMethod, args: unknown[], options?: CallOptions): Promise<T> {
    const task = checkOptions<CallOptions>(method, {}, options);
    // The link replaces the clip by its placeholder.
    const clip: object = this;
    return this.#worker.enqueue({ do: "clip", clip, method, args }, task) as Promise<T>;
  }
}

/** A result: a clip with the properties of its report. */
export class RemoteResult extends RemoteClip {
  constructor(worker: ClipWorker, packed: PackedMotion, report: object) {
    super(worker, packed);
    Object.assign(this, report);
  }
}

/** A result of `stitch`. */
export class RemoteStitched extends RemoteResult {
  #aligned: RemoteClip[];

  constructor(worker: ClipWorker, packed: PackedMotion, report: object, aligned: readonly PackedMotion[]) {
    super(worker, packed, report);
    this.#aligned = aligned.map((clip) => new RemoteClip(worker, clip));
  }

  async aligned(): Promise<WorkerClip[]> {
    RemoteClip.placeholderOf(this);
    return [...this.#aligned];
  }

  override free(): void {
    super.free();
    this.#aligned = [];
  }
}
