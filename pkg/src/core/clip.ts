/**
 * `Clip` over bytes in ordinary memory: wasm memory holds a motion only during computations, so unused motions are
 * freed by the garbage collector.
 */
import type { ClipHandle } from "../../wasm/kinestitch.js";
import { dataHandle, isMotionData } from "./data.js";
import { freed, callWasm, callLiveWasm, KinestitchError } from "./error.js";
import { checked, phaseObject, text, texts, wrongOption } from "./options.js";
import { DISPOSE, PACKED, type Packed } from "./packed.js";
import { platform } from "./platform.js";
import { quote } from "./quote.js";
import { lightModule, type RestartableModule } from "./restart.js";
import type {
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
} from "./types.js";

/** Prefix of this thread's motion ids, which makes ids unique across threads. */
const thread = Math.random().toString(36).slice(2);
let count = 0;

/** Packs the motion of a handle of any module, and frees the handle. */
export function pack(
  handle: Pick<ClipHandle, "name" | "frames" | "fps" | "kind" | "pack" | "free">,
  module: RestartableModule = lightModule,
): Packed {
  return freed(handle, ({ name, frames, fps, kind }) => {
    const bytes = callWasm(() => handle.pack(), module) as Uint8Array<ArrayBuffer>;
    return { id: `${thread}-${++count}`, name, frames, fps, kind: kind as ClipInfo["kind"], bytes };
  });
}

/**
 * Throws if the loaded module lacks `method`; the module of `kinestitch/small` lacks most methods.
 *
 * @param name The public method, for the message.
 */
function requireMethod(handle: ClipHandle, method: keyof ClipHandle & string, name: string = method): void {
  if (handle[method] === undefined)
    throw new KinestitchError(
      "wasm",
      `kinestitch/small only reads and shows motions (no ${name}); import "kinestitch/worker"`,
    );
}

function number(value: unknown, what: string): number {
  if (typeof value === "number") return value;
  throw wrongOption(what, `${what} must be a number, not ${String(value)}`);
}

/** The clip of the entry points that run on the calling thread. Its motion is stored as bytes ({@link Packed}). */
export class KinestitchClip implements Clip {
  #packed: Packed | undefined;
  readonly name: string;
  readonly frames: number;
  readonly fps: number;

  /** @internal */
  constructor(packed: Packed) {
    this.#packed = packed;
    this.name = packed.name;
    this.frames = packed.frames;
    this.fps = packed.fps;
  }

  /** Returns the motion of a clip; `what` names the value in errors. @internal */
  static packedOf(clip: unknown, what: string): Packed {
    if (!(typeof clip === "object" && clip !== null && PACKED in clip)) {
      throw wrongOption("clips", `${what} is not a clip made by load or stitch of this module`);
    }
    const packed = (clip as { [PACKED]?: Packed })[PACKED];
    if (packed) return packed;
    throw new KinestitchError("clip", `${what} (${quote((clip as unknown as Clip).name)}) was freed`);
  }

  /** The motion, by which functions of all entries accept each other's clips. @internal */
  get [PACKED](): Packed | undefined {
    return this.#packed;
  }

  free(): void {
    this.#packed = undefined;
  }

  [DISPOSE](): void {
    this.free();
  }

  info(): ClipInfo {
    return this.#ask((handle) => handle.info() as ClipInfo);
  }

  positions(): Float32Array {
    return this.#ask((handle) => handle.positions());
  }

  rotations(): Float32Array {
    return this.#ask((handle) => handle.rotations());
  }

  curves(): ClipCurves {
    return this.#ask((handle) => handle.curves() as ClipCurves);
  }

  phases(options?: PhaseOptions): LimbPhases[] {
    const checkedOptions = checked<PhaseOptions>("phases", { joints: texts, object: phaseObject }, options);
    return this.#ask((handle) => {
      requireMethod(handle, "phases");
      return handle.phases(checkedOptions) as LimbPhases[];
    });
  }

  async naturalness(options?: NaturalnessOptions): Promise<Float32Array> {
    const { set, ...task } = checked<NaturalnessOptions>("naturalness", { set: text }, options);
    const { bytes } = KinestitchClip.packedOf(this, "this clip");
    const { cpu } = await platform().networks().judge(set, task);
    return callLiveWasm(() => cpu.naturalness(bytes));
  }

  toBvh(): string {
    return this.#ask((handle) => handle.toBvh());
  }

  toGlb(): Uint8Array<ArrayBuffer> {
    return this.#ask((handle) => handle.toGlb() as Uint8Array<ArrayBuffer>);
  }

  resample(fps: number): Clip {
    return this.#derived("resample", (handle) => handle.resample(number(fps, "fps")));
  }

  withRig(edits: RigEdits): Clip {
    const isNames = typeof edits === "object" && edits !== null;
    const entries = isNames ? Object.entries(edits).filter(([, joint]) => joint !== undefined) : [];
    if (!isNames || entries.some(([, name]) => name !== null && typeof name !== "string")) {
      throw wrongOption("rig", "rig must be an object of roles, each with the name of a joint or null");
    }
    return this.#ask((handle) => new KinestitchClip(pack(handle.withRig(entries))));
  }

  inPlace(): Clip {
    return this.#derived("inPlace", (handle) => handle.inPlace());
  }

  retarget(target: Clip | WorkerClip | MotionData): Clip {
    const bytes = isMotionData(target) ? undefined : KinestitchClip.packedOf(target, "the target").bytes;
    return this.#ask((handle) => {
      requireMethod(handle, "retarget");
      const onto = bytes ? callWasm(() => platform().light.ClipHandle.unpack(bytes)) : dataHandle(target as MotionData);
      return freed(onto, () => new KinestitchClip(pack(callWasm(() => handle.retarget(onto)))));
    });
  }

  slice(from: number, to: number): Clip {
    return this.#derived("slice", (handle) => handle.slice(number(from, "from"), number(to, "to")));
  }

  reverse(): Clip {
    return this.#derived("reverse", (handle) => handle.reverse());
  }

  mirror(): Clip {
    return this.#derived("mirror", (handle) => handle.mirror());
  }

  timeScale(factor: number): Clip {
    return this.#derived("speed", (handle) => handle.speed(number(factor, "factor")), "timeScale");
  }

  at(seconds: number): Pose {
    return this.#ask((handle) => {
      requireMethod(handle, "at");
      const pose = handle.at(number(seconds, "seconds"));
      return freed(pose, () => ({ positions: pose.positions(), rotations: pose.rotations() }));
    });
  }

  concat(...others: (Clip | WorkerClip)[]): Clip {
    const { ClipHandle } = platform().light;
    const all = others.map((other, index) => KinestitchClip.packedOf(other, `clip ${index + 1}`));
    return this.#derived("concat", (handle) => handle.concat(all.map(({ bytes }) => ClipHandle.unpack(bytes))));
  }

  rootMotion(): RootMotion {
    const path = this.#ask((handle) => {
      requireMethod(handle, "rootPath", "rootMotion");
      return handle.rootPath();
    });
    return { clip: this.inPlace(), path };
  }

  rootMotionFromFeet(): Clip {
    return this.#derived("fromFeet", (handle) => handle.fromFeet(), "rootMotionFromFeet");
  }

  /** Returns the result of a wasm method; throws if the module lacks the method. `name`: the public method. */
  #derived(method: keyof ClipHandle & string, make: (handle: ClipHandle) => ClipHandle, name: string = method): Clip {
    return this.#ask((handle) => {
      requireMethod(handle, method, name);
      return new KinestitchClip(pack(make(handle)));
    });
  }

  /** Calls a function with the motion in wasm, and frees the wasm memory afterwards. */
  #ask<T>(question: (handle: ClipHandle) => T): T {
    const { bytes } = KinestitchClip.packedOf(this, "this clip");
    return freed(
      callWasm(() => platform().light.ClipHandle.unpack(bytes)),
      (handle) => callWasm(() => question(handle)),
    );
  }
}
