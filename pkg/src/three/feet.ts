/** Feet that touch the ground stay where they are while a model passes into another motion. */
import { minus, plus, scaled, times, turned, type Turn, unit, type Vector } from "../bones/turn.js";
import type { RigMap } from "../core/types.js";
import type { Body, Pose } from "./body.js";
import type { ClipMotion } from "./clip-motion.js";
import { between, compose, type Ground } from "./ground.js";
import { turnBy } from "./inertialize.js";

/**
 * A toe touches the ground if it is no more above where it rests than this share of the leg, and slower than this
 * share a second.
 */
const LOW = 0.07;
const SLOW = 0.45;
/** Speeds of the clip are measured over so many seconds. */
const STEP = 1 / 60;
/** Seconds in which a foot comes to be held, and is let go. */
const FADE = 0.12;
/**
 * A foot that is farther than this share of the leg from where the motion has it takes a step there, in so many
 * seconds, and so high.
 */
const STEPPED = 0.06;
const STRIDE = 0.24;
const LIFT = 0.3;
/**
 * A foot is let go that was held farther away than this share of the leg; than the second, even while the other one
 * steps.
 */
const FAR = 0.3;
const TOO_FAR = 0.5;
/** A leg is stretched to this share of its length at most, and ever slower towards it: knees would snap straight. */
const STRETCH = 0.985;

interface Leg {
  upper: number;
  lower: number;
  foot: number;
  toe: number;
  length: number;
  /** Height of the toe at rest. */
  height: number;
  /** Where the foot is held in the world. */
  held?: Vector;
  /** Distance to where it was held when it was let go. */
  left?: Vector;
  /** Seconds since it is held, or since it was let go. */
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

export class FeetLock {
  readonly #body: Body;
  readonly #legs: Leg[];
  /** How much toes are kept above the ground: what the clip that is left does with them goes on for a moment. */
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
      return [{ upper, lower, foot, toe, length: size, height: place(toe)[1], since: 0 }];
    });
  }

  /**
   * The pose with feet held where they touched the ground. `isOn`: feet that touch it are held, else all are let go.
   */
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
        leg.left = aside;
        leg.since = 0;
        delete leg.held;
      } else if (leg.left && leg.since >= lasting(leg)) delete leg.left;
      const [x, lift, z] = asideOf(leg, world);
      const y = Math.max(lift, smooth(this.#ramp) * this.#sunk(leg, pose, motion, time));
      if (Math.hypot(x, y, z) < 1e-5 * leg.length) continue;
      result = bent(this.#body, result, leg, within(root, [world[0] + x, world[1] + y, world[2] + z]));
    }
    return result;
  }

  /** Tells that feet were shown as the motion has them. */
  rest(): void {
    this.#ramp = 0;
  }

  /** How far a toe is below the ground, or below where the motion has it there. */
  #sunk({ toe, height }: Leg, pose: Pose, motion: ClipMotion, time: number): number {
    const shown = this.#body.worldOf(pose, toe).place[1];
    if (shown >= height) return 0;
    const meant = this.#body.worldOf(motion.sampler.at(motion.inside(time)), toe).place[1];
    return Math.max(0, Math.min(height, meant) - shown);
  }

  /** Whether any foot is held or not let go yet. */
  get isBusy(): boolean {
    return this.#legs.some(({ held, left }) => held || left);
  }

  /** A foot is let go when the motion lifts it, or to step to where the motion has it: one after the other. */
  #isLetGo(leg: Leg, world: Vector, touches: boolean): boolean {
    const [x, , z] = minus(leg.held as Vector, world);
    const away = Math.hypot(x, z) / leg.length;
    if (away > TOO_FAR || (!touches && away < STEPPED)) return true;
    const isOtherUp = this.#legs.some(
      (other) => other !== leg && other.left && length(other.left) > STEPPED * leg.length,
    );
    return (!touches || away > FAR) && !isOtherUp;
  }

  #isLow(leg: Leg, pose: Pose): boolean {
    return this.#body.worldOf(pose, leg.toe).place[1] <= leg.height + LOW * leg.length;
  }

  /** Whether a foot touches the ground in the motion that is gone into. */
  #touches(leg: Leg, motion: ClipMotion, time: number): boolean {
    const from = Math.max(0, Math.min(motion.inside(time), motion.seconds - STEP));
    const place = (at: number): Vector => this.#body.worldOf(motion.sampler.at(at), leg.toe).place;
    const [now, next] = [place(from), place(from + STEP)];
    return now[1] < leg.height + LOW * leg.length && length(minus(next, now)) < SLOW * leg.length * STEP;
  }
}

/** Seconds that it takes to let a foot go. */
const lasting = ({ left, length: size }: Leg): number => (left && length(left) > STEPPED * size ? STRIDE : FADE);

/** How far aside from its motion a foot is shown: over the ground, and above it. */
function asideOf(leg: Leg, world: Vector): Vector {
  if (leg.held) {
    const [x, , z] = scaled(minus(leg.held, world), smooth(Math.min(1, leg.since / FADE)));
    return [x, 0, z];
  }
  if (!leg.left) return [0, 0, 0];
  const share = Math.min(1, leg.since / lasting(leg));
  const [x, , z] = scaled(leg.left, 1 - smooth(share));
  const isStep = length(leg.left) > STEPPED * leg.length;
  return [x, isStep ? LIFT * length(leg.left) * Math.sin(Math.PI * share) ** 2 : 0, z];
}

/** A place as seen from the root, in the world. */
function standing(root: Ground, [x, y, z]: Vector): Vector {
  const at = compose(root, { x, z, heading: 0 });
  return [at.x, y, at.z];
}

/** A place of the world as seen from the root. */
function within(root: Ground, [x, y, z]: Vector): Vector {
  const at = between(root, { x, z, heading: 0 });
  return [at.x, y, at.z];
}

/** The pose with a leg bent so that its foot, turned as it was, stands at a place (two-bone IK). */
function bent(body: Body, pose: Pose, { upper, lower, foot }: Leg, to: Vector): Pose {
  const [hip, knee, ankle] = [upper, lower, foot].map((bone) => body.worldOf(pose, bone)) as [
    ReturnType<Body["worldOf"]>,
    ReturnType<Body["worldOf"]>,
    ReturnType<Body["worldOf"]>,
  ];
  const [thigh, shin] = [minus(hip.place, knee.place), minus(ankle.place, knee.place)];
  const [a, b] = [length(thigh), length(shin)];
  const shown = length(minus(ankle.place, hip.place));
  const reach = Math.max(Math.abs(a - b) * 1.01, stretched(shown, length(minus(to, hip.place)), (a + b) * STRETCH));
  const axis = cross(shin, thigh);
  if (length(axis) < 1e-4 * a * b) return pose;
  const now = Math.acos(clamped(dot(thigh, shin) / (a * b)));
  const goal = Math.acos(clamped((a * a + b * b - reach * reach) / (2 * a * b)));
  const bend = turnBy(scaled(axis, (now - goal) / length(axis)));
  const moved = plus(knee.place, turned(bend, shin));
  const swing = arc(minus(moved, hip.place), minus(to, hip.place));
  const result = { turns: [...pose.turns], places: [...pose.places] };
  body.stand(result, upper, times(swing, hip.turn));
  body.stand(result, lower, times(swing, times(bend, knee.turn)));
  body.stand(result, foot, ankle.turn);
  return result;
}

/** How far a leg reaches that reaches `from` and is to reach `to`: no farther than `most`, or than it does. */
function stretched(from: number, to: number, most: number): number {
  const room = most - from;
  if (to <= from) return to;
  return room < 1e-6 ? from : from + room * (1 - Math.exp((from - to) / room));
}

const clamped = (cosine: number): number => Math.min(1, Math.max(-1, cosine));

/** The shortest turn from one direction to another. */
function arc(from: Vector, to: Vector): Turn {
  const size = length(from) * length(to);
  if (size < 1e-12) return [0, 0, 0, 1];
  const [x, y, z] = cross(from, to);
  return unit([x, y, z, size + dot(from, to)]);
}
