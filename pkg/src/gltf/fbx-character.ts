/** A character of a glTF file with a motion, as the content of an FBX file. */
import { identityMatrix, invertMatrix } from "../bones/matrix.js";
import { files } from "../core/files.js";
import type { Clip } from "../core/types.js";
import type { FbxMesh, FbxScene } from "../write-fbx/scene.js";
import { AccessorReader, componentCount } from "./accessor.js";
import { inverseBinds } from "./bones.js";
import type { Gltf, GltfJson } from "./document.js";
import { withoutDraco } from "./draco.js";
import { parentsOf, Scene } from "./scene.js";
import type { AnimateOptions } from "./tasks.js";

type Primitive = NonNullable<GltfJson["meshes"]>[number]["primitives"][number] & {
  indices?: number;
  material?: number;
  mode?: number;
};

/** Mode of primitives that are lists of triangles; the default. */
const TRIANGLES = 4;

/** Returns the nodes of the bones with all their ancestors, the motion on them, and the skinned meshes. */
export async function characterScene(
  file: Gltf,
  clip: Clip,
  { rootMotion = "keep", ground, rig, name, signal }: AnimateOptions,
): Promise<FbxScene> {
  const gltf = await files().gltf();
  const plain = await withoutDraco(file);
  const body = await gltf.readCharacter(plain, signal);
  const tracks = await gltf.computeTracks(clip, body.character, rootMotion, { ...body.rig, ...rig }, ground);
  const { json } = plain;
  const joints = new Set((json.skins ?? []).flatMap((skin) => skin.joints));
  const scene = new Scene(json, parentsOf(json), [...body.nodes, ...joints]);
  const bones = new Set([...body.nodes, ...joints]);
  const nodes = scene.nodes.map((node, slot) => ({
    name: json.nodes?.[node]?.name ?? `node ${node}`,
    parent: scene.parents[slot] as number,
    ...scene.localTransform(node),
    isBone: bones.has(node),
  }));
  return {
    name: name ?? clip.name,
    fps: tracks.fps,
    frames: tracks.frames,
    nodes,
    tracks: body.nodes.map((node, bone) => {
      const translations = tracks.positions[bone];
      return {
        node: scene.slotOf(node),
        rotations: tracks.rotations[bone] as Float32Array,
        ...(translations && { translations }),
      };
    }),
    meshes: readMeshes(plain, scene),
  };
}

/** Reads the primitives of all skinned meshes. */
function readMeshes(file: Gltf, scene: Scene): FbxMesh[] {
  const accessors = new AccessorReader(file);
  const { nodes = [], meshes = [] } = file.json;
  return nodes.flatMap(({ mesh, skin, name }) => {
    if (mesh === undefined || skin === undefined) return [];
    return (meshes[mesh]?.primitives ?? []).flatMap((primitive) =>
      readMesh(file, accessors, { primitive, skin, name: name ?? `mesh ${mesh}` }, scene),
    );
  });
}

/** Reads one primitive; nothing if it is no list of triangles, or its vertices follow no bones. */
function readMesh(
  file: Gltf,
  accessors: AccessorReader,
  { primitive, skin, name }: { primitive: Primitive; skin: number; name: string },
  scene: Scene,
): FbxMesh[] {
  const { attributes, indices, mode = TRIANGLES } = primitive;
  const read = (attribute: string, width: number): Float32Array | undefined => {
    const index = attributes[attribute];
    if (index === undefined || componentCount(accessors.accessor(index)) !== width) return undefined;
    return accessors.read(index);
  };
  const [positions, joints, weights] = [read("POSITION", 3), read("JOINTS_0", 4), read("WEIGHTS_0", 4)];
  if (mode !== TRIANGLES || !positions || !joints || !weights) return [];
  const count = positions.length / 3;
  if (joints.length !== 4 * count || weights.length !== 4 * count) return [];
  const others = [read("JOINTS_1", 4), read("WEIGHTS_1", 4)];
  const hasMore = others.every((values) => values?.length === 4 * count);
  const sets = hasMore ? [joints, others[0] as Float32Array] : [joints];
  const weightSets = hasMore ? [weights, others[1] as Float32Array] : [weights];
  const binds = inverseBinds(file, accessors, skin);
  const uvs = read("TEXCOORD_0", 2);
  return [
    {
      name,
      positions,
      normals: lengthOf(read("NORMAL", 3), count * 3),
      // In glTF (0, 0) is the upper left corner.
      uvs: lengthOf(uvs, count * 2).map((value, i) => (i % 2 === 1 ? 1 - value : value)),
      indices:
        indices === undefined
          ? Uint32Array.from({ length: count }, (_, i) => i)
          : Uint32Array.from(accessors.read(indices)),
      joints: (file.json.skins?.[skin]?.joints ?? []).map((node, i) => ({
        node: scene.slotOf(node),
        // A bone without an invertible matrix has no weights.
        bind: Float32Array.from(invertMatrix(binds, i * 16) ?? identityMatrix()),
      })),
      influences: Uint32Array.from(interleave(sets)),
      weights: interleave(weightSets),
      color: colorOf(file.json, primitive),
    },
  ];
}

/** Returns values of this length, or none. */
const lengthOf = (values: Float32Array | undefined, length: number): Float32Array =>
  values?.length === length ? values : new Float32Array();

/** Joins sets of four values for each vertex. */
function interleave(sets: readonly Float32Array[]): Float32Array {
  const [first] = sets;
  if (sets.length === 1 || !first) return first ?? new Float32Array();
  const width = 4 * sets.length;
  const values = new Float32Array(first.length * sets.length);
  sets.forEach((set, index) => {
    for (let i = 0; i < set.length; i += 4) values.set(set.subarray(i, i + 4), (i / 4) * width + 4 * index);
  });
  return values;
}

/** Returns the base colour of a primitive's material; a light grey without a material. */
function colorOf(
  { materials = [] }: GltfJson & { materials?: unknown[] },
  { material }: Primitive,
): [number, number, number] {
  const values = materials[material ?? -1] as { pbrMetallicRoughness?: { baseColorFactor?: unknown } } | undefined;
  const color = values?.pbrMetallicRoughness?.baseColorFactor;
  if (!Array.isArray(color) || !color.slice(0, 3).every((part) => typeof part === "number")) return [0.8, 0.8, 0.8];
  return [Number(color[0] ?? 1), Number(color[1] ?? 1), Number(color[2] ?? 1)];
}
