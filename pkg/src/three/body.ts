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
import { Skeleton } from "./skeleton.js";

/** Local rotations and positions of bones. */
export interface Pose {
  rotations: Rotation[];
  positions: Vector[];
}

/** Minimum length of a landmark bone, as a fraction of the body's height; excludes fingers and twist bones. */
const MIN_LANDMARK_LENGTH = 0.04;

/** Minimum y² + w² of the hips' rotation at which the hips have a heading: they may tilt by up to 113 degrees. */
const MIN_UPRIGHT = 0.3;

const divideComponents = ([x, y, z]: Vector, [a, b, c]: Vector): Vector => [x / a, y / b, z / c];
const multiplyComponents = ([x, y, z]: Vector, [a, b, c]: Vector): Vector => [x * a, y * b, z * c];

/** The bones of a three.js object. */
export class Body {
  readonly nodes: readonly Object3D[];
  readonly character: Character;
  /** Index of the hips bone. */
  readonly hips: number;
  /** Bones whose positions are compared to find similar poses. */
  readonly landmarks: readonly number[];
  readonly #parents: readonly number[];
  readonly #rootParents: readonly (ScaledTransform | undefined)[];
  readonly #scales: readonly Vector[];
  readonly #skeleton: Skeleton;

  /**
   * @param root The model, which stands on the ground.
   * @param bones Object with the bones, if they belong to no skin.
   * @param hips Name of the hips bone; default: the first bone with more than one child.
   */
  constructor(root: Object3D, bones?: Object3D, hips?: string) {
    const animated = new Set<Object3D>();
    bones?.traverse((node) => node !== bones && animated.add(node));
    this.#skeleton = new Skeleton(bones ?? root, animated);
    this.nodes = this.#skeleton.nodes;
    this.character = this.#skeleton.character();
    this.#rootParents = rootParentsOf(this.character);
    this.#scales = scalesOf(this.character);
    const { bones: restBones } = this.character.rest;
    this.#parents = restBones.map(({ parent }) => parent);
    this.hips = hips === undefined ? this.#findBranchingBone() : this.nodes.findIndex(({ name }) => name === hips);
    if (this.hips < 0)
      throw new KinestitchError("option", `"${hips}" is not a bone of "${root.name || root.type}"`, { option: "hips" });
    this.landmarks = this.#selectLandmarks();
  }

  #findBranchingBone(): number {
    const children = this.#parents.map((_, bone) => this.#parents.filter((parent) => parent === bone).length);
    return Math.max(
      0,
      children.findIndex((count) => count > 1),
    );
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
    return { ...this.worldTransform(pose, parent), scale: this.#scales[parent] as Vector };
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
        scale: this.#scales[parent] as Vector,
      };
      worlds.push(this.#childTransform(parentTransform, pose, bone));
    });
    return worlds;
  }

  /** Returns ground position and heading of the hips; the heading of a body upside down is `undefined`. */
  hipsGround(pose: Pose): { x: number; z: number; heading: number | undefined } {
    const { position, rotation } = this.worldTransform(pose, this.hips);
    const rest = this.character.rest.bones[this.hips] as Transform;
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

  /** Returns a pose relative to a ground pose: the pose without its movement over the ground. */
  relativeTo(pose: Pose, ground: GroundPose): Pose {
    const result = { rotations: [...pose.rotations], positions: [...pose.positions] };
    this.#parents.forEach((parent, bone) => {
      if (parent >= 0) return;
      const { position, rotation } = this.worldTransform(pose, bone);
      this.setWorldTransform(result, bone, ...toLocal(ground, rotation, position));
    });
    return result;
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
