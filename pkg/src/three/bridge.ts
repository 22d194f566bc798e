/** Bridges: motions between two clips that `stitch` makes in the worker or on this thread. */
import { createPoser } from "../bones/character.js";
import type { FrameRange, Seam, StitchOptions, JoinOptions, WorkerClip } from "../core/types.js";
import { type Body, blendPoses, type Pose } from "./body.js";
import { type TargetMotion, RATE } from "./clip-motion.js";
import { relativePose, type GroundPose, interpolate, wrapAngle } from "./ground.js";

/** Result of `stitch` of `kinestitch` or `kinestitch/worker`. */
export interface StitchResult {
  readonly frames: number;
  readonly seams: readonly Seam[];
  rotations(): Float32Array | Promise<Float32Array>;
  positions(): Float32Array | Promise<Float32Array>;
  free(): void;
}

/** `stitch` of `kinestitch` or `kinestitch/worker`. */
export type Stitch = (clips: readonly WorkerClip[], options: StitchOptions) => Promise<StitchResult>;

/** Two clips to be joined, in frames at {@link RATE} fps. */
export interface JoinedClips {
  clips: readonly [WorkerClip, WorkerClip];
  trim: [FrameRange, FrameRange];
  /** Longest duration that may be cut off a clip, seconds. */
  maxCut: number;
  join: JoinOptions | "auto";
  signal?: AbortSignal;
}

/** A stitched transition between two clips, computed before it is played. */
export class Bridge {
  /** Frame of the first clip at the start of the bridge. */
  readonly from: number;
  /** First frame of the second clip that the bridge does not change. */
  readonly to: number;
  /** Frames of the stitched motion that belong to neither clip. */
  readonly range: FrameRange;
  readonly join: JoinOptions;
  readonly #joints: number;
  readonly #rotations: Float32Array;
  readonly #positions: Float32Array;
  readonly #restPose: Pose;
  readonly #pose: ReturnType<typeof createPoser>;
  readonly #poses = new Map<number, Pose>();

  private constructor(
    body: Body,
    home: Pose,
    { trim: [first, second] }: JoinedClips,
    { frames, seams }: StitchResult,
    values: readonly [Float32Array, Float32Array],
  ) {
    const seam = seams[0] as Seam;
    this.#restPose = home;
    [this.#rotations, this.#positions] = values;
    this.#joints = values[0].length / 4 / frames;
    this.#pose = createPoser(body.character, body.hips);
    const end = Math.min(frames - 1, Math.max(seam.editedRange.to, seam.frame));
    this.range = { from: Math.min(seam.editedRange.from, seam.frame), to: end };
    this.from = first.from;
    this.to = second.to - 1 - (frames - 1 - end);
    this.join = seam.options ?? ({ method: seam.method } as JoinOptions);
  }

  /** Computes a bridge. `home`: pose of bones that the clips do not move. */
  static async create(stitch: Stitch, body: Body, home: Pose, joined: JoinedClips): Promise<Bridge> {
    const { clips, trim, maxCut, join, signal } = joined;
    const motion = await stitch(clips, {
      trim,
      maxCut,
      ...(join === "auto" ? { method: "auto" as const } : { method: "inertialize" as const, seams: [join] }),
      ...(signal && { signal }),
    });
    const values = await Promise.all([motion.rotations(), motion.positions()]);
    motion.free();
    return new Bridge(body, home, joined, motion, values);
  }

  /** Returns the pose at a frame, which may be fractional. */
  poseAt(frame: number): Pose {
    const whole = Math.max(0, Math.min(Math.floor(frame), this.range.to));
    const first = this.#cachedPose(whole);
    return whole === frame
      ? first
      : blendPoses(first, this.#cachedPose(Math.min(whole + 1, this.range.to)), frame - whole);
  }

  #cachedPose(frame: number): Pose {
    const cached = this.#poses.get(frame);
    if (cached) return cached;
    const pose = { rotations: [...this.#restPose.rotations], positions: [...this.#restPose.positions] };
    const [rotationWidth, positionWidth] = [this.#joints * 4, this.#joints * 3];
    this.#pose(
      this.#rotations.subarray(frame * rotationWidth, (frame + 1) * rotationWidth),
      this.#positions.subarray(frame * positionWidth, (frame + 1) * positionWidth),
      (bone, rotation, place) => {
        pose.rotations[bone] = rotation;
        if (place) pose.positions[bone] = place;
      },
    );
    // Only two neighbouring frames are read repeatedly, so the cache stays small.
    if (this.#poses.size > 4) this.#poses.clear();
    this.#poses.set(frame, pose);
    return pose;
  }
}

/** Plays a bridge from a frame to its end. */
export class BridgePlayback implements TargetMotion {
  readonly bridge: Bridge;
  readonly start: number;
  readonly #body: Body;
  readonly #offset: readonly [number, number];

  /** `before` and `after`: poses relative to the root, at the start and at the end. */
  constructor(body: Body, bridge: Bridge, start: number, before: Pose, after: Pose) {
    this.#body = body;
    this.bridge = bridge;
    this.start = start;
    const first = body.headingBetween(before, bridge.poseAt(start));
    const last = body.headingBetween(after, bridge.poseAt(bridge.range.to));
    this.#offset = [first, first + wrapAngle(last - first)];
  }

  get seconds(): number {
    return (this.bridge.range.to - this.start) / RATE;
  }

  /** Returns the pose and the ground pose of its root, some seconds after the start. */
  sample(seconds: number): { pose: Pose; ground: GroundPose } {
    const frame = Math.min(this.bridge.range.to, this.start + seconds * RATE);
    const pose = this.bridge.poseAt(frame);
    const { x, z } = this.#body.hipsGround(pose);
    const share = this.seconds > 0 ? Math.min(1, seconds / this.seconds) : 1;
    const [from, to] = this.#offset;
    const { heading } = interpolate({ x, z, heading: from }, { x, z, heading: to }, share);
    return { pose, ground: { x, z, heading } };
  }

  speedAt(seconds: number, step: number): GroundPose {
    const from = Math.max(0, Math.min(seconds, this.seconds - step));
    const { x, z, heading } = relativePose(this.sample(from).ground, this.sample(from + step).ground);
    return { x: x / step, z: z / step, heading: heading / step };
  }

  /** Returns the pose relative to its root. */
  inPlace(seconds: number): Pose {
    const { pose, ground } = this.sample(seconds);
    return this.#body.relativeTo(pose, ground);
  }
}
