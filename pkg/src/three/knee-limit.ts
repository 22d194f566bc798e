/**
 * Limits of knees during inertialization. Each joint of a pose has its own offset, with its own velocity. If transitions
 * interrupt each other every few frames, the offsets would add up and bend a knee backwards.
 */
import { cross, dot, multiply, rotate, scaleBy, subtract, type Vector } from "../bones/rotation.js";
import { fromAxisAngle, type LegBones } from "./bend-leg.js";
import type { Body, Pose } from "./body.js";

/** Maximum bend of a knee, radians; here the heel is at the thigh. */
const MAX_BEND = 2.7;
/**
 * The bend approaches its limit gradually, within SLOWDOWN · d / (d + SLOWDOWN). Here d is the offset of the bend from
 * its value in the motion; all angles are in radians.
 */
const SLOWDOWN = 0.15;
/** Bend below which a knee counts as bent forwards by more than 180 degrees, radians. */
const WRAP = -2;

/** Returns a pose whose knees bend no further backwards or forwards than a straight or folded leg, or than in `allowed`. */
export function limitKnee(body: Body, pose: Pose, motionPose: Pose, allowed: readonly Pose[], leg: LegBones): Pose {
  const { hinge } = leg;
  if (!hinge) return pose;
  const bend = bendOf(body, pose, leg, hinge);
  const bends = allowed.map((other) => bendOf(body, other, leg, hinge));
  const offset = Math.abs(bend - bendOf(body, motionPose, leg, hinge));
  const slowdown = (SLOWDOWN * offset) / (offset + SLOWDOWN);
  const raised = softMax(bend, Math.min(0, ...bends), slowdown);
  const limited = -softMax(-raised, -Math.max(MAX_BEND, ...bends), slowdown);
  if (limited === bend) return pose;
  const axis = rotate(body.worldTransform(pose, leg.upper).rotation, hinge);
  const result = { rotations: [...pose.rotations], positions: pose.positions };
  const { rotation } = body.worldTransform(pose, leg.lower);
  body.setWorldTransform(result, leg.lower, multiply(fromAxisAngle(axis, limited - bend), rotation));
  return result;
}

/** Returns the bend of a knee about its hinge, radians; 0: straight, positive: forwards. */
function bendOf(body: Body, pose: Pose, { upper, lower, foot }: LegBones, hinge: Vector): number {
  const { position: hip, rotation } = body.worldTransform(pose, upper);
  const axis = rotate(rotation, hinge);
  const flatten = (vector: Vector): Vector => subtract(vector, scaleBy(axis, dot(vector, axis)));
  const knee = body.worldTransform(pose, lower).position;
  const thigh = flatten(subtract(knee, hip));
  const shin = flatten(subtract(body.worldTransform(pose, foot).position, knee));
  const angle = Math.atan2(dot(cross(thigh, shin), axis), dot(thigh, shin));
  return angle < WRAP ? angle + 2 * Math.PI : angle;
}

/** Returns `value`, or a value above `min` that it approaches exponentially, from `slowdown` above `min` on. */
function softMax(value: number, min: number, slowdown: number): number {
  const excess = value - min - slowdown;
  if (excess >= 0 || slowdown < 1e-6) return value;
  return min + slowdown * Math.exp(excess / slowdown);
}
