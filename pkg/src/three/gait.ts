/** Finds the movement of a clip over the ground: the bone that carries it, its direction, and whether there is any. */
import type { Transform } from "../bones/rest.js";
import { halfAngleCosine, length, subtract, type Vector } from "../bones/rotation.js";
import type { Body, Pose } from "./body.js";
import { type GroundPose, wrapAngle } from "./ground.js";

/** Heading of a model that plays a clip; see `heading` of `TransitionsOptions`. */
export type Heading = "auto" | "travel" | "facing" | "asInFile";
/** Values of {@link Heading}. */
export const headings = ["auto", "travel", "facing", "asInFile"] as const;

// Distances are fractions of the height of the hips, H; angles are in radians.
/** A clip travels if its end is farther from its start: H, and H per second. */
const MIN_TRAVEL = 0.2;
const MIN_SPEED = 0.15;
/** A clip is made in place if the hips stay near their mean, and their mean is near the origin of the file: H. */
const MAX_SWAY = 0.2;
const MAX_DISTANCE = 0.4;
/** Facing of the hips up to which the axes of the file are the model's own: stances turn the hips by up to 45 degrees. */
const MAX_STANCE = 1.05;
/** Changes of heading up to which a clip goes straight: a travelling one, any other one. */
const MAX_VEER = 0.35;
const MAX_TWIST = 0.52;
/** Angle from a multiple of 90 degrees up to which the direction of travel agrees with the facing. */
const MAX_DISAGREEMENT = 0.61;
/** Position, H, and rotation, radians, up to which a bone above the hips stands still. */
const STILL_DISTANCE = 0.01;
const STILL_ANGLE = 0.02;
/** Time over which the heading of a turning clip is averaged on each side, because the hips rotate in every step; seconds. */
const TURN_SMOOTHING = 0.3;
/** Half angle of the joints below the hips up to which a loop is closed. */
const CLOSED_COSINE = Math.cos(0.05);

/** Movement of a clip over the ground. */
export interface Gait {
  /** Ground pose of the model at each sample. */
  grounds: GroundPose[];
  /** The bones that carry the movement; see `Body.relativeTo`. */
  movers: number[];
  /** The hips, and the bones beside the ones above the hips that move by themselves, such as feet at a root bone. */
  body: number[];
  /** Whether the clip moves over the ground. */
  travels: boolean;
  /** Whether the clip goes straight on, so that its heading is constant. */
  isStraight: boolean;
  /** Mean speed over the ground, H per second. */
  speed: number;
}

/** Collects the samples of a clip. */
export class GaitSamples {
  readonly #body: Body;
  readonly #chain: readonly number[];
  /** Ground poses of the bones of `#chain` at each sample, with unwrapped headings: [bones][samples]. */
  readonly #tracks: GroundPose[][];
  readonly #poses: { first: Pose | undefined; last: Pose | undefined } = { first: undefined, last: undefined };
  /** Bones beside the chain that move in their parent. */
  readonly #moving = new Set<number>();

  constructor(body: Body) {
    this.#body = body;
    this.#chain = [...body.carriers, body.hips];
    this.#tracks = this.#chain.map(() => []);
  }

  /** Adds a sample. `worlds`: transforms of all bones relative to the model. */
  add(pose: Pose, worlds: readonly Transform[]): void {
    this.#chain.forEach((bone, i) => {
      const track = this.#tracks[i] as GroundPose[];
      const ground = this.#body.groundOf(worlds[bone] as Transform, bone);
      const previous = track.at(-1)?.heading ?? ground.heading ?? 0;
      track.push({ ...ground, heading: previous + wrapAngle((ground.heading ?? previous) - previous) });
    });
    const { first } = this.#poses;
    this.#poses.first ??= pose;
    this.#poses.last = pose;
    if (!first) return;
    for (const parent of [-1, ...this.#body.carriers])
      for (const bone of parent < 0 ? this.#body.roots : this.#body.childrenOf(parent))
        if (!this.#chain.includes(bone) && this.#hasMoved(bone, first, pose)) this.#moving.add(bone);
  }

  #hasMoved(bone: number, first: Pose, pose: Pose): boolean {
    const distance = length(subtract(first.positions[bone] as Vector, pose.positions[bone] as Vector));
    const cosine = halfAngleCosine(first.rotations[bone] as never, pose.rotations[bone] as never);
    const scale = (this.#body.scales[this.#body.parentOf(bone)] ?? [1])[0];
    return distance * Math.abs(scale) > STILL_DISTANCE * this.#body.hipsHeight || cosine < Math.cos(STILL_ANGLE / 2);
  }

  /** Finds the gait. `seconds`: duration of the clip. */
  finish(seconds: number, loops: boolean, heading: Heading): Gait {
    const height = this.#body.hipsHeight;
    const hips = this.#tracks.at(-1) as GroundPose[];
    const [start, end] = [hips[0], hips.at(-1)] as [GroundPose, GroundPose];
    const net = Math.hypot(end.x - start.x, end.z - start.z) / height;
    const travels = net > MIN_TRAVEL && net > MIN_SPEED * seconds;
    const track = this.#carrier(net * height);
    const isCarried = track !== hips;
    const isStraight =
      !(isCarried && rangeOf(track, "heading") > STILL_ANGLE * 5) && this.#isStraight(hips, travels, loops);
    const positions = travels && isCarried ? track : travels ? hips : this.#placeOf(hips, height);
    const grounds = isStraight
      ? withHeading(positions, straightHeading(positions, hips, travels, heading))
      : turningHeadings(positions, isCarried && rangeOf(track, "heading") > STILL_ANGLE * 5 ? track : hips, {
          radius: Math.round((TURN_SMOOTHING / Math.max(1e-6, seconds)) * (hips.length - 1)),
          startsAtRest: heading !== "facing" && this.#startsNearOrigin(hips, height),
          isExact: isCarried,
        });
    const body = [this.#body.hips, ...this.#moving];
    return {
      grounds,
      movers: this.#movers(),
      body,
      travels,
      isStraight,
      speed: seconds > 0 && travels ? net / seconds : 0,
    };
  }

  /** Returns the track of the uppermost bone that carries at least half of the travel of the hips. */
  #carrier(travel: number): GroundPose[] {
    const hips = this.#tracks.at(-1) as GroundPose[];
    const carries = (track: GroundPose[]): boolean => {
      const [start, end] = [track[0], track.at(-1)] as [GroundPose, GroundPose];
      const moved = Math.hypot(end.x - start.x, end.z - start.z);
      const isTurning = Math.abs(end.heading - start.heading) > MAX_TWIST;
      return isTurning || (moved > 0.5 * travel && moved > STILL_DISTANCE * this.#body.hipsHeight);
    };
    return this.#tracks.slice(0, -1).find(carries) ?? hips;
  }

  /** Returns the positions of a clip without travel: constant if the hips stay in place, else those of the hips. */
  #placeOf(hips: readonly GroundPose[], height: number): readonly GroundPose[] {
    const mean = meanOf(hips);
    const sway = Math.max(...hips.map(({ x, z }) => Math.hypot(x - mean.x, z - mean.z)));
    if (sway > MAX_SWAY * height) return hips;
    const place = Math.hypot(mean.x, mean.z) < MAX_DISTANCE * height ? { x: 0, z: 0 } : mean;
    return hips.map(({ heading }) => ({ x: place.x, z: place.z, heading }));
  }

  #startsNearOrigin(hips: readonly GroundPose[], height: number): boolean {
    const { x, z, heading } = hips[0] as GroundPose;
    return Math.hypot(x, z) < MAX_DISTANCE * height && Math.abs(wrapAngle(heading)) < MAX_STANCE;
  }

  /** Returns whether a clip keeps its heading. */
  #isStraight(hips: readonly GroundPose[], travels: boolean, loops: boolean): boolean {
    const [first, last] = [hips[0], hips.at(-1)] as [GroundPose, GroundPose];
    // At both ends of a closed loop, the hips are at the same phase of a step.
    if (loops && this.#isClosed()) return Math.abs(last.heading - first.heading) < MAX_VEER;
    const limit = travels ? MAX_VEER : MAX_TWIST;
    const edge = Math.max(1, Math.ceil(hips.length / 3));
    const change = meanOf(hips.slice(-edge)).heading - meanOf(hips.slice(0, edge)).heading;
    if (Math.abs(change) < limit) return true;
    // The hips of a short clip may rotate by more than that in a single step.
    return travels && Math.abs(bendOf(hips)) < MAX_VEER && Math.abs(change) < 2 * limit;
  }

  /** Returns whether the last pose is the first one, except for the bones that carry the movement. */
  #isClosed(): boolean {
    const { first, last } = this.#poses as { first: Pose; last: Pose };
    return first.rotations.every(
      (rotation, bone) =>
        this.#chain.includes(bone) || halfAngleCosine(rotation, last.rotations[bone] as never) > CLOSED_COSINE,
    );
  }

  /** Returns the bones that carry the movement, see `Body.relativeTo`: the uppermost ones that do not stand still. */
  #movers(): number[] {
    const body = this.#body;
    const movers: number[] = [];
    const isStill = (bone: number): boolean => {
      const track = this.#tracks[this.#chain.indexOf(bone)] as GroundPose[];
      const distance = Math.max(rangeOf(track, "x"), rangeOf(track, "z"));
      return distance < STILL_DISTANCE * body.hipsHeight && rangeOf(track, "heading") < STILL_ANGLE;
    };
    const visit = (bone: number): void => {
      if (body.carriers.includes(bone) && isStill(bone)) body.childrenOf(bone).forEach(visit);
      else if (this.#chain.includes(bone) || this.#moving.has(bone)) movers.push(bone);
    };
    body.roots.forEach(visit);
    return movers;
  }
}

function rangeOf(track: readonly GroundPose[], key: keyof GroundPose): number {
  let [low, high] = [Infinity, -Infinity];
  for (const { [key]: value } of track) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return high - low;
}

function meanOf(track: readonly GroundPose[]): GroundPose {
  const sum = { x: 0, z: 0, heading: 0 };
  for (const { x, z, heading } of track) {
    sum.x += x;
    sum.z += z;
    sum.heading += heading;
  }
  return { x: sum.x / track.length, z: sum.z / track.length, heading: sum.heading / track.length };
}

/** Returns the angle between the directions of travel of the two halves of a path, radians. */
function bendOf(track: readonly GroundPose[]): number {
  const [start, middle, end] = [track[0], track[track.length >> 1], track.at(-1)] as [
    GroundPose,
    GroundPose,
    GroundPose,
  ];
  return wrapAngle(directionOf(middle, end) - directionOf(start, middle));
}

const directionOf = (from: GroundPose, to: GroundPose): number => Math.atan2(to.x - from.x, to.z - from.z);

const withHeading = (track: readonly GroundPose[], heading: number): GroundPose[] =>
  track.map(({ x, z }) => ({ x, z, heading }));

/** Returns the constant heading of a clip, as a rotation from the rest pose, radians. */
function straightHeading(
  positions: readonly GroundPose[],
  hips: readonly GroundPose[],
  travels: boolean,
  heading: Heading,
): number {
  if (heading === "asInFile") return 0;
  const facing = wrapAngle(meanOf(hips).heading);
  const isInPlace = !travels && rangeOf(positions, "x") + rangeOf(positions, "z") === 0;
  const isAtOrigin = isInPlace && positions[0]?.x === 0 && positions[0].z === 0;
  if (heading === "facing") return facing;
  if (!travels) return isAtOrigin && Math.abs(facing) < MAX_STANCE ? 0 : facing;
  const direction = directionOf(positions[0] as GroundPose, positions.at(-1) as GroundPose);
  // A model may face any axis; people also walk backwards and sideways.
  const excess = wrapAngle(direction - facing);
  const axis = (Math.PI / 2) * Math.round(excess / (Math.PI / 2));
  if (heading === "auto" && Math.abs(excess - axis) > MAX_DISAGREEMENT) return facing;
  return wrapAngle(direction - axis);
}

/** Returns the ground poses of a clip that turns. */
function turningHeadings(
  positions: readonly GroundPose[],
  facing: readonly GroundPose[],
  { radius, startsAtRest, isExact }: { radius: number; startsAtRest: boolean; isExact: boolean },
): GroundPose[] {
  const stance = startsAtRest ? (facing[0] as GroundPose).heading : 0;
  const sums = [0];
  for (const { heading } of facing) sums.push((sums.at(-1) as number) + heading);
  return positions.map(({ x, z }, i) => {
    const width = isExact ? 0 : Math.min(radius, i, facing.length - 1 - i);
    const mean = ((sums[i + width + 1] as number) - (sums[i - width] as number)) / (2 * width + 1);
    return { x, z, heading: mean - stance };
  });
}
