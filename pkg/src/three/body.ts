/** Reads and writes poses of a model, and separates them from the movement over the ground. */
import type { Object3D } from "three";
import { type Character, rootParentsOf, type ScaledTransform, scalesOf } from "../bones/pose.js";
import type { Transform } from "../bones/rest.js";
import {
  invert,
  slerp,
  subtract,
  add,
  multiply,
  rotate,
  type Rotation,
  normalize,
  type Vector,
} from "../bones/rotation.js";
import { KinestitchError } from "../core/error.js";
import { type GroundPose, headingOf, toLocal } from "./ground.js";
import { measured } from "./measured.js";

/** Local rotations and positions of bones. */
export interface Pose {
  rotations: Rotation[];
  positions: Vector[];
}

/** Minimum length of a landmark bone, as a fraction of the body's height; excludes fingers and twist bones. */
const MIN_LANDMARK_LENGTH = 0.04;

/** Minimum y² + w² of a bone's rotation at which it has a heading: it may tilt by up to 113 degrees. */
const MIN_UPRIGHT = 0.3;

/** Names of hips bones: "mixamorigHips", "DEF-hips", "pelvis". */
const HIPS_NAME = /(hips|pelvis)$/i;

/** Divides the components; a component of a node with scale 0 is 0. */
const divideComponents = ([x, y, z]: Vector, [a, b, c]: Vector): Vector => [
  a === 0 ? 0 : x / a,
  b === 0 ? 0 : y / b,
  c === 0 ? 0 : z / c,
];
const multiplyComponents = ([x, y, z]: Vector, [a, b, c]: Vector): Vector => [x * a, y * b, z * c];

/** Returns whether all numbers of a pose are finite. */
export const isFinitePose = ({ rotations, positions }: Pose): boolean =>
  rotations.every(([x, y, z, w]) => Number.isFinite(x + y + z + w)) &&
  positions.every(([x, y, z]) => Number.isFinite(x + y + z));

/** The bones of a three.js object. Transforms include the scales of nodes inside the object, but not its own scale. */
export class Body {
  readonly nodes: readonly Object3D[];
  readonly character: Character;
  /** Index of the hips bone. */
  readonly hips: number;
  /** Bones whose positions are compared to find similar poses. */
  readonly landmarks: readonly number[];
  /** The ancestors of the hips, from the root. */
  readonly carriers: readonly number[];
  /** Bones without a parent bone. */
  readonly roots: readonly number[];
  readonly #parents: readonly number[];
  readonly #rootParents: readonly (ScaledTransform | undefined)[];
  /** Scale of each bone, with those of the nodes above it. */
  readonly scales: readonly Vector[];

  /**
   * @param root The model, which stands on the ground.
   * @param bones Object with the bones, if they belong to no skin.
   * @param hips Name of the hips bone; default: a bone with a name such as "Hips" or "pelvis", else the first bone
   * from which more than one chain of bones begins.
   */
  constructor(root: Object3D, bones?: Object3D, hips?: string) {
    const { nodes, character } = measured(root, bones);
    this.nodes = nodes;
    this.character = character;
    this.#rootParents = rootParentsOf(character);
    this.scales = scalesOf(character);
    const { bones: restBones } = this.character.rest;
    this.#parents = restBones.map(({ parent }) => parent);
    this.roots = this.#parents.flatMap((parent, bone) => (parent < 0 ? [bone] : []));
    this.hips = hips === undefined ? this.#findHips() : this.nodes.findIndex(({ name }) => name === hips);
    if (this.hips < 0)
      throw new KinestitchError("option", `"${hips}" is not a bone of "${root.name || root.type}"`, { option: "hips" });
    const carriers: number[] = [];
    for (let bone = this.parentOf(this.hips); bone >= 0; bone = this.parentOf(bone)) carriers.unshift(bone);
    this.carriers = carriers;
    this.landmarks = this.#selectLandmarks();
  }

  #findHips(): number {
    const children = this.nodes.map((_, bone) => this.childrenOf(bone));
    const named = this.nodes.findIndex(({ name }, bone) => HIPS_NAME.test(name) && (children[bone]?.length ?? 0) > 1);
    if (named >= 0) return named;
    // Legs and spine are chains of bones; targets of inverse kinematics beside them are single bones.
    const isChain = (bone: number): boolean => (children[bone]?.length ?? 0) > 0;
    const branching = children.findIndex((list) => list.filter(isChain).length > 1);
    if (branching >= 0) return branching;
    return Math.max(
      0,
      children.findIndex((list) => list.length > 1),
    );
  }

  /** Height of the hips at rest above the lowest point of the body, or above its lowest bone. */
  get hipsHeight(): number {
    const { rest, lowest } = this.character;
    const heights = rest.bones.map(({ position }) => position[1]);
    const hips = heights[this.hips] as number;
    const above = hips - lowest;
    const extent = Math.max(...heights) - Math.min(...heights);
    // Parts of a body that no skin holds have no known lowest point.
    if (above > 0.1 * extent && above < 2 * extent) return above;
    return Math.max(hips - Math.min(...heights), 0.25 * extent) || 1;
  }

  childrenOf(bone: number): number[] {
    return this.#parents.flatMap((parent, child) => (parent === bone ? [child] : []));
  }

  #selectLandmarks(): number[] {
    const { bones } = this.character.rest;
    const heights = bones.map(({ position }) => position[1]);
    const minLength = MIN_LANDMARK_LENGTH * (Math.max(...heights) - Math.min(...heights));
    const longBones = bones.flatMap(({ parent, position }, i) => {
      const parentBone = bones[parent];
      return parentBone && Math.hypot(...subtract(position, parentBone.position)) < minLength ? [] : [i];
    });
    return longBones.filter((bone) => bone !== this.hips);
  }

  /** Returns the index of a bone by its name in `character`; -1 if there is none. */
  findBone(name: string | null | undefined): number {
    return this.character.rest.bones.findIndex((bone) => bone.name === name);
  }

  parentOf(bone: number): number {
    return this.#parents[bone] as number;
  }

  /** Reads the current pose of the bones. */
  read(): Pose {
    return {
      rotations: this.nodes.map(({ quaternion: { x, y, z, w } }): Rotation => [x, y, z, w]),
      positions: this.nodes.map(({ position: { x, y, z } }): Vector => [x, y, z]),
    };
  }

  /** Applies a pose to the bones. */
  write({ rotations, positions }: Pose): void {
    this.nodes.forEach((node, i) => {
      node.quaternion.set(...(rotations[i] as Rotation));
      node.position.set(...(positions[i] as Vector));
    });
  }

  /** Returns the transform of a bone relative to the model's ground pose. */
  worldTransform(pose: Pose, bone: number): Transform {
    return this.#childTransform(this.#parentTransform(pose, bone), pose, bone);
  }

  #parentTransform(pose: Pose, bone: number): ScaledTransform {
    const parent = this.#parents[bone] as number;
    const rootParent = this.#rootParents[bone];
    if (rootParent || parent < 0) return rootParent as ScaledTransform;
    return { ...this.worldTransform(pose, parent), scale: this.scales[parent] as Vector };
  }

  #childTransform({ position, rotation, scale }: ScaledTransform, pose: Pose, bone: number): Transform {
    return {
      position: add(position, rotate(rotation, multiplyComponents(scale, pose.positions[bone] as Vector))),
      rotation: multiply(rotation, pose.rotations[bone] as Rotation),
    };
  }

  /** Returns the transforms of all bones relative to the model's ground pose. */
  worldTransforms(pose: Pose): Transform[] {
    const worlds: Transform[] = [];
    this.#parents.forEach((parent, bone) => {
      const parentTransform = this.#rootParents[bone] ?? {
        ...(worlds[parent] as Transform),
        scale: this.scales[parent] as Vector,
      };
      worlds.push(this.#childTransform(parentTransform, pose, bone));
    });
    return worlds;
  }

  /**
   * Returns ground position and heading of a bone; the heading, a rotation from the rest pose, is `undefined` if the
   * bone is upside down.
   */
  groundOf({ position, rotation }: Transform, bone: number): { x: number; z: number; heading: number | undefined } {
    const rest = this.character.rest.bones[bone] as Transform;
    const rotationFromRest = multiply(rotation, invert(rest.rotation));
    const isUpright = rotationFromRest[1] ** 2 + rotationFromRest[3] ** 2 > MIN_UPRIGHT;
    return { x: position[0], z: position[2], heading: isUpright ? headingOf(rotationFromRest) : undefined };
  }

  /** Returns the difference in heading between two poses that are equal except for the heading. */
  headingBetween(from: Pose, to: Pose): number {
    return headingOf(
      multiply(this.worldTransform(to, this.hips).rotation, invert(this.worldTransform(from, this.hips).rotation)),
    );
  }

  /**
   * Returns a pose relative to a ground pose: the pose without its movement over the ground. `movers`: the bones that
   * carry the movement, none of them below another one; the bones above them stay as they are.
   */
  relativeTo(pose: Pose, ground: GroundPose, movers: readonly number[] = this.roots): Pose {
    const result = { rotations: [...pose.rotations], positions: [...pose.positions] };
    for (const bone of movers) {
      const { position, rotation } = this.worldTransform(pose, bone);
      this.setWorldTransform(result, bone, ...toLocal(ground, rotation, position));
    }
    return result;
  }

  /** Returns `pose` with the bones above the hips as in `reference`; the bones `kept` keep their place in the model. */
  withCarriersOf(pose: Pose, reference: Pose, kept: readonly number[]): Pose {
    if (this.carriers.length === 0) return pose;
    const result = { rotations: [...pose.rotations], positions: [...pose.positions] };
    for (const bone of this.carriers) {
      result.rotations[bone] = reference.rotations[bone] as Rotation;
      result.positions[bone] = reference.positions[bone] as Vector;
    }
    for (const bone of kept) {
      const { position, rotation } = this.worldTransform(pose, bone);
      this.setWorldTransform(result, bone, rotation, position);
    }
    return result;
  }

  /** Returns whether a bone is one of `others` or below one of them. */
  isBelow(bone: number, others: readonly number[]): boolean {
    for (let ancestor = bone; ancestor >= 0; ancestor = this.parentOf(ancestor))
      if (others.includes(ancestor)) return true;
    return false;
  }

  /**
   * Returns a pose whose hips are relative to the model instead of their parent bone, so that an offset of the bones
   * above does not change an offset of the hips; {@link lower} is the inverse.
   */
  lift(pose: Pose): Pose {
    if (this.carriers.length === 0) return pose;
    const { position, rotation } = this.worldTransform(pose, this.hips);
    const result = { rotations: [...pose.rotations], positions: [...pose.positions] };
    result.rotations[this.hips] = rotation;
    result.positions[this.hips] = position;
    return result;
  }

  /** The inverse of {@link lift}. */
  lower(pose: Pose): Pose {
    if (this.carriers.length === 0) return pose;
    const result = { rotations: [...pose.rotations], positions: [...pose.positions] };
    this.setWorldTransform(
      result,
      this.hips,
      pose.rotations[this.hips] as Rotation,
      pose.positions[this.hips] as Vector,
    );
    return result;
  }

  /** Returns the largest distance of a landmark between two poses. */
  landmarkDistance(a: Pose, b: Pose): number {
    const [from, to] = [this.worldTransforms(a), this.worldTransforms(b)];
    return Math.max(
      0,
      ...this.landmarks.map((bone) =>
        Math.hypot(...subtract((from[bone] as Transform).position, (to[bone] as Transform).position)),
      ),
    );
  }

  /** Sets the transform of a bone in a pose, relative to the model's ground pose. */
  setWorldTransform(pose: Pose, bone: number, rotation: Rotation, position?: Vector): void {
    const parent = this.#parentTransform(pose, bone);
    pose.rotations[bone] = normalize(multiply(invert(parent.rotation), rotation));
    if (position)
      pose.positions[bone] = divideComponents(
        rotate(invert(parent.rotation), subtract(position, parent.position)),
        parent.scale,
      );
  }
}

/** Interpolates between two poses along the shorter arc; `weight`: the weight of `b`, 0 to 1. */
export const blendPoses = (a: Pose, b: Pose, weight: number): Pose => ({
  rotations: a.rotations.map((rotation, i) => slerp(rotation, b.rotations[i] as Rotation, weight)),
  positions: a.positions.map(([x, y, z], i) => {
    const [bx, by, bz] = b.positions[i] as Vector;
    return [x + (bx - x) * weight, y + (by - y) * weight, z + (bz - z) * weight];
  }),
});
