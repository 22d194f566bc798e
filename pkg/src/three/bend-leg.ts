/** Two-bone inverse kinematics of a leg. */
import {
  subtract,
  add,
  cross,
  dot,
  length,
  scaleBy,
  invert,
  multiply,
  rotate,
  type Rotation,
  normalize,
  type Vector,
} from "../bones/rotation.js";
import type { Body, Pose } from "./body.js";

/** Maximum reach, as a fraction of the leg length: a longer reach would straighten the knee abruptly. */
const MAX_STRETCH = 0.985;
/**
 * Near its full length, a small change of a leg's reach rotates the knee by a large angle. So the reach approaches its
 * limit gradually, over a length of at least `SLOWDOWN_LENGTH` · d / (d + `SLOWDOWN_DISTANCE`). Here d is the distance
 * of the foot from its position in the motion; all lengths are fractions of the leg length.
 */
const SLOWDOWN_LENGTH = 0.05;
const SLOWDOWN_DISTANCE = 0.05;
/** Sine of the knee's bend at rest above which the rest pose defines the hinge of the knee. */
const MIN_REST_BEND = 0.17;
/** Sine of the knee's bend below which the knee bends about its hinge, and not only in the plane of the pose. */
const MIN_BEND = 0.2;

/** Bone indices of a leg, and the axis about which its knee bends. */
export interface LegBones {
  upper: number;
  lower: number;
  foot: number;
  /** Unit vector in the axes of the bone `upper`; `undefined` if the rest pose does not define it. */
  hinge: Vector | undefined;
}

/**
 * Returns the hinge of a knee, see {@link LegBones}: the axis of its bend at rest, or the axis that moves the knee of a
 * straight leg in the direction of the toes.
 */
export function findHinge(
  body: Body,
  bones: readonly [upper: number, lower: number, foot: number, toe: number],
): Vector | undefined {
  const rest = bones.map((bone) => body.character.rest.bones[bone]) as { position: Vector; rotation: Rotation }[];
  const [hip, knee, ankle, toe] = rest.map(({ position }) => position) as [Vector, Vector, Vector, Vector];
  const [thigh, shin] = [subtract(hip, knee), subtract(ankle, knee)];
  const scale = 1 / (length(shin) * length(thigh));
  const bend = scaleBy(cross(shin, thigh), scale);
  const hasToe = bones[3] !== bones[2];
  const axis = hasToe && length(bend) < MIN_REST_BEND ? scaleBy(cross(thigh, subtract(toe, ankle)), scale) : bend;
  const size = length(axis);
  if (!(size > 0.01)) return undefined;
  return rotate(invert((rest[0] as { rotation: Rotation }).rotation), scaleBy(axis, 1 / size));
}

/** Bends a leg so that the foot is at `target`; the foot's rotation does not change. */
export function bendLeg(body: Body, pose: Pose, { upper, lower, foot, hinge }: LegBones, target: Vector): Pose {
  const [hip, knee, ankle] = [upper, lower, foot].map((bone) => body.worldTransform(pose, bone)) as [
    ReturnType<Body["worldTransform"]>,
    ReturnType<Body["worldTransform"]>,
    ReturnType<Body["worldTransform"]>,
  ];
  const [thigh, shin] = [subtract(hip.position, knee.position), subtract(ankle.position, knee.position)];
  const [a, b] = [length(thigh), length(shin)];
  const poseReach = length(subtract(ankle.position, hip.position));
  const distance = length(subtract(target, ankle.position));
  const minSlowdown = (SLOWDOWN_LENGTH * (a + b) * distance) / (distance + SLOWDOWN_DISTANCE * (a + b));
  const reach = Math.max(
    Math.abs(a - b) * 1.01,
    limitReach(poseReach, length(subtract(target, hip.position)), (a + b) * MAX_STRETCH, minSlowdown),
  );
  const bend = Math.PI - Math.acos(clampCosine((a * a + b * b - reach * reach) / (2 * a * b)));
  const bentShin = bendShin(thigh, shin, bend, hinge && rotate(hip.rotation, hinge));
  if (!bentShin) return pose;
  const kneeRotation = shortestRotation(shin, bentShin);
  const bentAnkle = add(knee.position, bentShin);
  const swing = shortestRotation(subtract(bentAnkle, hip.position), subtract(target, hip.position));
  const result = { rotations: [...pose.rotations], positions: [...pose.positions] };
  body.setWorldTransform(result, upper, multiply(swing, hip.rotation));
  body.setWorldTransform(result, lower, multiply(swing, multiply(kneeRotation, knee.rotation)));
  body.setWorldTransform(result, foot, ankle.rotation);
  return result;
}

/**
 * Returns the shin, a vector from the knee, after a change of the knee's bend; `undefined` if a straight knee has no
 * hinge, or if thigh or shin has no length. `thigh`: vector from the knee to the hip. `bend`: angle between the shin and
 * the extended thigh, radians.
 *
 * A mixture of two motions may bend a nearly straight knee slightly backwards. The plane of the pose would then bend it
 * further backwards, and the knee would flip as soon as the pose bends it forwards. So the more the bend changes, the
 * more a nearly straight knee bends about its hinge.
 */
function bendShin(thigh: Vector, shin: Vector, bend: number, hinge: Vector | undefined): Vector | undefined {
  const [a, b] = [length(thigh), length(shin)];
  const poseBend = scaleBy(cross(shin, thigh), 1 / (a * b));
  let [axis, angle] = [poseBend, bend];
  if (hinge) {
    const flat = subtract(hinge, scaleBy(thigh, dot(hinge, thigh) / (a * a)));
    const unit = scaleBy(flat, 1 / Math.max(1e-6, length(flat)));
    const forwards = dot(poseBend, unit);
    const poseAngle = Math.PI - Math.acos(clampCosine(dot(thigh, shin) / (a * b)));
    const minForwards = Math.min(MIN_BEND, Math.abs(bend - poseAngle));
    axis = add(poseBend, scaleBy(unit, Math.max(forwards, minForwards) - forwards));
    // A bend that equals the backward bend of the pose does not change it.
    if (forwards < 0) angle = Math.min(bend, Math.max(-bend, 3 * bend + 4 * forwards));
  }
  if (!(length(axis) >= 1e-4)) return undefined;
  return rotate(fromAxisAngle(axis, angle), scaleBy(thigh, -b / a));
}

/**
 * Limits the reach of a leg. `current`: its reach in the motion; `requested`: the reach that puts the foot at its
 * target. The limit is `max`, or `current` if it is larger. Near the limit the reach grows more slowly: over the
 * distance from `current` to the limit, but at least over `minSlowdown`.
 */
function limitReach(current: number, requested: number, max: number, minSlowdown: number): number {
  const slowdown = Math.hypot(Math.max(0, max - current), minSlowdown);
  const start = Math.max(current, max) - slowdown;
  if (requested <= start || slowdown < 1e-6) return Math.min(requested, start + slowdown);
  return start + slowdown * (1 - Math.exp((start - requested) / slowdown));
}

const clampCosine = (cosine: number): number => Math.min(1, Math.max(-1, cosine));

/** Returns the shortest rotation from one direction to another. */
function shortestRotation(from: Vector, to: Vector): Rotation {
  const size = length(from) * length(to);
  if (size < 1e-12) return [0, 0, 0, 1];
  const [x, y, z] = cross(from, to);
  return normalize([x, y, z, size + dot(from, to)]);
}

/** Returns the rotation about an axis of any length by an angle, radians. */
export function fromAxisAngle(axis: Vector, angle: number): Rotation {
  const scale = Math.sin(angle / 2) / length(axis);
  return [axis[0] * scale, axis[1] * scale, axis[2] * scale, Math.cos(angle / 2)];
}
