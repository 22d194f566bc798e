/** Vertices of a file's meshes: which joints they follow, and the height of the lowest one in a pose. */
import type { Matrices } from "../bones/matrix.js";
import { lowestVertex, type SkinnedVertices } from "../bones/vertices.js";
import { type AccessorReader, componentCount } from "./accessor.js";
import type { Gltf, GltfJson } from "./document.js";

/** Maximum number of vertices of a file that are read; those of further meshes are left out. */
const MAX_VERTICES = 4_000_000;

type Primitive = NonNullable<GltfJson["meshes"]>[number]["primitives"][number];

/** Returns the primitives of the meshes that a skin deforms, each mesh once. */
function primitivesOfSkin({ nodes = [], meshes = [] }: GltfJson, skin: number): Primitive[] {
  const skinned = new Set(nodes.filter((node) => node.skin === skin).map(({ mesh }) => mesh ?? -1));
  return [...skinned].flatMap((mesh) => meshes[mesh]?.primitives ?? []);
}

/** Whether the values of an accessor are in the file, not only in data compressed by Draco. */
const isStored = ({ json }: Gltf, accessor: number | undefined): accessor is number =>
  accessor !== undefined &&
  (json.accessors?.[accessor]?.bufferView !== undefined || json.accessors?.[accessor]?.sparse !== undefined);

/** Returns the attributes of a primitive with the joints and weights of its vertices, four of each per set. */
function influences(file: Gltf, { attributes }: Primitive): [joints: number, weights: number][] {
  const sets: [number, number][] = [];
  for (let set = 0; set < 8; set++) {
    const [joints, weights] = [attributes[`JOINTS_${set}`], attributes[`WEIGHTS_${set}`]];
    if (!isStored(file, joints) || !isStored(file, weights)) break;
    const accessors = file.json.accessors ?? [];
    const [a, b] = [accessors[joints], accessors[weights]];
    if (!a || !b || a.count !== b.count || componentCount(a) !== 4 || componentCount(b) !== 4) break;
    sets.push([joints, weights]);
  }
  return sets;
}

/**
 * Returns the joints of a skin, as indices in its list, that at least one vertex follows; `undefined` if this is
 * unknown, because no mesh with this skin is stored in the file.
 */
export function jointsWithWeights(file: Gltf, accessors: AccessorReader, skin: number): Set<number> | undefined {
  const followed = new Set<number>();
  let remaining = MAX_VERTICES;
  let isKnown = false;
  for (const primitive of primitivesOfSkin(file.json, skin)) {
    for (const [jointAccessor, weightAccessor] of influences(file, primitive)) {
      remaining -= accessors.accessor(jointAccessor).count;
      if (remaining < 0) return undefined;
      const [joints, weights] = [accessors.read(jointAccessor), accessors.read(weightAccessor)];
      isKnown = true;
      for (let i = 0; i < joints.length; i++) if ((weights[i] as number) > 0) followed.add(joints[i] as number);
    }
  }
  return isKnown ? followed : undefined;
}

/** The pose in which vertices are measured. */
export interface MeshPose {
  /** Returns the world matrix of a node as its offset in an array; `undefined` if the node is no part of the body. */
  world(node: number): readonly [Matrices, number] | undefined;
  /** Returns the inverse bind matrices of a skin, 16 numbers for each of its joints. */
  inverseBinds(skin: number): Float64Array;
}

/** Heights of the lowest vertices of a body; infinite if it has none. */
export interface LowestVertices {
  /** Of meshes that a skin deforms, each by its own skin. */
  skinned: number;
  /** Of meshes that hang at bones: the parts of a robot, weapons. */
  rigid: number;
}

/** Returns the heights of the lowest vertices of a body in a pose. */
export function lowestVerticesOf(file: Gltf, accessors: AccessorReader, pose: MeshPose): LowestVertices {
  const { nodes = [], meshes = [], skins = [] } = file.json;
  const measured = new Set<string>();
  const lowest: LowestVertices = { skinned: Infinity, rigid: Infinity };
  let remaining = MAX_VERTICES;
  nodes.forEach(({ mesh, skin }, node) => {
    if (mesh === undefined) return;
    const key = skin === undefined ? `${mesh} at ${node}` : `${mesh} ${skin}`;
    if (measured.has(key)) return;
    measured.add(key);
    const matrices = skin === undefined ? [pose.world(node)] : skins[skin]?.joints.map((joint) => pose.world(joint));
    if (!matrices?.some((matrix) => matrix !== undefined)) return;
    const bindMatrices = skin === undefined ? undefined : pose.inverseBinds(skin);
    for (const primitive of meshes[mesh]?.primitives ?? []) {
      const vertices = readVertices(file, accessors, primitive, skin !== undefined);
      if (!vertices || (remaining -= vertices.positions.length / 3) < 0) continue;
      const kind = skin === undefined ? "rigid" : "skinned";
      lowest[kind] = Math.min(lowest[kind], lowestVertex(vertices, matrices, bindMatrices));
    }
  });
  return lowest;
}

/** Reads the positions of a primitive, and the joints and weights of its vertices. */
function readVertices(
  file: Gltf,
  accessors: AccessorReader,
  primitive: Primitive,
  isSkinned: boolean,
): SkinnedVertices | undefined {
  const index = primitive.attributes["POSITION"];
  const accessor = file.json.accessors?.[index ?? -1];
  if (index === undefined || !accessor || componentCount(accessor) !== 3) return undefined;
  if (!isStored(file, index)) return undefined;
  const positions = accessors.read(index);
  const sets = isSkinned ? influences(file, primitive) : [];
  if (isSkinned && sets.length === 0) return undefined;
  const fits = sets.every(([joints]) => accessors.accessor(joints).count === accessor.count);
  if (!fits) return undefined;
  return { positions, influences: sets.map(([joints, weights]) => [accessors.read(joints), accessors.read(weights)]) };
}
