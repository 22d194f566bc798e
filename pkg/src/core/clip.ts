/**
 * The class of clips, for the calling thread and for the worker. The motion is stored as bytes in JavaScript memory:
 * wasm memory holds a motion only during computations, so the garbage collector frees unused motions.
 */
import { KinestitchError } from "./error.js";
import { positionsOf, rotationsOf } from "./kinematics.js";
import { grounds } from "./ground-types.js";
import { checkOptions, oneOf, phaseObject, text, texts, wrongOption } from "./options.js";
import { DISPOSE, PACKED, type PackedMotion } from "./packed.js";
import { quote } from "./quote.js";
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
  TaskOptions,
} from "./types.js";

/** Names of the methods of a clip that are computed by a {@link ClipBackend}. */
export const clipMethods = [
  "curves",
  "phases",
  "naturalness",
  "toBvh",
  "toGlb",
  "resample",
  "withRig",
  "inPlace",
  "retarget",
  "slice",
  "reverse",
  "mirror",
  "timeScale",
  "at",
  "concat",
  "rootMotion",
  "rootMotionFromFeet",
] as const;
/** Name of a method of a clip. */
export type ClipMethod = (typeof clipMethods)[number];

/** Computes the methods of clips: on the calling thread, or in a worker. */
export interface ClipBackend {
  /** Computes a method of a clip. `args`: the arguments of the method, without a signal and callbacks. */
  compute(clip: PackedMotion, method: ClipMethod, args: readonly unknown[], task: TaskOptions): Promise<unknown>;
  /** Removes a motion that the backend may keep. */
  forget(clip: PackedMotion): void;
}

/** A clip. */
export class KinestitchClip implements Clip {
  readonly #backend: ClipBackend;
  #packed: PackedMotion | undefined;
  readonly name: string;
  readonly frames: number;
  readonly fps: number;

  /** @internal */
  constructor(backend: ClipBackend, packed: PackedMotion) {
    this.#backend = backend;
    this.#packed = packed;
    this.name = packed.name;
    this.frames = packed.frames;
    this.fps = packed.fps;
  }

  /** Returns the motion of a clip. `name`: name of the value in error messages. @internal */
  static packedOf(clip: unknown, name: string): PackedMotion {
    if (!(typeof clip === "object" && clip !== null && PACKED in clip)) {
      throw wrongOption(
        "clips",
        `${name} is not a clip of this package; pass the result of load, stitch or another function`,
      );
    }
    const packed = (clip as { [PACKED]?: PackedMotion })[PACKED];
    if (packed) return packed;
    throw new KinestitchError("clip", `${name} (${quote((clip as unknown as Clip).name)}) was freed`);
  }

  /** The motion; by this property, functions of one entry point accept clips of another entry point. @internal */
  get [PACKED](): PackedMotion | undefined {
    return this.#packed;
  }

  free(): void {
    if (this.#packed) this.#backend.forget(this.#packed);
    this.#packed = undefined;
  }

  [DISPOSE](): void {
    this.free();
  }

  info(): ClipInfo {
    return structuredClone(KinestitchClip.packedOf(this, "this clip").info);
  }

  positions(): Float32Array {
    return positionsOf(KinestitchClip.packedOf(this, "this clip"));
  }

  rotations(): Float32Array {
    return rotationsOf(KinestitchClip.packedOf(this, "this clip"));
  }

  curves(options?: CallOptions): Promise<ClipCurves> {
    return this.#call("curves", [], options);
  }

  async phases(options?: PhaseOptions): Promise<LimbPhases[]> {
    const schema = { joints: texts, object: phaseObject };
    const { joints, object, ...task } = checkOptions<PhaseOptions & TaskOptions>("phases", schema, options);
    return this.#compute("phases", [{ ...(joints && { joints }), ...(object && { object }) }], task);
  }

  async naturalness(options?: NaturalnessOptions): Promise<Float32Array> {
    const { set, ...task } = checkOptions<NaturalnessOptions>("naturalness", { set: text }, options);
    return this.#compute("naturalness", [{ ...(set !== undefined && { set }) }], task);
  }

  toBvh(options?: CallOptions): Promise<string> {
    return this.#call("toBvh", [], options);
  }

  toGlb(options?: CallOptions): Promise<Uint8Array<ArrayBuffer>> {
    return this.#call("toGlb", [], options);
  }

  resample(fps: number, options?: CallOptions): Promise<Clip> {
    return this.#call("resample", [fps], options);
  }

  withRig(rig: RigEdits, options?: CallOptions): Promise<Clip> {
    return this.#call("withRig", [rig], options);
  }

  inPlace(options?: CallOptions): Promise<Clip> {
    return this.#call("inPlace", [], options);
  }

  async retarget(target: Clip | MotionData, options?: RetargetOptions): Promise<Clip> {
    const schema = { ground: oneOf(grounds) };
    const { ground, ...task } = checkOptions<RetargetOptions & TaskOptions>("retarget", schema, options);
    return this.#compute("retarget", ground === undefined ? [target] : [target, ground], task);
  }

  slice(from: number, to: number, options?: CallOptions): Promise<Clip> {
    return this.#call("slice", [from, to], options);
  }

  reverse(options?: CallOptions): Promise<Clip> {
    return this.#call("reverse", [], options);
  }

  mirror(options?: CallOptions): Promise<Clip> {
    return this.#call("mirror", [], options);
  }

  timeScale(factor: number, options?: CallOptions): Promise<Clip> {
    return this.#call("timeScale", [factor], options);
  }

  at(seconds: number, options?: CallOptions): Promise<Pose> {
    return this.#call("at", [seconds], options);
  }

  concat(...others: Clip[]): Promise<Clip> {
    return this.#call("concat", others);
  }

  rootMotion(options?: CallOptions): Promise<RootMotion> {
    return this.#call("rootMotion", [], options);
  }

  rootMotionFromFeet(options?: CallOptions): Promise<Clip> {
    return this.#call("rootMotionFromFeet", [], options);
  }

  async #call<T>(method: ClipMethod, args: readonly unknown[], options?: CallOptions): Promise<T> {
    return this.#compute(method, args, checkOptions<CallOptions>(method, {}, options));
  }

  async #compute<T>(method: ClipMethod, args: readonly unknown[], task: TaskOptions): Promise<T> {
    const packed = KinestitchClip.packedOf(this, "this clip");
    return this.#backend.compute(packed, method, args, task) as Promise<T>;
  }
}

/** A result: a clip with the properties of a report. */
export class ReportedClip extends KinestitchClip {
  /** @internal */
  constructor(backend: ClipBackend, packed: PackedMotion, report: object) {
    super(backend, packed);
    Object.assign(this, report);
  }
}

/** A result of `stitch`. */
export class AlignedClip extends ReportedClip {
  #aligned: readonly KinestitchClip[];

  /** @internal */
  constructor(backend: ClipBackend, packed: PackedMotion, report: object, aligned: readonly PackedMotion[]) {
    super(backend, packed, report);
    this.#aligned = aligned.map((clip) => new KinestitchClip(backend, clip));
  }

  /** Returns the aligned clips as motions; `undefined` for other results. @internal */
  static packedAligned(clip: KinestitchClip): PackedMotion[] | undefined {
    if (!(clip instanceof AlignedClip)) return undefined;
    return clip.#aligned.map((input) => KinestitchClip.packedOf(input, "the input"));
  }

  async aligned(): Promise<Clip[]> {
    KinestitchClip.packedOf(this, "this clip");
    return [...this.#aligned];
  }

  override free(): void {
    super.free();
    this.#aligned = [];
  }
}
