/** Foot lock during transitions: feet in contact stay in place. */
import { minus, plus, scaled, times, turned, type Turn, unit, type Vector } from "../bones/turn.js";
import type { RigMap } from "../core/types.js";
import type { Body, Pose } from "./body.js";
import type { ClipMotion } from "./clip-motion.js";
import { between, compose, type Ground } from "./ground.js";
import { fading, turnBy } from "./inertialize.js";

/**
 * A toe is in contact below this height over its rest height, as a share of the leg, and below this speed, in legs per
 * second.
 */
const LOW = 0.07;
const SLOW = 0.45;
/** Interval for measuring a clip's speeds, seconds. */
const STEP = 1 / 60;
/** Time to lock and to release a foot, seconds. */
const FADE = 0.12;
/**
 * A foot farther from its motion's position than this share of the leg takes a step there; duration in seconds, and
 * height as a share of the leg.
 */
const STEPPED = 0.06;
const STRIDE = 0.24;
const LIFT = 0.3;
/**
 * A locked foot is released beyond this distance from its motion, as a share of the leg; beyond the second value even
 * while the other foot steps.
 */
const FAR = 0.3;
const TOO_FAR = 0.5;
/** A leg stretches up to this share of its length, because knees would snap straight. */
const STRETCH = 0.985;
/**
 * A leg far from its motion slows down over at least this share of its length before its longest reach, half of it at
 * the second distance. Near its full length its knee moves far for little reach, so reach must not stop at once.
 */
const ROOM = 0.05;
const NEAR = 0.05;

interface Leg {
  upper: number;
  lower: number;
  foot: number;
  toe: number;
  length: number;
  /** Height of the toe at rest. */
  height: number;
  /** World position of the locked foot. */
  held?: Vector;
  /** Offset from the motion at the time of release, and its change a second: the foot leaves at the speed it has. */
  left?: { from: Vector; speed: Vector };
  /** Offset from the motion in the last frame. */
  aside: Vector;
  /** Seconds since it was locked or released. */
  since: number;
}

const smooth = (share: number): number => share * share * (3 - 2 * share);
const length = (vector: Vector): number => Math.hypot(...vector);
const dot = ([ax, ay, az]: Vector, [bx, by, bz]: Vector): number => ax * bx + ay * by + az * bz;
const cross = ([ax, ay, az]: Vector, [bx, by, bz]: Vector): Vector => [
  ay * bz - az * by,
  az * bx - ax * bz,
  ax * by - ay * bx,
];

/** Keeps feet in contact in place while clips are mixed. */
export class FeetLock {
  readonly #body: Body;
  readonly #legs: Leg[];
  /** Blend of the ground clearance of toes, because the previous clip's effect on them lasts for a moment. */
  #ramp = 0;

  constructor(body: Body, rig: RigMap) {
    this.#body = body;
    this.#legs = (["Left", "Right"] as const).flatMap((side) => {
      const [upper, lower, foot] = [rig[`${side}UpLeg`], rig[`${side}Leg`], rig[`${side}Foot`]].map((name) =>
        body.named(name),
      ) as [number, number, number];
      const mapped = body.named(rig[`${side}Toe`]);
      const toe = mapped < 0 ? foot : mapped;
      if (Math.min(upper, lower, foot) < 0) return [];
      const place = (bone: number): Vector => (body.character.rest.bones[bone] as { place: Vector }).place;
      const size = length(minus(place(upper), place(lower))) + length(minus(place(lower), place(foot)));
      return [{ upper, lower, foot, toe, length: size, height: place(toe)[1], aside: [0, 0, 0], since: 0 }];
    });
  }

  /** The pose with foot lock. `isOn`: lock feet in contact; otherwise release all. */
  applied(pose: Pose, root: Ground, motion: ClipMotion, time: number, delta: number, isOn: boolean): Pose {
    let result = pose;
    this.#ramp = Math.min(1, this.#ramp + delta / FADE);
    for (const leg of this.#legs) {
      const world = standing(root, this.#body.worldOf(pose, leg.foot).place);
      leg.since += delta;
      const aside = asideOf(leg, world);
      if (!leg.held && !leg.left && isOn && this.#isLow(leg, pose) && this.#touches(leg, motion, time)) {
        leg.held = world;
        leg.since = 0;
      } else if (leg.held && this.#isLetGo(leg, world, isOn && this.#touches(leg, motion, time))) {
        const speed = delta > 0 ? scaled(minus(aside, leg.aside), 1 / delta) : aside.map(() => 0);
        leg.left = { from: aside, speed: speed as Vector };
        leg.since = 0;
        delete leg.held;
      } else if (leg.left && leg.since >= lasting(leg)) delete leg.left;
      leg.aside = asideOf(leg, world);
      const [x, lift, z] = leg.aside;
      const y = Math.max(lift, smooth(this.#ramp) * this.#sunk(leg, pose, motion, time));
      if (Math.hypot(x, y, z) < 1e-5 * leg.length) continue;
      result = bent(this.#body, result, leg, within(root, [world[0] + x, world[1] + y, world[2] + z]));
    }
    return result;
  }

  /** Resets the state: feet were shown without a lock. */
  rest(): void {
    this.#ramp = 0;
  }

  /** Depth of a toe below the ground, or below its height in the motion. */
  #sunk({ toe, height }: Leg, pose: Pose, motion: ClipMotion, time: number): number {
    const shown = this.#body.worldOf(pose, toe).place[1];
    if (shown >= height) return 0;
    const meant = this.#body.worldOf(motion.sampler.at(motion.inside(time)), toe).place[1];
    return Math.max(0, Math.min(height, meant) - shown);
  }

  /** Whether any foot is locked or being released. */
  get isBusy(): boolean {
    return this.#legs.some(({ held, left }) => held || left);
  }

  /** A foot is released when the motion lifts it, or to step to its position in the motion; one foot at a time. */
  #isLetGo(leg: Leg, world: Vector, touches: boolean): boolean {
    const [x, , z] = minus(leg.held as Vector, world);
    const away = Math.hypot(x, z) / leg.length;
    if (away > TOO_FAR || (!touches && away < STEPPED)) return true;
    const isOtherUp = this.#legs.some(
      (other) => other !== leg && other.left && length(other.left.from) > STEPPED * leg.length,
    );
    return (!touches || away > FAR) && !isOtherUp;
  }

  #isLow(leg: Leg, pose: Pose): boolean {
    return this.#body.worldOf(pose, leg.toe).place[1] <= leg.height + LOW * leg.length;
  }

  /** Whether a foot is in contact in the target motion. */
  #touches(leg: Leg, motion: ClipMotion, time: number): boolean {
    const from = Math.max(0, Math.min(motion.inside(time), motion.seconds - STEP));
    const place = (at: number): Vector => this.#body.worldOf(motion.sampler.at(at), leg.toe).place;
    const [now, next] = [place(from), place(from + STEP)];
    return now[1] < leg.height + LOW * leg.length && length(minus(next, now)) < SLOW * leg.length * STEP;
  }
}

/** Duration of a release, seconds. */
const lasting = ({ left, length: size }: Leg): number => (left && length(left.from) > STEPPED * size ? STRIDE : FADE);

/** Offset of a foot from its motion. */
function asideOf(leg: Leg, world: Vector): Vector {
  if (leg.held) {
    const [x, , z] = scaled(minus(leg.held, world), smooth(Math.min(1, leg.since / FADE)));
    return [x, 0, z];
  }
  if (!leg.left) return [0, 0, 0];
  const { from, speed } = leg.left;
  const seconds = lasting(leg);
  const share = Math.min(1, leg.since / seconds);
  const left = (axis: 0 | 2): number => fading(from[axis], speed[axis], seconds, leg.since);
  const isStep = length(from) > STEPPED * leg.length;
  return [left(0), isStep ? LIFT * length(from) * Math.sin(Math.PI * share) ** 2 : 0, left(2)];
}

/** World position of a point relative to the root. */
function standing(root: Ground, [x, y, z]: Vector): Vector {
  const at = compose(root, { x, z, heading: 0 });
  return [at.x, y, at.z];
}

/** Position relative to the root of a world point. */
function within(root: Ground, [x, y, z]: Vector): Vector {
  const at = between(root, { x, z, heading: 0 });
  return [at.x, y, at.z];
}

/** The pose with a leg bent by two-bone IK so that its foot is at a position with unchanged rotation. */
function bent(body: Body, pose: Pose, { upper, lower, foot }: Leg, to: Vector): Pose {
  const [hip, knee, ankle] = [upper, lower, foot].map((bone) => body.worldOf(pose, bone)) as [
    ReturnType<Body["worldOf"]>,
    ReturnType<Body["worldOf"]>,
    ReturnType<Body["worldOf"]>,
  ];
  const [thigh, shin] = [minus(hip.place, knee.place), minus(ankle.place, knee.place)];
  const [a, b] = [length(thigh), length(shin)];
  const shown = length(minus(ankle.place, hip.place));
  const away = length(minus(to, ankle.place));
  const room = (ROOM * (a + b) * away) / (away + NEAR * (a + b));
  const reach = Math.max(
    Math.abs(a - b) * 1.01,
    stretched(shown, length(minus(to, hip.place)), (a + b) * STRETCH, room),
  );
  const axis = cross(shin, thigh);
  if (length(axis) < 1e-4 * a * b) return pose;
  const now = Math.acos(clamped(dot(thigh, shin) / (a * b)));
  const goal = Math.acos(clamped((a * a + b * b - reach * reach) / (2 * a * b)));
  const turn = turnBy(scaled(axis, (now - goal) / length(axis)));
  const moved = plus(knee.place, turned(turn, shin));
  const swing = arc(minus(moved, hip.place), minus(to, hip.place));
  const result = { turns: [...pose.turns], places: [...pose.places] };
  body.stand(result, upper, times(swing, hip.turn));
  body.stand(result, lower, times(swing, times(turn, knee.turn)));
  body.stand(result, foot, ankle.turn);
  return result;
}

/**
 * Reach of a leg with current reach `from` and wanted reach `to`: at most `most`, or the current reach if that is larger,
 * and slowing down before it over the way from the current reach or over `least`.
 */
function stretched(from: number, to: number, most: number, least: number): number {
  const room = Math.hypot(Math.max(0, most - from), least);
  const slows = Math.max(from, most) - room;
  return to <= slows || room < 1e-6 ? Math.min(to, slows + room) : slows + room * (1 - Math.exp((slows - to) / room));
}

const clamped = (cosine: number): number => Math.min(1, Math.max(-1, cosine));

/** The shortest rotation from one direction to another. */
function arc(from: Vector, to: Vector): Turn {
  const size = length(from) * length(to);
  if (size < 1e-12) return [0, 0, 0, 1];
  const [x, y, z] = cross(from, to);
  return unit([x, y, z, size + dot(from, to)]);
}
