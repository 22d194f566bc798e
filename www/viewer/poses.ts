/** Data that the viewer displays, shared by the page and the player element. */
import type { Puppet } from "./puppet";
import type { FrameRange, JointInfo, RigMap, Role, Clip } from "kinestitch/worker";

/** Poses of a motion. */
export interface Poses {
  name: string;
  frames: number;
  fps: number;
  joints: JointInfo[];
  rig: RigMap;
  /** World joint positions, metres, Y up: [frames × joints × 3]. */
  positions: Float32Array;
}

/** Skeleton of a figure. */
export interface Skeleton {
  joints: JointInfo[];
  rig: RigMap;
  /** Estimated height of the figure, metres; see {@link heightOf}. */
  height: number;
}

/** Returns the skeleton of a motion, with the height of the figure. */
export const skeletonOf = (poses: Poses): Skeleton => ({
  joints: poses.joints,
  rig: poses.rig,
  height: heightOf(poses),
});

/** A motion with the data that may be drawn around it. */
export interface DisplayedMotion {
  motion: Poses;
  /** Contacts of the left and the right foot: 1 in frames in which the foot touches the ground. Empty without feet. */
  contact: Uint8Array[];
  /**
   * Source clips of the motion, with the first frame of each. Those with poses are also shown as ghosts. Empty for a
   * plain clip.
   */
  segments: { poses?: Poses; start: number; color: string }[];
  /** Seams: the first frame of the incoming clip, and the range of frames that the blend changed. */
  seams: { frame: number; editedRange: FrameRange }[];
  /** Whether seams are not marked on the ground. */
  hidesSeamMarks?: boolean;
  /** The motion in the worker, to be retargeted to a character. */
  clip?: Pick<Clip, "retarget">;
  /** Character that replaces the default figure. */
  body?: CharacterBody;
}

/** A character that plays the motion. */
export interface CharacterBody {
  /** Creates an instance for display. */
  puppet(): Puppet;
}

/** Returns the index of the joint with a role; -1 if there is none. */
export function jointOf(poses: Pick<Poses, "joints" | "rig">, role: Role): number {
  const name = poses.rig[role];
  return name === undefined ? -1 : poses.joints.findIndex((joint) => joint.name === name);
}

/**
 * Returns the hips and all joints above them in the hierarchy, such as a root that stays at the origin. The lines to
 * these joints are not bones of the body.
 */
export function jointsToHips(poses: Pick<Poses, "joints" | "rig">): Set<number> {
  const joints = new Set<number>();
  for (let j = jointOf(poses, "Hips"); j >= 0; j = poses.joints[j].parent) joints.add(j);
  return joints;
}

/** Returns the bones of the body as pairs of joints. */
export function bonesOf(poses: Pick<Poses, "joints" | "rig">): [parent: number, joint: number][] {
  const toHips = jointsToHips(poses);
  return poses.joints.flatMap(({ parent }, joint): [number, number][] =>
    parent < 0 || toHips.has(joint) ? [] : [[parent, joint]],
  );
}

/** Returns the index of the root, the joint that carries the figure: the hips, or else the first joint. */
export const rootOf = (poses: Poses): number => Math.max(0, jointOf(poses, "Hips"));

/**
 * Estimates the height of the figure, metres: the vertical extent of its first pose, or 0.9 times the length of its
 * longest chain of bones if that is more, as for a figure that begins lying down.
 */
export function heightOf(poses: Poses): number {
  const { joints, positions } = poses;
  let minY = Infinity;
  let maxY = -Infinity;
  for (let j = 0; j < joints.length && positions.length; j++) {
    minY = Math.min(minY, positions[j * 3 + 1]);
    maxY = Math.max(maxY, positions[j * 3 + 1]);
  }
  const chainLengths: number[] = [];
  joints.forEach(({ parent, offset }, j) => {
    chainLengths[j] = parent < 0 ? 0 : chainLengths[parent] + Math.hypot(...offset);
  });
  return Math.max(0.05, maxY - minY || 0, Math.max(0, ...chainLengths) * 0.9);
}

/** Writes the pose at a frame into `out`, [joints × 3]. Between two frames, positions are interpolated linearly. */
export function poseAt(poses: Poses, frame: number, out: Float32Array): void {
  const size = poses.joints.length * 3;
  const previous = Math.max(0, Math.min(poses.frames - 1, Math.floor(frame)));
  const next = Math.min(poses.frames - 1, previous + 1);
  const fraction = Math.max(0, Math.min(1, frame - previous));
  const { positions } = poses;
  const [previousOffset, nextOffset] = [previous * size, next * size];
  for (let k = 0; k < size; k++) {
    const start = positions[previousOffset + k];
    out[k] = start + (positions[nextOffset + k] - start) * fraction;
  }
}

/**
 * Computes the root's path, smoothed over about half a second, so that a camera follows it without shake: x, z and
 * height, [frames × 3].
 */
export function smoothRootPath(poses: Poses): Float32Array {
  const { frames, positions, joints, fps } = poses;
  const root = rootOf(poses);
  const path = new Float32Array(frames * 3);
  const maxHalfWidth = Math.max(1, Math.round(fps * 0.3));
  for (const [column, axis] of [0, 2, 1].entries()) {
    const rootCoordinate = (frame: number): number => positions[(frame * joints.length + root) * 3 + axis];
    let sum = 0;
    let [from, to] = [0, 0];
    for (let frame = 0; frame < frames; frame++) {
      // A symmetric window, narrower at the ends, so that a standing start stays in place.
      const halfWidth = Math.min(maxHalfWidth, frame, frames - 1 - frame);
      while (to <= frame + halfWidth) sum += rootCoordinate(to++);
      while (from < frame - halfWidth) sum -= rootCoordinate(from++);
      path[frame * 3 + column] = sum / (to - from);
    }
  }
  return path;
}
