/** Removes frames from a motion, and fills the gap by a method in the worker. */
import { inbetween, load } from "kinestitch/worker";
import type { ClipInfo, InbetweenOptions } from "kinestitch/worker";

/** First removed frame, and number of known frames on each side. */
const [GAP_START, KNOWN_FRAMES] = [30, 10];

/** A clip in the package's worker. */
export type Clip = Awaited<ReturnType<typeof load>>;

/** A recorded motion. */
export interface RecordedMotion {
  clip: Clip;
  info: ClipInfo;
  /** World joint positions, [frames × joints × 3], and local rotations, [frames × joints × 4]. */
  positions: Float32Array;
  rotations: Float32Array;
}

/**
 * Consecutive frames of a motion. The section of a gap extends from the last known frame before it to the first known
 * frame after it, both included.
 */
export interface MotionSection {
  frames: number;
  positions: Float32Array;
  rotations: Float32Array;
}

/** Reads a recorded motion. */
export async function loadMotion(url: URL): Promise<RecordedMotion> {
  const clip = await load(url);
  const [info, positions, rotations] = await Promise.all([clip.info(), clip.positions(), clip.rotations()]);
  return { clip, info, positions, rotations };
}

/** Returns the recorded frames of the gap, with one known frame on each side. */
export function recordedSection({ info, positions, rotations }: RecordedMotion, gap: number): MotionSection {
  const joints = info.joints.length;
  const [from, to] = [GAP_START - 1, GAP_START + gap + 1];
  return {
    frames: to - from,
    positions: positions.subarray(from * joints * 3, to * joints * 3),
    rotations: rotations.subarray(from * joints * 4, to * joints * 4),
  };
}

/** Fills the gap by a method, and returns the result with one known frame on each side. */
export async function fillGap(
  { clip, info }: RecordedMotion,
  gap: number,
  method: InbetweenOptions["method"],
): Promise<MotionSection> {
  const result = await inbetween(
    [
      { clip, from: GAP_START - KNOWN_FRAMES, to: GAP_START },
      { clip, from: GAP_START + gap, to: GAP_START + gap + KNOWN_FRAMES },
    ],
    { frames: gap, method },
  );
  // Freed also if it cannot be read.
  const [positions, rotations] = await Promise.all([result.positions(), result.rotations()]).finally(() =>
    result.free(),
  );
  const joints = info.joints.length;
  const [from, to] = [KNOWN_FRAMES - 1, KNOWN_FRAMES + gap + 1];
  return {
    frames: to - from,
    positions: positions.subarray(from * joints * 3, to * joints * 3),
    rotations: rotations.subarray(from * joints * 4, to * joints * 4),
  };
}

/** Computes the distance of each joint between two motions, averaged over the frames of the gap, cm. */
export function jointDistances(a: MotionSection, b: MotionSection): number[] {
  const joints = a.positions.length / 3 / a.frames;
  const sums = new Array<number>(joints).fill(0);
  for (let offset = joints * 3; offset < (a.frames - 1) * joints * 3; offset += 3) {
    const metres = Math.hypot(
      ...[0, 1, 2].map((axis) => (a.positions[offset + axis] ?? 0) - (b.positions[offset + axis] ?? 0)),
    );
    sums[(offset / 3) % joints] = (sums[(offset / 3) % joints] ?? 0) + (100 * metres) / (a.frames - 2);
  }
  return sums;
}

/** Computes the mean of {@link jointDistances} over all joints, cm. */
export function meanDistance(a: MotionSection, b: MotionSection): number {
  const byJoint = jointDistances(a, b);
  return byJoint.reduce((sum, value) => sum + value, 0) / byJoint.length;
}

/** Computes the angle between the local rotations of a joint in a frame of two motions, degrees. */
export function rotationAngle(a: MotionSection, b: MotionSection, frame: number, joint: number): number {
  const joints = a.rotations.length / 4 / a.frames;
  const offset = (frame * joints + joint) * 4;
  const dot = [0, 1, 2, 3].reduce(
    (sum, component) => sum + (a.rotations[offset + component] ?? 0) * (b.rotations[offset + component] ?? 0),
    0,
  );
  return (360 / Math.PI) * Math.acos(Math.min(1, Math.abs(dot)));
}
