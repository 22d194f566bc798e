/** Removes frames from a motion, and fills the gap by a method in the worker. */
import { inbetween, load } from "kinestitch/worker";
import type { ClipInfo, InbetweenOptions } from "kinestitch/worker";

/** First removed frame, and number of known frames on both sides. */
const [START, KNOWN] = [30, 10];

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

/** The frames of a motion from the last known frame before the gap to the first after it, both included. */
export interface MotionSection {
  frames: number;
  positions: Float32Array;
  rotations: Float32Array;
}

/** Reads a recorded motion. */
export async function loadMotion(address: URL): Promise<RecordedMotion> {
  const clip = await load(address);
  const [info, positions, rotations] = await Promise.all([clip.info(), clip.positions(), clip.rotations()]);
  return { clip, info, positions, rotations };
}

/** Returns the recorded frames of the gap, with a known frame on both sides. */
export function recordedSection({ info, positions, rotations }: RecordedMotion, gap: number): MotionSection {
  const joints = info.joints.length;
  const [from, to] = [START - 1, START + gap + 1];
  return {
    frames: to - from,
    positions: positions.subarray(from * joints * 3, to * joints * 3),
    rotations: rotations.subarray(from * joints * 4, to * joints * 4),
  };
}

/** Fills the gap by a method, and returns the result with a known frame on both sides. */
export async function fillGap(
  { clip, info }: RecordedMotion,
  gap: number,
  method: InbetweenOptions["method"],
): Promise<MotionSection> {
  const result = await inbetween(
    [
      { clip, from: START - KNOWN, to: START },
      { clip, from: START + gap, to: START + gap + KNOWN },
    ],
    { frames: gap, method },
  );
  const [positions, rotations] = await Promise.all([result.positions(), result.rotations()]);
  result.free();
  const joints = info.joints.length;
  const [from, to] = [KNOWN - 1, KNOWN + gap + 1];
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
  for (let at = joints * 3; at < (a.frames - 1) * joints * 3; at += 3) {
    const metres = Math.hypot(
      ...[0, 1, 2].map((axis) => (a.positions[at + axis] ?? 0) - (b.positions[at + axis] ?? 0)),
    );
    sums[(at / 3) % joints] = (sums[(at / 3) % joints] ?? 0) + (100 * metres) / (a.frames - 2);
  }
  return sums;
}

/** Computes the mean distance over all joints, cm. */
export function meanDistance(a: MotionSection, b: MotionSection): number {
  const byJoint = jointDistances(a, b);
  return byJoint.reduce((sum, value) => sum + value, 0) / byJoint.length;
}

/** Computes the angle between the rotations of a joint in two motions, degrees. */
export function rotationAngle(a: MotionSection, b: MotionSection, frame: number, joint: number): number {
  const joints = a.rotations.length / 4 / a.frames;
  const at = (frame * joints + joint) * 4;
  const dot = [0, 1, 2, 3].reduce(
    (sum, part) => sum + (a.rotations[at + part] ?? 0) * (b.rotations[at + part] ?? 0),
    0,
  );
  return (360 / Math.PI) * Math.acos(Math.min(1, Math.abs(dot)));
}
