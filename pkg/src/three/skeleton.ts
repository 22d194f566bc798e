/** Reads the bones of an `Object3D` of three.js. */
import { Matrix4, type Object3D, Quaternion, type SkinnedMesh, Vector3 } from "three";
import { decompose, determinant, identityMatrix, invertMatrix, type Matrices } from "../bones/matrix.js";
import { type Character, restMatrices } from "../bones/pose.js";
import { type Bone, type RestPose, createRestPose } from "../bones/rest.js";
import { findSkeleton, makeUnique } from "../bones/tree.js";
import { halfAngleCosine, type Vector } from "../bones/rotation.js";
import { lowestVertex } from "../bones/vertices.js";
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

  constructor(root: Object3D, animated: ReadonlySet<Object3D> = new Set()) {
    this.#root = root;
    const skins: Object3D[][] = [];
    const boneNodes: Object3D[] = [];
    const binds = new Map<Object3D, Bind>();
    root.traverse((node) => {
      if ((node as { isBone?: boolean }).isBone) boneNodes.push(node);
      const mesh = node as SkinnedMesh;
      if (!mesh.isSkinnedMesh) return;
      this.#meshes.push(mesh);
      skins.push(mesh.skeleton.bones);
      addBinds(binds, mesh);
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
    const worlds = this.worlds();
    this.rest = createRestPose(
      this.nodes.map((node, i): Bone => {
        const bind = binds.get(node);
        const { position, rotation } = decompose(worlds, i * 16);
        return {
          name: names[i] as string,
          parent: this.nodes.indexOf(node.parent as Object3D),
          current: { position, rotation },
          moves: false,
          ...(bind && { bind: decompose(bind.matrix), hasWeights: bind.hasWeights }),
        };
      }),
    );
    this.isAtRest = this.rest.bones.every(
      ({ rotation }, i) => halfAngleCosine(rotation, decompose(worlds, i * 16).rotation) > 1 - 1e-7,
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

  /** Returns the current world matrices of the bones, 16 numbers each, relative to the ground pose of the model. */
  worlds(): Matrices {
    this.#root.updateMatrixWorld(true);
    const worlds = new Float64Array(this.nodes.length * 16);
    const world = new Matrix4();
    this.nodes.forEach((node, bone) => {
      worlds.set(world.multiplyMatrices(this.#worldToGround, node.matrixWorld).elements, bone * 16);
    });
    return worlds;
  }

  /** Returns the bones for `computeTracks` and `createPoser`. */
  character(): Character {
    const { rest } = this;
    const bones = this.nodes.map((node, i) => {
      const part = { translation: node.position.toArray() as Vector, scale: node.scale.toArray() as Vector };
      if ((rest.bones[i]?.parent ?? -1) >= 0) return part;
      // If the root is a bone itself, its transform is relative to the ground pose, which is at its own position.
      const parent = node === this.#root ? null : node.parent;
      const world = parent && new Matrix4().multiplyMatrices(this.#worldToGround, parent.matrixWorld);
      return { ...part, parent: world ? Float64Array.from(world.elements) : identityMatrix() };
    });
    const matrices = restMatrices(rest, this.worlds());
    return { rest, bones, matrices, lowest: this.#lowest(matrices) };
  }

  /** Returns the height of the lowest vertex of the skinned meshes at rest, or of the lowest bone without meshes. */
  #lowest(matrices: Matrices): number {
    const heights = this.#meshes.map((mesh) => lowestOfMesh(mesh, this.nodes, matrices)).filter(Number.isFinite);
    return heights.length > 0 ? Math.min(...heights) : Math.min(...this.rest.bones.map(({ position }) => position[1]));
  }
}

/** The world matrix of a bone when a mesh was bound to it, and whether a vertex follows the bone. */
interface Bind {
  matrix: Matrices;
  hasWeights: boolean;
}

/** Adds the binds of a mesh. Matrices that have no inverse or that mirror are left out: they are no pose of a body. */
function addBinds(binds: Map<Object3D, Bind>, { geometry, skeleton }: SkinnedMesh): void {
  const [joints, weights] = [geometry.getAttribute("skinIndex"), geometry.getAttribute("skinWeight")];
  const followed = new Set<number>();
  for (let vertex = 0; joints && weights && vertex < joints.count; vertex++) {
    for (let i = 0; i < 4; i++) if (weights.getComponent(vertex, i) > 0) followed.add(joints.getComponent(vertex, i));
  }
  skeleton.bones.forEach((bone, i) => {
    const inverse = skeleton.boneInverses[i];
    if (!inverse || binds.get(bone)?.hasWeights) return;
    const matrix = invertMatrix(Float64Array.from(inverse.elements));
    if (matrix && determinant(matrix) > 0) binds.set(bone, { matrix, hasWeights: followed.has(i) || !joints });
  });
}

/** Returns the height of the lowest vertex of a mesh. `matrices`: world matrix of each of the `nodes`, 16 numbers each. */
function lowestOfMesh(
  { geometry, bindMatrix, skeleton }: SkinnedMesh,
  nodes: readonly Object3D[],
  matrices: Matrices,
): number {
  const [points, joints, weights] = ["position", "skinIndex", "skinWeight"].map((name) => geometry.getAttribute(name));
  if (!points || !joints || !weights) return Infinity;
  const list = (attribute: typeof points, width: number): Float64Array =>
    Float64Array.from({ length: attribute.count * width }, (_, i) =>
      attribute.getComponent(Math.floor(i / width), i % width),
    );
  const inverses = new Float64Array(skeleton.bones.length * 16);
  const worlds = skeleton.bones.map((bone, i): readonly [Matrices, number] | undefined => {
    const inverse = skeleton.boneInverses[i];
    if (inverse) inverses.set(new Matrix4().multiplyMatrices(inverse, bindMatrix).elements, i * 16);
    const index = nodes.indexOf(bone);
    return inverse && index >= 0 ? [matrices, index * 16] : undefined;
  });
  const vertices = { positions: list(points, 3), influences: [[list(joints, 4), list(weights, 4)] as const] };
  return lowestVertex(vertices, worlds, inverses);
}
