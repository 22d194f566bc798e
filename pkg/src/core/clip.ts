/**
 * The class of clips whose motion is stored as bytes in JavaScript memory: wasm memory holds a motion only during
 * computations, so the garbage collector frees unused motions.
 */
import type { ClipHandle } from "../../wasm/kinestitch.js";
import { dataHandle, isMotionData } from "./data.js";
import { freeAfter, callWasm, KinestitchError } from "./error.js";
import { grounds } from "./ground-types.js";
import { type MorphTrack, reverseMorphs, scaleMorphs, sliceMorphs } from "./morphs.js";
import { checkOptions, formatValue, oneOf, phaseObject, text, texts, wrongOption } from "./options.js";
import { DISPOSE, PACKED, type PackedMotion } from "./packed.js";
import { platform } from "./platform.js";
import { quote } from "./quote.js";
import type {
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
} from "./types.js";

/** Prefix of the ids of motions that this thread packs: makes ids unique across threads. */
const idPrefix = Math.random().toString(36).slice(2);
let packedCount = 0;

/** Packs the motion of a handle, and frees the handle. */
export function pack(handle: Pick<ClipHandle, "name" | "frames" | "fps" | "kind" | "pack" | "free">): PackedMotion {
  return freeAfter(handle, ({ name, frames, fps, kind }) => {
    const bytes = callWasm(() => handle.pack()) as Uint8Array<ArrayBuffer>;
    return { id: `${idPrefix}-${++packedCount}`, name, frames, fps, kind: kind as ClipInfo["kind"], bytes };
  });
}

/** Returns a motion with tracks of morph targets. */
export const withMorphs = (packed: PackedMotion, morphs: readonly MorphTrack[] | undefined): PackedMotion =>
  morphs && morphs.length > 0 ? { ...packed, morphs } : packed;

/**
 * Throws if the loaded module lacks `method`; the module of `kinestitch/small` lacks most methods.
 *
 * @param method Its name in the package and in the wasm module.
 */
function requireMethod(handle: ClipHandle, method: keyof ClipHandle & string): void {
  if (handle[method] === undefined)
    throw new KinestitchError(
      "wasm",
      `kinestitch/small only reads and shows motions (no ${method}); import "kinestitch/worker"`,
    );
}

function checkNumber(value: unknown, name: string): number {
  if (typeof value === "number") return value;
  throw wrongOption(name, `${name} must be a number, not ${formatValue(value)}`);
}

/**
 * The clip of the entry points that run on the calling thread. Its motion is stored as bytes ({@link PackedMotion}).
 */
export class KinestitchClip implements Clip {
  #packed: PackedMotion | undefined;
  readonly name: string;
  readonly frames: number;
  readonly fps: number;

  /** @internal */
  constructor(packed: PackedMotion) {
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
    this.#packed = undefined;
  }

  [DISPOSE](): void {
    this.free();
  }

  info(): ClipInfo {
    return this.#withHandle((handle) => handle.info() as ClipInfo);
  }

  positions(): Float32Array {
    return this.#withHandle((handle) => handle.positions());
  }

  rotations(): Float32Array {
    return this.#withHandle((handle) => handle.rotations());
  }

  curves(): ClipCurves {
    return this.#withHandle((handle) => handle.curves() as ClipCurves);
  }

  phases(options?: PhaseOptions): LimbPhases[] {
    const checkedOptions = checkOptions<PhaseOptions>("phases", { joints: texts, object: phaseObject }, options);
    return this.#withHandle((handle) => {
      requireMethod(handle, "phases");
      // In wasm, an empty list stands for the default limbs.
      if (checkedOptions.joints?.length === 0) return [];
      return handle.phases(checkedOptions) as LimbPhases[];
    });
  }

  async naturalness(options?: NaturalnessOptions): Promise<Float32Array> {
    const { set, ...task } = checkOptions<NaturalnessOptions>("naturalness", { set: text }, options);
    const { bytes } = KinestitchClip.packedOf(this, "this clip");
    const { cpu } = await platform().networks().judge(set, task);
    return callWasm(() => cpu.naturalness(bytes));
  }

  toBvh(): string {
    return this.#withHandle((handle) => handle.toBvh());
  }

  toGlb(): Uint8Array<ArrayBuffer> {
    return this.#withHandle((handle) => handle.toGlb() as Uint8Array<ArrayBuffer>);
  }

  resample(fps: number): Clip {
    return this.#derive("resample", (handle) => handle.resample(checkNumber(fps, "fps")));
  }

  withRig(edits: RigEdits): Clip {
    const isObject = typeof edits === "object" && edits !== null;
    const entries = isObject ? Object.entries(edits).filter(([, joint]) => joint !== undefined) : [];
    if (!isObject || entries.some(([, name]) => name !== null && typeof name !== "string")) {
      throw wrongOption("rig", "rig must be an object of roles, each with the name of a joint or null");
    }
    const { morphs } = KinestitchClip.packedOf(this, "this clip");
    return this.#withHandle((handle) => new KinestitchClip(withMorphs(pack(handle.withRig(entries)), morphs)));
  }

  inPlace(): Clip {
    return this.#derive("inPlace", (handle) => handle.inPlace());
  }

  retarget(target: Clip | WorkerClip | MotionData, options?: RetargetOptions): Clip {
    const { ground } = checkOptions<RetargetOptions>("retarget", { ground: oneOf(grounds) }, options);
    const bytes = isMotionData(target) ? undefined : KinestitchClip.packedOf(target, "the target").bytes;
    return this.#withHandle((handle) => {
      requireMethod(handle, "retarget");
      const targetHandle = bytes
        ? callWasm(() => platform().module.ClipHandle.unpack(bytes))
        : dataHandle(target as MotionData);
      return freeAfter(
        targetHandle,
        () => new KinestitchClip(pack(callWasm(() => handle.retarget(targetHandle, ground)))),
      );
    });
  }

  slice(from: number, to: number): Clip {
    return this.#derive(
      "slice",
      (handle) => handle.slice(checkNumber(from, "from"), checkNumber(to, "to")),
      (morphs, { frames, fps }) => sliceMorphs(morphs, from, from + (frames - 1) / fps),
    );
  }

  reverse(): Clip {
    return this.#derive(
      "reverse",
      (handle) => handle.reverse(),
      (morphs, { frames, fps }) => reverseMorphs(morphs, (frames - 1) / fps),
    );
  }

  mirror(): Clip {
    return this.#derive("mirror", (handle) => handle.mirror());
  }

  timeScale(factor: number): Clip {
    return this.#derive(
      "timeScale",
      (handle) => handle.timeScale(checkNumber(factor, "factor")),
      (morphs) => scaleMorphs(morphs, factor),
    );
  }

  at(seconds: number): Pose {
    return this.#withHandle((handle) => {
      requireMethod(handle, "at");
      const pose = handle.at(checkNumber(seconds, "seconds"));
      return freeAfter(pose, () => ({ positions: pose.positions(), rotations: pose.rotations() }));
    });
  }

  concat(...others: (Clip | WorkerClip)[]): Clip {
    const { ClipHandle } = platform().module;
    const packedClips = others.map((other, index) => KinestitchClip.packedOf(other, `clip ${index + 1}`));
    return this.#derive(
      "concat",
      (handle) => handle.concat(packedClips.map(({ bytes }) => ClipHandle.unpack(bytes))),
      () => [],
    );
  }

  rootMotion(): RootMotion {
    const path = this.#withHandle((handle) => {
      requireMethod(handle, "rootMotion");
      return handle.rootMotion();
    });
    return { clip: this.inPlace(), path };
  }

  rootMotionFromFeet(): Clip {
    return this.#derive("rootMotionFromFeet", (handle) => handle.rootMotionFromFeet());
  }

  /**
   * Creates a clip by a wasm method; throws if the module lacks the method. `changeMorphs`: makes the tracks of morph
   * targets of the new clip; without it, they are unchanged.
   */
  #derive(
    method: keyof ClipHandle & string,
    make: (handle: ClipHandle) => ClipHandle,
    changeMorphs: (morphs: readonly MorphTrack[], packed: PackedMotion) => readonly MorphTrack[] = (morphs) => morphs,
  ): Clip {
    const { morphs = [] } = KinestitchClip.packedOf(this, "this clip");
    return this.#withHandle((handle) => {
      requireMethod(handle, method);
      const packed = pack(make(handle));
      return new KinestitchClip(withMorphs(packed, morphs.length > 0 ? changeMorphs(morphs, packed) : []));
    });
  }

  /** Copies the motion to wasm, calls `use` with it, and frees it in wasm. */
  #withHandle<T>(use: (handle: ClipHandle) => T): T {
    const { bytes } = KinestitchClip.packedOf(this, "this clip");
    return freeAfter(
      callWasm(() => platform().module.ClipHandle.unpack(bytes)),
      (handle) => callWasm(() => use(handle)),
    );
  }
}
