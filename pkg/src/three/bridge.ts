/** Bridges: transitions between two clips that `stitch` computes, in the worker or on this thread. */
import { createPoser } from "../bones/character.js";
import type { Vector } from "../bones/rotation.js";
import type { Clip, FrameRange, Seam, StitchOptions, JoinOptions } from "../core/types.js";
import { type Body, blendPoses, type Pose } from "./body.js";
import { type Motion, type TargetMotion, RATE } from "./clip-motion.js";
import { compose, relativePose, type GroundPose, interpolate, wrapAngle } from "./ground.js";

/** Result of `stitch` of `kinestitch` or `kinestitch/worker`. */
export interface StitchResult {
  readonly frames: number;
  readonly seams: readonly Seam[];
  rotations(): Float32Array | Promise<Float32Array>;
  positions(): Float32Array | Promise<Float32Array>;
  free(): void;
}

/** `stitch` of `kinestitch` or `kinestitch/worker`. */
export type Stitch = (clips: readonly Clip[], options: StitchOptions) => Promise<StitchResult>;

/** Decay time of the offset after a bridge, seconds; it is small. */
export const BRIDGE_FADE = 0.1;

/** Distance from its last place up to which a body counts as stopped, in heights of the hips. */
const STOPPED = 0.06;

/** Two clips to be joined, in frames at {@link RATE} fps. */
export interface JoinedClips {
  clips: readonly [Clip, Clip];
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
  /** Frame from which the body stays near its place at the end of the bridge. */
  readonly stopFrame: number;
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
    this.stopFrame = this.#findStop(body);
  }

  #findStop(body: Body): number {
    const hipsAt = (frame: number): Vector => body.worldTransform(this.poseAt(frame), body.hips).position;
    const [endX, , endZ] = hipsAt(this.range.to);
    for (let frame = this.range.to - 1; frame >= this.range.from; frame--) {
      const [x, , z] = hipsAt(frame);
      if (Math.hypot(x - endX, z - endZ) > STOPPED * body.hipsHeight) return frame + 1;
    }
    return this.range.from;
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

/** The clips that a bridge joins, and the time in the second one at its end, seconds. */
export interface BridgeEnds {
  from: Motion;
  to: Motion;
  landing: number;
}

/** Heading of the model, and position of its hips relative to the model. */
interface Placement {
  heading: number;
  hips: Vector;
}

/** Plays a bridge from a frame to its end. */
export class BridgePlayback implements TargetMotion {
  readonly bridge: Bridge;
  readonly start: number;
  readonly ends: BridgeEnds;
  readonly #body: Body;
  readonly #isStraight: boolean;
  /** Placement of the body in the model at the first and the last frame of the bridge. */
  readonly #placements: readonly [Placement, Placement];
  /** Pose of the second clip at the end. */
  readonly #landingPose: Pose;

  constructor(body: Body, bridge: Bridge, start: number, ends: BridgeEnds) {
    this.#body = body;
    this.bridge = bridge;
    this.start = start;
    this.ends = ends;
    const { from, to, landing } = ends;
    this.#isStraight = from.gait.isStraight && to.gait.isStraight;
    this.#landingPose = to.inPlace(landing);
    const place = (pose: Pose, frame: number): Placement => ({
      heading: body.headingBetween(pose, bridge.poseAt(frame)),
      hips: body.worldTransform(pose, body.hips).position,
    });
    const first = place(from.inPlace((bridge.from + bridge.range.from) / RATE), bridge.range.from);
    const last = place(this.#landingPose, bridge.range.to);
    this.#placements = [first, { ...last, heading: first.heading + wrapAngle(last.heading - first.heading) }];
  }

  get seconds(): number {
    return (this.bridge.range.to - this.start) / RATE;
  }

  /** Returns the pose and the ground pose of the model in it, `seconds` after the start. */
  sample(seconds: number): { pose: Pose; ground: GroundPose } {
    const { range } = this.bridge;
    const frame = Math.min(range.to, this.start + seconds * RATE);
    const pose = this.bridge.poseAt(frame);
    const length = range.to - range.from;
    const weight = length > 0 ? Math.min(1, Math.max(0, (frame - range.from) / length)) : 1;
    const [first, last] = this.#placements;
    const placed = interpolate(toGround(first), toGround(last), weight);
    const hips = this.#body.worldTransform(pose, this.#body.hips).position;
    const offset = compose({ x: 0, z: 0, heading: placed.heading }, { ...placed, heading: 0 });
    return { pose, ground: { x: hips[0] - offset.x, z: hips[2] - offset.z, heading: placed.heading } };
  }

  /**
   * Returns the movement of the model between two ground poses of the bridge. Between clips that go straight on, the
   * model keeps its heading, whatever the directions of the clips in the joined motion are.
   */
  movement(from: GroundPose, to: GroundPose): GroundPose {
    const movement = relativePose(from, to);
    return this.#isStraight ? { ...movement, heading: 0 } : movement;
  }

  velocityAt(seconds: number, step: number): GroundPose {
    const start = Math.max(0, Math.min(seconds, this.seconds - step));
    const { x, z, heading } = this.movement(this.sample(start).ground, this.sample(start + step).ground);
    return { x: x / step, z: z / step, heading: heading / step };
  }

  /** Returns the pose relative to its root. */
  inPlace(seconds: number): Pose {
    const { pose, ground } = this.sample(seconds);
    return this.place(pose, ground);
  }

  /** Returns a pose of the bridge relative to its ground pose. */
  place(pose: Pose, ground: GroundPose): Pose {
    return this.#body.withCarriersOf(this.#body.relativeTo(pose, ground), this.#landingPose, this.ends.to.gait.body);
  }
}

const toGround = ({ heading, hips: [x, , z] }: Placement): GroundPose => ({ x, z, heading });
