/** Reads and writes poses of a model, with and without the movement over the ground. */
import type { Object3D } from "three";
import type { Character, ScaledTransform } from "../bones/character.js";
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

/** Bones shorter than this fraction of the body's height (fingers, twist bones) are not landmarks. */
const SHORTEST_LANDMARK = 0.04;

/** Least y² + w² of the hips' rotation for which a heading is defined: the hips may tilt by up to 113 degrees. */
const UPRIGHT = 0.3;

const divide = ([x, y, z]: Vector, [a, b, c]: Vector): Vector => [x / a, y / b, z / c];
const multiplyComponents = ([x, y, z]: Vector, [a, b, c]: Vector): Vector => [x * a, y * b, z * c];

/** The bones of a three.js object, and the role of each. */
export class Body {
  readonly nodes: readonly Object3D[];
  readonly character: Character;
  /** Index of the bone at the top of the body. */
  readonly hips: number;
  /** Bones whose positions are compared to find similar poses. */
  readonly landmarks: readonly number[];
  readonly #parents: readonly number[];
  readonly #skeleton: Skeleton;

  /**
   * @param root The model, which stands on the ground.
   * @param bones Object with the bones, if they belong to no skin.
   * @param hips Name of the bone at the top of the body; default: the first with more than one child.
   */
  constructor(root: Object3D, bones?: Object3D, hips?: string) {
    const animated = new Set<Object3D>();
    bones?.traverse((node) => node !== bones && animated.add(node));
    this.#skeleton = new Skeleton(bones ?? root, animated);
    this.nodes = this.#skeleton.nodes;
    this.character = this.#skeleton.character();
    const { bones: resting } = this.character.rest;
    this.#parents = resting.map(({ parent }) => parent);
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
    const shortest = SHORTEST_LANDMARK * (Math.max(...heights) - Math.min(...heights));
    const long = bones.flatMap(({ parent, position }, i) => {
      const above = bones[parent];
      return above && Math.hypot(...subtract(position, above.position)) < shortest ? [] : [i];
    });
    return long.filter((bone) => bone !== this.hips);
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
    const held = this.character.rootParents[bone];
    if (held || parent < 0) return held as ScaledTransform;
    return { ...this.worldTransform(pose, parent), scale: this.character.scales[parent] as Vector };
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
      const rootParent = this.character.rootParents[bone] ?? {
        ...(worlds[parent] as Transform),
        scale: this.character.scales[parent] as Vector,
      };
      worlds.push(this.#childTransform(rootParent, pose, bone));
    });
    return worlds;
  }

  /** Returns ground position and heading of the hips; the heading of a body upside down is `undefined`. */
  hipsGround(pose: Pose): { x: number; z: number; heading: number | undefined } {
    const { position, rotation } = this.worldTransform(pose, this.hips);
    const rest = this.character.rest.bones[this.hips] as Transform;
    const turned = multiply(rotation, invert(rest.rotation));
    const isUpright = turned[1] ** 2 + turned[3] ** 2 > UPRIGHT;
    return { x: position[0], z: position[2], heading: isUpright ? headingOf(turned) : undefined };
  }

  /** Returns the difference in heading between two poses that are equal except for the heading. */
  headingBetween(from: Pose, to: Pose): number {
    return headingOf(
      multiply(this.worldTransform(to, this.hips).rotation, invert(this.worldTransform(from, this.hips).rotation)),
    );
  }

  /** Returns a pose relative to a ground pose, that is, without the movement over the ground. */
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
  setWorldTransform(pose: Pose, bone: number, rotation: Rotation, place?: Vector): void {
    const rootParent = this.#parentTransform(pose, bone);
    pose.rotations[bone] = normalize(multiply(invert(rootParent.rotation), rotation));
    if (place)
      pose.positions[bone] = divide(
        rotate(invert(rootParent.rotation), subtract(place, rootParent.position)),
        rootParent.scale,
      );
  }
}

/** Interpolates between two poses along the shorter arc. */
export const blendPoses = (a: Pose, b: Pose, share: number): Pose => ({
  rotations: a.rotations.map((rotation, i) => slerp(rotation, b.rotations[i] as Rotation, share)),
  positions: a.positions.map(([x, y, z], i) => {
    const [bx, by, bz] = b.positions[i] as Vector;
    return [x + (bx - x) * share, y + (by - y) * share, z + (bz - z) * share];
  }),
});
