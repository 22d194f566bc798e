/**
 * Checks a glTF document before it is read (glTF 2.0, sections 3.5 to 3.11 and 5): every property that this package or
 * a loader reads has its type; every index is within its list; nodes form trees; accessors are within their buffers.
 * Time and memory for a checked document are proportional to the size of the file. The extensions of VRM are not
 * checked here.
 */
import { KinestitchError, messageOf } from "../core/error.js";
import { quote } from "../core/quote.js";
import type { GltfAccessor, GltfJson } from "./document.js";
import { EXPANSION_BYTES, MAX_BYTES, MAX_DEPTH, MAX_ENTRIES, MAX_REFERENCES, limitError } from "./limits.js";

type Entry = Record<string, unknown>;

/** Creates the error for a damaged or unsupported glTF file. `fault`: the fault, as a clause of the message. */
export const damagedFile = (fault: string): KinestitchError =>
  new KinestitchError("glb", `the glTF file cannot be read: ${fault}`);

/** Converts unexpected errors of the reader to errors of the file. */
export async function convertErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KinestitchError) throw error;
    throw new KinestitchError("glb", damagedFile(messageOf(error)).message, { cause: error });
  }
}

/** Properties of a document that are lists of objects. */
const LISTS = [
  "accessors",
  "animations",
  "buffers",
  "bufferViews",
  "cameras",
  "images",
  "materials",
  "meshes",
  "nodes",
  "samplers",
  "scenes",
  "skins",
  "textures",
] as const;
/** Number of bytes of a component, by the component type of glTF. */
const COMPONENT_BYTES: Readonly<Record<number, number>> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
/** Number of components of an element, by the accessor type of glTF. */
export const COMPONENTS_PER_TYPE: Readonly<Record<string, number>> = {
  SCALAR: 1,
  VEC2: 2,
  VEC3: 3,
  VEC4: 4,
  MAT2: 4,
  MAT3: 9,
  MAT4: 16,
};

/** Name of the extension for compressed meshes. */
export const DRACO = "KHR_draco_mesh_compression";

const isObject = (value: unknown): value is Entry =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Location of a fault in a document, for messages. */
type Location = string;

function checkList(value: unknown, path: Location): Entry[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw damagedFile(`${path} is not a list`);
  if (value.length > MAX_ENTRIES) throw limitError(`${value.length.toLocaleString("en")} ${path}`, MAX_ENTRIES);
  value.forEach((entry, i) => {
    if (!isObject(entry)) throw damagedFile(`${path}[${i}] is not an object`);
  });
  return value as Entry[];
}

function checkWhole(value: unknown, path: Location, defaultValue?: number): number {
  if (value === undefined && defaultValue !== undefined) return defaultValue;
  if (!isWhole(value)) throw damagedFile(`${path} is not a whole number`);
  return value;
}

function checkText(value: unknown, path: Location): void {
  if (value !== undefined && typeof value !== "string") throw damagedFile(`${path} is not a text`);
}

function checkNumbers(value: unknown, count: number, path: Location): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.length !== count || !value.every((number) => Number.isFinite(number)))
    throw damagedFile(`${path} is not ${count} numbers`);
}

/** Checks an index that may be absent. */
function checkIndex(value: unknown, length: number, path: Location): void {
  if (value !== undefined && !(isWhole(value) && value < length))
    throw damagedFile(`${path} refers to a missing element`);
}

function checkIndices(value: unknown, length: number, path: Location): number[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw damagedFile(`${path} is not a list`);
  if (value.length > MAX_REFERENCES)
    throw limitError(`${value.length.toLocaleString("en")} entries in ${path}`, MAX_REFERENCES);
  value.forEach((entry: unknown, i) => {
    if (!(isWhole(entry) && entry < length)) throw damagedFile(`${path}[${i}] refers to a missing element`);
  });
  return value as number[];
}

/** Returns the document if it is valid; otherwise throws. */
export function checkJson(value: unknown): GltfJson {
  const json = value as Entry;
  const asset = isObject(value) ? json["asset"] : undefined;
  const version = isObject(asset) ? asset["version"] : undefined;
  if (typeof version !== "string") throw damagedFile("its JSON is not a glTF document");
  if (!version.startsWith("2.")) throw damagedFile(`it is glTF ${quote(version).slice(1, -1)}; only glTF 2 is read`);
  for (const name of LISTS) checkList(json[name], name);
  for (const name of ["extensionsUsed", "extensionsRequired"]) {
    const names = json[name];
    if (names !== undefined && !(Array.isArray(names) && names.every((entry) => typeof entry === "string")))
      throw damagedFile(`${name} is not a list of texts`);
  }
  const document = value as GltfJson;
  checkBuffers(document);
  checkAccessors(document);
  checkNodes(document);
  checkSkins(document);
  checkAnimations(document);
  checkMeshes(document);
  return document;
}

function checkBuffers({ buffers = [], bufferViews = [], images = [] }: GltfJson): void {
  let bytes = 0;
  buffers.forEach(({ byteLength, uri }, i) => {
    bytes += checkWhole(byteLength, `buffers[${i}].byteLength`);
    checkText(uri, `buffers[${i}].uri`);
  });
  if (bytes > MAX_BYTES) throw limitError(`${bytes.toLocaleString("en")} bytes`, MAX_BYTES);
  bufferViews.forEach(({ buffer, byteOffset, byteLength, byteStride }, i) => {
    const path = `bufferViews[${i}]`;
    if (!isWhole(buffer) || buffer >= buffers.length) throw damagedFile(`${path}.buffer refers to a missing element`);
    const end = checkWhole(byteOffset, `${path}.byteOffset`, 0) + checkWhole(byteLength, `${path}.byteLength`);
    if (end > (buffers[buffer]?.byteLength ?? 0)) throw damagedFile(`${path} reaches beyond its buffer`);
    const stride = checkWhole(byteStride, `${path}.byteStride`, 4);
    if (stride < 4 || stride > 252) throw damagedFile(`${path}.byteStride is not from 4 to 252`);
  });
  images.forEach(({ uri, mimeType, bufferView }, i) => {
    checkText(uri, `images[${i}].uri`);
    checkText(mimeType, `images[${i}].mimeType`);
    checkIndex(bufferView, bufferViews.length, `images[${i}].bufferView`);
  });
}

/** Returns the number of bytes of an element. Columns of small matrices begin at multiples of four bytes. */
function elementBytes(componentType: number, type: string): number {
  const size = COMPONENT_BYTES[componentType] as number;
  if (type === "MAT2" && size === 1) return 8;
  if (type === "MAT3" && size < 4) return size * 12;
  return size * (COMPONENTS_PER_TYPE[type] as number);
}

/** Returns the number of bytes of an accessor's values, stored without gaps. */
export const accessorBytes = ({ componentType, type, count }: GltfAccessor): number =>
  count * elementBytes(componentType, type);

function checkAccessors({ accessors = [], bufferViews = [], extensionsUsed = [] }: GltfJson): void {
  let unstoredBytes = 0;
  const checkExtent = (view: unknown, offset: unknown, count: number, size: number, path: Location): void => {
    if (!isWhole(view) || view >= bufferViews.length)
      throw damagedFile(`${path}.bufferView refers to a missing element`);
    const { byteLength, byteStride = size } = bufferViews[view] as NonNullable<GltfJson["bufferViews"]>[number];
    const end = checkWhole(offset, `${path}.byteOffset`, 0) + (count - 1) * Math.max(byteStride, size) + size;
    if (end > byteLength) throw damagedFile(`${path} reaches beyond its view`);
  };
  accessors.forEach((accessor, i) => {
    const path = `accessors[${i}]`;
    const { componentType, type, bufferView, byteOffset, min, max, sparse } = accessor;
    if (typeof componentType !== "number" || !Object.hasOwn(COMPONENT_BYTES, componentType))
      throw damagedFile(`${path}.componentType is unknown`);
    if (typeof type !== "string" || !Object.hasOwn(COMPONENTS_PER_TYPE, type))
      throw damagedFile(`${path}.type is unknown`);
    const count = checkWhole(accessor.count, `${path}.count`);
    if (count === 0) throw damagedFile(`${path}.count is 0`);
    const size = elementBytes(componentType, type);
    if (bufferView === undefined) unstoredBytes += count * size;
    else checkExtent(bufferView, byteOffset, count, size, path);
    for (const [name, limits] of [
      ["min", min],
      ["max", max],
    ] as const) {
      if (limits !== undefined && !(Array.isArray(limits) && limits.every((limit) => Number.isFinite(limit))))
        throw damagedFile(`${path}.${name} is not a list of numbers`);
    }
    if (sparse === undefined) return;
    if (!isObject(sparse)) throw damagedFile(`${path}.sparse is not an object`);
    const { count: countValue, indices: sparseIndices, values } = sparse as unknown as Entry;
    const sparseCount = checkWhole(countValue, `${path}.sparse.count`);
    if (sparseCount === 0 || sparseCount > count) throw damagedFile(`${path}.sparse.count is not from 1 to ${count}`);
    if (!isObject(sparseIndices) || !isObject(values)) throw damagedFile(`${path}.sparse has no indices or no values`);
    const width = [5121, 5123, 5125].includes(sparseIndices["componentType"] as number)
      ? (COMPONENT_BYTES[sparseIndices["componentType"] as number] as number)
      : undefined;
    if (width === undefined) throw damagedFile(`${path}.sparse.indices.componentType is unknown`);
    checkExtent(sparseIndices["bufferView"], sparseIndices["byteOffset"], sparseCount, width, `${path}.sparse.indices`);
    checkExtent(values["bufferView"], values["byteOffset"], sparseCount, size, `${path}.sparse.values`);
    // A reader copies the whole accessor to apply the sparse values.
    if (bufferView !== undefined) unstoredBytes += count * size;
  });
  // Data compressed by Draco is in no buffer view, and is not decompressed here.
  const allowedBytes = extensionsUsed.includes(DRACO) ? MAX_BYTES : EXPANSION_BYTES;
  if (unstoredBytes > allowedBytes)
    throw limitError(`${unstoredBytes.toLocaleString("en")} bytes of accessors without stored data`, allowedBytes);
}

function checkNodes({
  nodes = [],
  meshes = [],
  skins = [],
  cameras = [],
  scenes = [],
}: GltfJson & { cameras?: unknown[]; scenes?: Entry[] }): void {
  const parents = new Int32Array(nodes.length).fill(-1);
  nodes.forEach((node, i) => {
    const path = `nodes[${i}]`;
    checkText(node.name, `${path}.name`);
    checkIndex(node.mesh, meshes.length, `${path}.mesh`);
    checkIndex(node.skin, skins.length, `${path}.skin`);
    checkIndex((node as Entry)["camera"], cameras.length, `${path}.camera`);
    checkNumbers(node.translation, 3, `${path}.translation`);
    checkNumbers(node.rotation, 4, `${path}.rotation`);
    checkNumbers(node.scale, 3, `${path}.scale`);
    checkNumbers(node.matrix, 16, `${path}.matrix`);
    for (const child of checkIndices(node.children, nodes.length, `${path}.children`)) {
      if (parents[child] !== -1) throw damagedFile(`nodes[${child}] is a child twice`);
      parents[child] = i;
    }
  });
  scenes.forEach((scene, i) => checkIndices(scene["nodes"], nodes.length, `scenes[${i}].nodes`));
  // Depth of each node, 1 for roots. The search starts at the roots, so the nodes of cycles keep 0.
  const depths = new Int32Array(nodes.length);
  const stack = [...parents.keys()].filter((node) => parents[node] === -1);
  for (const root of stack) depths[root] = 1;
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    const depth = (depths[node] as number) + 1;
    for (const child of nodes[node]?.children ?? []) {
      if (depth > MAX_DEPTH) throw limitError("too many levels of nodes", `${MAX_DEPTH} levels`);
      depths[child] = depth;
      stack.push(child);
    }
  }
  const unreachable = depths.indexOf(0);
  if (unreachable >= 0) throw damagedFile(`nodes[${unreachable}] is its own ancestor`);
}

function checkSkins({ skins = [], nodes = [], accessors = [] }: GltfJson): void {
  let total = 0;
  skins.forEach((skin, i) => {
    const path = `skins[${i}]`;
    const joints = checkIndices(skin.joints, nodes.length, `${path}.joints`);
    if (joints.length === 0) throw damagedFile(`${path} has no joints`);
    if ((total += joints.length) > MAX_ENTRIES)
      throw limitError("too many joints of skins", `${MAX_ENTRIES.toLocaleString("en")} joints`);
    checkIndex(skin.skeleton, nodes.length, `${path}.skeleton`);
    checkIndex(skin.inverseBindMatrices, accessors.length, `${path}.inverseBindMatrices`);
    const matrices = accessors[skin.inverseBindMatrices ?? -1];
    if (matrices && (matrices.type !== "MAT4" || matrices.componentType !== 5126))
      throw damagedFile(`${path}.inverseBindMatrices are not matrices`);
  });
}

function checkAnimations({ animations = [], nodes = [], accessors = [] }: GltfJson): void {
  let total = 0;
  animations.forEach((animation, i) => {
    const path = `animations[${i}]`;
    checkText(animation.name, `${path}.name`);
    const samplers = checkList(animation.samplers, `${path}.samplers`);
    const channels = checkList(animation.channels, `${path}.channels`);
    if ((total += channels.length + samplers.length) > MAX_REFERENCES)
      throw limitError("too many channels of animations", `${MAX_REFERENCES.toLocaleString("en")} channels`);
    samplers.forEach(({ input, output, interpolation }, k) => {
      if (input === undefined || output === undefined) throw damagedFile(`${path}.samplers[${k}] has no keys`);
      checkIndex(input, accessors.length, `${path}.samplers[${k}].input`);
      checkIndex(output, accessors.length, `${path}.samplers[${k}].output`);
      checkText(interpolation, `${path}.samplers[${k}].interpolation`);
      const times = accessors[input as number];
      if (times?.type !== "SCALAR" || times.componentType !== 5126 || times.bufferView === undefined)
        throw damagedFile(`${path}.samplers[${k}].input is not a list of times`);
    });
    channels.forEach(({ sampler, target }, k) => {
      if (sampler === undefined) throw damagedFile(`${path}.channels[${k}] has no sampler`);
      checkIndex(sampler, samplers.length, `${path}.channels[${k}].sampler`);
      if (!isObject(target)) throw damagedFile(`${path}.channels[${k}] has no target`);
      if (typeof target["path"] !== "string") throw damagedFile(`${path}.channels[${k}].target.path is not a text`);
      checkIndex(target["node"], nodes.length, `${path}.channels[${k}].target.node`);
    });
  });
}

function checkMeshes({ meshes = [], accessors = [] }: GltfJson): void {
  let total = 0;
  meshes.forEach((mesh, i) => {
    checkList(mesh.primitives, `meshes[${i}].primitives`).forEach((primitive, k) => {
      const path = `meshes[${i}].primitives[${k}]`;
      checkIndex(primitive["indices"], accessors.length, `${path}.indices`);
      const targets = checkList(primitive["targets"], `${path}.targets`);
      if (!isObject(primitive["attributes"])) throw damagedFile(`${path} has no attributes`);
      for (const attributes of [primitive["attributes"], ...targets]) {
        for (const [name, accessor] of Object.entries(attributes)) {
          if (++total > MAX_REFERENCES)
            throw limitError("too many attributes of meshes", `${MAX_REFERENCES.toLocaleString("en")} attributes`);
          if (accessor === undefined || !isWhole(accessor) || accessor >= accessors.length)
            throw damagedFile(`${path} has no values for ${quote(name)}`);
        }
      }
    });
  });
}
