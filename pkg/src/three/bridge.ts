/** Bridges: transitions between two clips that `stitch` computes, in the worker or on this thread. */
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
  /** Maximum duration that may be cut off each clip, seconds. */
  maxCut: number;
  join: JoinOptions | "auto";
  signal?: AbortSignal;
}

/** A transition between two clips, computed by `stitch` before it is played. */
export class Bridge {
  /** Frame of the first clip that is frame 0 of the stitched motion; the bridge begins `range.from` frames later. */
  readonly from: number;
  /** First frame of the second clip that the bridge does not change. */
  readonly to: number;
  /**
   * Frames of the stitched motion that differ from both clips. The frame `to`, which is excluded, is the last one
   * played.
   */
  readonly range: FrameRange;
  readonly join: JoinOptions;
  readonly #joints: number;
  readonly #rotations: Float32Array;
  readonly #positions: Float32Array;
  readonly #restPose: Pose;
  readonly #convertPose: ReturnType<typeof createPoser>;
  readonly #poses = new Map<number, Pose>();

  private constructor(
    body: Body,
    restPose: Pose,
    { trim: [first, second] }: JoinedClips,
    { frames, seams }: StitchResult,
    values: readonly [Float32Array, Float32Array],
  ) {
    const seam = seams[0] as Seam;
    this.#restPose = restPose;
    [this.#rotations, this.#positions] = values;
    this.#joints = values[0].length / 4 / frames;
    this.#convertPose = createPoser(body.character, body.hips);
    const end = Math.min(frames - 1, Math.max(seam.editedRange.to, seam.frame));
    this.range = { from: Math.min(seam.editedRange.from, seam.frame), to: end };
    this.from = first.from;
    this.to = second.to - 1 - (frames - 1 - end);
    this.join = seam.options ?? ({ method: seam.method } as JoinOptions);
  }

  /** Computes a bridge. `restPose`: pose of the bones that the clips do not move. */
  static async create(stitch: Stitch, body: Body, restPose: Pose, joined: JoinedClips): Promise<Bridge> {
    const { clips, trim, maxCut, join, signal } = joined;
    const motion = await stitch(clips, {
      trim,
      maxCut,
      ...(join === "auto" ? { method: "auto" as const } : { method: "inertialize" as const, seams: [join] }),
      ...(signal && { signal }),
    });
    try {
      const values = await Promise.all([motion.rotations(), motion.positions()]);
      return new Bridge(body, restPose, joined, motion, values);
    } finally {
      motion.free();
    }
  }

  /** Returns the pose at a frame, which may be fractional. */
  poseAt(frame: number): Pose {
    const lowerFrame = Math.max(0, Math.min(Math.floor(frame), this.range.to));
    const first = this.#cachedPose(lowerFrame);
    return lowerFrame === frame
      ? first
      : blendPoses(first, this.#cachedPose(Math.min(lowerFrame + 1, this.range.to)), frame - lowerFrame);
  }

  #cachedPose(frame: number): Pose {
    const cached = this.#poses.get(frame);
    if (cached) return cached;
    const pose = { rotations: [...this.#restPose.rotations], positions: [...this.#restPose.positions] };
    const [rotationWidth, positionWidth] = [this.#joints * 4, this.#joints * 3];
    this.#convertPose(
      this.#rotations.subarray(frame * rotationWidth, (frame + 1) * rotationWidth),
      this.#positions.subarray(frame * positionWidth, (frame + 1) * positionWidth),
      (bone, rotation, position) => {
        pose.rotations[bone] = rotation;
        if (position) pose.positions[bone] = position;
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
  /** Headings of the model's root in the bridge, at the start and at the end of the playback, radians. */
  readonly #headings: readonly [number, number];

  /** `startPose` and `endPose`: poses of the model relative to its root at the start and at the end of the bridge. */
  constructor(body: Body, bridge: Bridge, start: number, startPose: Pose, endPose: Pose) {
    this.#body = body;
    this.bridge = bridge;
    this.start = start;
    const first = body.headingBetween(startPose, bridge.poseAt(start));
    const last = body.headingBetween(endPose, bridge.poseAt(bridge.range.to));
    this.#headings = [first, first + wrapAngle(last - first)];
  }

  get seconds(): number {
    return (this.bridge.range.to - this.start) / RATE;
  }

  /** Returns the pose and the ground pose of its root, `seconds` after the start. */
  sample(seconds: number): { pose: Pose; ground: GroundPose } {
    const frame = Math.min(this.bridge.range.to, this.start + seconds * RATE);
    const pose = this.bridge.poseAt(frame);
    const { x, z } = this.#body.hipsGround(pose);
    const weight = this.seconds > 0 ? Math.min(1, seconds / this.seconds) : 1;
    const [from, to] = this.#headings;
    const { heading } = interpolate({ x, z, heading: from }, { x, z, heading: to }, weight);
    return { pose, ground: { x, z, heading } };
  }

  velocityAt(seconds: number, step: number): GroundPose {
    const start = Math.max(0, Math.min(seconds, this.seconds - step));
    const { x, z, heading } = relativePose(this.sample(start).ground, this.sample(start + step).ground);
    return { x: x / step, z: z / step, heading: heading / step };
  }

  /** Returns the pose relative to its root. */
  inPlace(seconds: number): Pose {
    const { pose, ground } = this.sample(seconds);
    return this.#body.relativeTo(pose, ground);
  }
}
