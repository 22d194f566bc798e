/** Projects the poses of a motion to a picture plane, as stick figures seen by a fixed camera. */
import { dot, type Vector } from "../bones/rotation.js";
import type { Clip, ClipInfo, Role } from "../core/types.js";

/** Names of view directions. */
export const views = ["side", "front", "quarter", "top"] as const;
/** One of {@link views}. */
export type View = (typeof views)[number];

/** Side of the body of a bone; selects its colour. */
export type Side = "left" | "right" | "middle";

/** A bone of one pose on the picture plane, metres; y points up. */
export interface Bone {
  from: Point;
  to: Point;
  side: Side;
}

/** A point of the picture plane, metres. */
export interface Point {
  x: number;
  y: number;
}

/**
 * Minimum travel of a motion that is viewed relative to its direction of travel, metres; other motions are viewed
 * relative to the facing direction of the body.
 */
const MIN_TRAVEL = 0.5;
/** The quarter view: rotation about the vertical axis, and elevation; radians. */
const QUARTER_YAW = 0.6;
const QUARTER_PITCH = 0.25;

/** Poses of one clip as bones on the picture plane. */
export class Figures {
  readonly frames: number;
  readonly #positions: Float32Array;
  readonly #joints: number;
  /** Joint whose position is the position of the figure: the hips, or else the first root. */
  readonly #root: number;
  readonly #bones: { joint: number; parent: number; side: Side }[];
  readonly #right: Vector;
  readonly #up: Vector;

  constructor(clip: Pick<Clip, "frames" | "info" | "positions">, view: View) {
    const info = clip.info();
    this.frames = clip.frames;
    this.#positions = clip.positions();
    this.#joints = info.joints.length;
    this.#root = Math.max(0, indexOf(info, "Hips"));
    // Some files have joints above the hips that stay at the origin of the world.
    const carriers = new Set<number>();
    for (let joint = this.#root; joint >= 0; joint = info.joints[joint]?.parent ?? -1) carriers.add(joint);
    this.#bones = info.joints.flatMap(({ parent }, joint) =>
      parent < 0 || carriers.has(joint) ? [] : [{ joint, parent, side: sideOf(joint, info) }],
    );
    const forward = this.#forward(info);
    [this.#right, this.#up] = pictureAxes(view, forward);
  }

  /** Returns the bones of a pose on the picture plane. */
  bones(frame: number): Bone[] {
    return this.#bones.map(({ joint, parent, side }) => ({
      from: this.#project(frame, parent),
      to: this.#project(frame, joint),
      side,
    }));
  }

  /** Returns the point on the ground below the hips, on the picture plane. */
  groundPoint(frame: number): Point {
    const [x, , z] = this.#position(frame, this.#root);
    return { x: dot([x, 0, z], this.#right), y: dot([x, 0, z], this.#up) };
  }

  #position(frame: number, joint: number): Vector {
    const start = (frame * this.#joints + joint) * 3;
    const [x = 0, y = 0, z = 0] = this.#positions.subarray(start, start + 3);
    return [x, y, z];
  }

  #project(frame: number, joint: number): Point {
    const point = this.#position(frame, joint);
    return { x: dot(point, this.#right), y: dot(point, this.#up) };
  }

  /**
   * Returns a unit vector on the ground: the direction of travel, or, if the body hardly travels, its facing in the first
   * frame; +z if that is unknown.
   */
  #forward(info: ClipInfo): Vector {
    if (this.frames > 0 && this.#joints > 0) {
      const [first, last] = [this.#position(0, this.#root), this.#position(this.frames - 1, this.#root)];
      const travel: Vector = [last[0] - first[0], 0, last[2] - first[2]];
      if (Math.hypot(travel[0], travel[2]) > MIN_TRAVEL) return normalize(travel);
      const [left, right] = [indexOf(info, "LeftUpLeg"), indexOf(info, "RightUpLeg")];
      if (left >= 0 && right >= 0) {
        const [a, b] = [this.#position(0, left), this.#position(0, right)];
        // Thighs that start at the same point have no facing.
        if (a[0] !== b[0] || a[2] !== b[2]) return normalize([-(a[2] - b[2]), 0, a[0] - b[0]]);
      }
    }
    return [0, 0, 1];
  }
}

/** Returns the right and up axes of the picture in world coordinates. */
function pictureAxes(view: View, [x, , z]: Vector): [Vector, Vector] {
  const forward: Vector = [x, 0, z];
  if (view === "side") return [forward, [0, 1, 0]];
  const across: Vector = [z, 0, -x];
  if (view === "front") return [across, [0, 1, 0]];
  if (view === "top") return [forward, across];
  const [sin, cos] = [Math.sin(QUARTER_YAW), Math.cos(QUARTER_YAW)];
  const right: Vector = [cos * forward[0] + sin * across[0], 0, cos * forward[2] + sin * across[2]];
  const away: Vector = [right[2], 0, -right[0]];
  const [low, high] = [Math.sin(QUARTER_PITCH), Math.cos(QUARTER_PITCH)];
  return [right, [low * away[0], high, low * away[2]]];
}

/** Returns the side of a joint, from the role of the joint or of its nearest ancestor with a role. */
function sideOf(joint: number, { joints, rig }: ClipInfo): Side {
  const roles = new Map(Object.entries(rig).map(([role, name]) => [name, role]));
  for (let ancestor = joint; ancestor >= 0; ancestor = joints[ancestor]?.parent ?? -1) {
    const role = roles.get(joints[ancestor]?.name ?? "");
    if (role !== undefined) return role.startsWith("Left") ? "left" : role.startsWith("Right") ? "right" : "middle";
  }
  return "middle";
}

/** Returns the joint index of a role; -1 if the role is not mapped. */
const indexOf = ({ joints, rig }: ClipInfo, role: Role): number => joints.findIndex(({ name }) => name === rig[role]);

function normalize([x, y, z]: Vector): Vector {
  const length = Math.hypot(x, y, z) || 1;
  return [x / length, y / length, z / length];
}
