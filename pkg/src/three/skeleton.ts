/** Reads the bones of an `Object3D` of three.js. */
import {
  type AnimationClip,
  Box3,
  type BufferAttribute,
  Matrix4,
  type Object3D,
  PropertyBinding,
  Quaternion,
  type SkinnedMesh,
  Vector3,
} from "three";
import type { Character, ScaledTransform } from "../bones/character.js";
import { type Bone, type Transform, type RestPose, createRestPose } from "../bones/rest.js";
import { findSkeleton, makeUnique } from "../bones/tree.js";
import { halfAngleCosine, type Rotation, type Vector } from "../bones/rotation.js";
import { KinestitchError } from "../core/error.js";

/**
 * The bones of a model. Transforms are relative to the model's ground pose: they include the scale of the model, but
 * not its position and rotation.
 */
export class Skeleton {
  readonly nodes: readonly Object3D[];
  readonly rest: RestPose;
  /** Whether the model was in its bind pose when it was read; `true` if it has no bind pose. */
  readonly isAtRest: boolean;
  /** Converts world transforms to transforms relative to the model's ground pose. */
  readonly #worldToGround = new Matrix4();
  readonly #meshes: SkinnedMesh[] = [];
  readonly #root: Object3D;

  constructor(root: Object3D, animated: ReadonlySet<Object3D> = new Set(), animation?: AnimationClip) {
    this.#root = root;
    const skins: Object3D[][] = [];
    const boneNodes: Object3D[] = [];
    const binds = new Map<Object3D, Matrix4>();
    root.traverse((node) => {
      if ((node as { isBone?: boolean }).isBone) boneNodes.push(node);
      const mesh = node as SkinnedMesh;
      if (!mesh.isSkinnedMesh) return;
      this.#meshes.push(mesh);
      skins.push(mesh.skeleton.bones);
      mesh.skeleton.bones.forEach((bone, i) => {
        const inverse = mesh.skeleton.boneInverses[i];
        if (inverse && !binds.has(bone)) binds.set(bone, inverse.clone().invert());
      });
    });
    const skinsOrBones = skins.length > 0 ? skins : [boneNodes.length > 0 ? boneNodes : [...animated]];
    const nodes = {
      parent: (node: Object3D) => (node === root ? null : node.parent),
      children: (node: Object3D) => node.children,
    };
    this.nodes = findSkeleton(nodes, skinsOrBones, animated).joints;
    if (this.nodes.length === 0)
      throw new KinestitchError(
        "option",
        `"${root.name || root.type}" has no bones: neither a SkinnedMesh nor a Bone`,
        { option: "target" },
      );
    this.#measureGround();
    const names = makeUnique(this.nodes.map(({ name }, i) => name || `bone ${i + 1}`));
    const currentTransforms = this.#worlds();
    this.rest = createRestPose(
      this.nodes.map((node, i): Bone => {
        const bind = binds.get(node);
        return {
          name: names[i] as string,
          parent: this.nodes.indexOf(node.parent as Object3D),
          current: currentTransforms[i] as Transform,
          moves: isTranslated(node, root, animation),
          ...(bind && { bind: decompose(bind) }),
        };
      }),
    );
    this.isAtRest = this.rest.bones.every(
      ({ rotation }, i) => halfAngleCosine(rotation, (currentTransforms[i] as Transform).rotation) > 1 - 1e-7,
    );
  }

  /** Sets `#worldToGround`: the inverse of the ground pose, which is the root's position and heading in its parent. */
  #measureGround(): void {
    const { parent, position, quaternion } = this.#root;
    this.#root.updateWorldMatrix(true, true);
    const heading = new Quaternion(0, quaternion.y, 0, quaternion.w);
    if (heading.lengthSq() < 1e-12) heading.identity();
    this.#worldToGround.compose(position, heading.normalize(), new Vector3(1, 1, 1));
    if (parent) this.#worldToGround.premultiply(parent.matrixWorld);
    this.#worldToGround.invert();
  }

  #worlds(): ScaledTransform[] {
    return this.nodes.map((node) => decompose(this.#worldToGround.clone().multiply(node.matrixWorld)));
  }

  /** Returns the current transforms of the bones. */
  transforms(): Transform[] {
    this.#root.updateMatrixWorld(true);
    return this.#worlds();
  }

  /** Returns the bones for `computeTracks` and `createPoser`. */
  character(): Character {
    const { rest } = this;
    const rootParents = this.nodes.map((node, i) => {
      if ((rest.bones[i]?.parent ?? -1) >= 0) return undefined;
      // If the root is a bone itself, its transform is relative to the ground pose, which is at its own position.
      const rootParent = node === this.#root ? null : node.parent;
      return decompose(rootParent ? this.#worldToGround.clone().multiply(rootParent.matrixWorld) : new Matrix4());
    });
    const scales = this.#worlds().map(({ scale }) => scale);
    return { rest, rootParents, scales, lowest: this.#lowest(scales) };
  }

  /** Returns the height of the lowest point of the skinned meshes at rest, or of the bones if there are no meshes. */
  #lowest(scales: readonly Vector[]): number {
    const heights = this.rest.bones.map(({ position }) => position[1]);
    const box = new Box3();
    for (const mesh of this.#meshes) box.union(this.isAtRest ? this.#currentBox(mesh) : this.#restBox(mesh, scales));
    return box.isEmpty() ? Math.min(...heights) : box.min.y;
  }

  /** Returns a box around a mesh in its current pose, relative to the ground pose of the model. */
  #currentBox(mesh: SkinnedMesh): Box3 {
    const { boundingBox } = mesh;
    // A box that is left in the mesh would hide the parts that move out of it from a `Raycaster`.
    mesh.boundingBox = null as unknown as Box3;
    mesh.computeBoundingBox();
    const box = mesh.boundingBox;
    mesh.boundingBox = boundingBox;
    return box.applyMatrix4(this.#worldToGround.clone().multiply(mesh.matrixWorld));
  }

  /** Returns a box around a mesh at rest. `scales`: world scale of each bone. */
  #restBox({ geometry, bindMatrix, skeleton }: SkinnedMesh, scales: readonly Vector[]): Box3 {
    const slot = skeleton.bones.findIndex((node) => this.nodes.includes(node));
    const index = this.nodes.indexOf(skeleton.bones[slot] as Object3D);
    const [bone, scale, inverse] = [this.rest.bones[index], scales[index], skeleton.boneInverses[slot]];
    if (!bone || !scale || !inverse) return new Box3();
    // At rest, all bones transform the skin equally, so the transform of one bone is sufficient.
    const skin = new Matrix4()
      .compose(new Vector3(...bone.position), new Quaternion(...bone.rotation), new Vector3(...scale))
      .multiply(inverse)
      .multiply(bindMatrix);
    return new Box3().setFromBufferAttribute(geometry.getAttribute("position") as BufferAttribute).applyMatrix4(skin);
  }
}

/**
 * Returns whether an animation moves a node away from its current position in its parent: by more than 0.005 units
 * (5 mm in a model in metres) and more than a hundredth of its distance from the parent.
 */
function isTranslated(node: Object3D, root: Object3D, animation: AnimationClip | undefined): boolean {
  const { x, y, z } = node.position;
  const threshold = Math.max(0.005, 0.01 * Math.hypot(x, y, z));
  return (animation?.tracks ?? []).some((track) => {
    const { name, values } = track;
    if (
      !name.endsWith(".position") ||
      PropertyBinding.findNode(root, PropertyBinding.parseTrackName(name).nodeName) !== node
    )
      return false;
    // A key of a cubic spline of GLTFLoader has nine values: the position is between two tangents.
    const isCubicSpline = track.getValueSize() === 9;
    for (let i = isCubicSpline ? 3 : 0; i + 2 < values.length; i += isCubicSpline ? 9 : 3) {
      if (
        Math.hypot((values[i] as number) - x, (values[i + 1] as number) - y, (values[i + 2] as number) - z) > threshold
      )
        return true;
    }
    return false;
  });
}

function decompose(matrix: Matrix4): ScaledTransform {
  const [position, rotation, scale] = [new Vector3(), new Quaternion(), new Vector3()];
  matrix.decompose(position, rotation, scale);
  return {
    position: position.toArray() as Vector,
    rotation: rotation.toArray() as unknown as Rotation,
    scale: scale.toArray() as Vector,
  };
}
