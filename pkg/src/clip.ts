/** `Clip` over a handle into wasm memory; wasm-bindgen's own FinalizationRegistry frees it. */
import type { ClipHandle } from "../wasm/kinestitch.js";
import { guarded, KinestitchError } from "./error.js";
import { roles } from "./roles.js";
import type { Clip, ClipCurves, ClipInfo, JointInfo, RigEdits, RigMap } from "./types.js";

export class KinestitchClip implements Clip {
  readonly #handle: ClipHandle;
  readonly name: string;
  readonly frames: number;
  readonly fps: number;

  /** @internal */
  constructor(handle: ClipHandle) {
    this.#handle = handle;
    this.name = handle.name;
    this.frames = handle.frames;
    this.fps = handle.fps;
  }

  /** The wasm handle of a clip of this module. @internal */
  static handleOf(clip: Clip, what: string): ClipHandle {
    if (typeof clip === "object" && clip !== null && #handle in clip) return clip.#handle;
    throw new KinestitchError("option", `${what} is not a clip made by load or stitch of this module`);
  }

  /** Frees the wasm memory now, for owners that know when. @internal */
  release(): void {
    this.#handle.free();
  }

  info(): ClipInfo {
    const handle = this.#handle;
    const joints = jointInfos(handle);
    return {
      name: this.name,
      joints,
      frames: this.frames,
      fps: this.fps,
      seconds: handle.seconds,
      unit: handle.unit as ClipInfo["unit"],
      metresPerUnit: handle.metresPerUnit,
      upAxis: handle.upAxis as ClipInfo["upAxis"],
      kind: handle.kind as ClipInfo["kind"],
      rig: rigMap(handle.rigJoints(), joints),
      warnings: handle.warnings(),
    };
  }

  positions(): Float32Array {
    return guarded(() => this.#handle.positions());
  }

  rotations(): Float32Array {
    return guarded(() => this.#handle.rotations());
  }

  curves(): ClipCurves {
    return guarded(() => {
      const curves = this.#handle.curves();
      const result: ClipCurves = {
        footSpeed: [curves.leftSpeed(), curves.rightSpeed()],
        contact: [curves.leftContact(), curves.rightContact()],
        jerk: curves.jerk(),
      };
      curves.free();
      return result;
    });
  }

  toBvh(): string {
    return guarded(() => this.#handle.toBvh());
  }

  toGlb(): Uint8Array {
    return guarded(() => this.#handle.toGlb());
  }

  resample(fps: number): Clip {
    return new KinestitchClip(guarded(() => this.#handle.resample(fps)));
  }

  withRig(edits: RigEdits): Clip {
    const entries = Object.entries(edits).filter(([, joint]) => joint !== undefined);
    const indices = entries.map(([role]) => roleIndex(role));
    const names = entries.map(([, joint]) => joint);
    if (names.some((name) => name !== null && typeof name !== "string")) {
      throw new KinestitchError("option", "a role is given the name of a joint, or null");
    }
    return new KinestitchClip(guarded(() => this.#handle.withRig(Uint8Array.from(indices), names)));
  }
}

function roleIndex(role: string): number {
  const index = (roles as readonly string[]).indexOf(role);
  if (index < 0) throw new KinestitchError("option", `there is no role "${role}"; roles are ${roles.join(", ")}`);
  return index;
}

function jointInfos(handle: ClipHandle): JointInfo[] {
  const parents = handle.jointParents();
  const offsets = handle.jointOffsets();
  return handle.jointNames().map((name, joint) => {
    const [x = 0, y = 0, z = 0] = offsets.subarray(joint * 3, joint * 3 + 3);
    return { name, parent: parents[joint] ?? -1, offset: [x, y, z] };
  });
}

function rigMap(roleJoints: Int32Array, joints: JointInfo[]): RigMap {
  const rig: RigMap = {};
  roles.forEach((role, index) => {
    const joint = joints[roleJoints[index] ?? -1];
    if (joint) rig[role] = joint.name;
  });
  return rig;
}
