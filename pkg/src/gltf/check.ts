/**
 * Checks a glTF document before anything reads it (glTF 2.0, sections 3.5 to 3.11 and 5): every property that is
 * read, here or by a loader, has its type; every index is within its list; nodes are trees; numbers are within their
 * buffers. Time and memory for a checked document are proportional to the size of the file.
 */
import { KinestitchError } from "../core/error.js";
import { quoted } from "../core/quote.js";
import type { GltfJson } from "./document.js";
import { FREE_BYTES, MAX_BYTES, MAX_DEPTH, MAX_ENTRIES, MAX_REFERENCES, over } from "./limits.js";

type Entry = Record<string, unknown>;

/** The error of a damaged or unsupported glTF file; `how`: the fault, as the end of a sentence. */
export const broken = (how: string): KinestitchError =>
  new KinestitchError("glb", `this is no glTF file that can be read: ${how}`);

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
/** Bytes of a component, by its type. */
const COMPONENTS: Readonly<Record<number, number>> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const PARTS: Readonly<Record<string, number>> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };

/** Name of the extension for compressed meshes. */
export const DRACO = "KHR_draco_mesh_compression";

const isObject = (value: unknown): value is Entry =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Location of a fault in a document, for messages. */
type Place = string;

function list(value: unknown, place: Place): Entry[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw broken(`${place} is no list`);
  if (value.length > MAX_ENTRIES) throw over(`${value.length.toLocaleString("en")} ${place}`, MAX_ENTRIES);
  value.forEach((entry, i) => {
    if (!isObject(entry)) throw broken(`${place}[${i}] is no object`);
  });
  return value as Entry[];
}

function whole(value: unknown, place: Place, otherwise?: number): number {
  if (value === undefined && otherwise !== undefined) return otherwise;
  if (!isWhole(value)) throw broken(`${place} is no whole number`);
  return value;
}

function text(value: unknown, place: Place): void {
  if (value !== undefined && typeof value !== "string") throw broken(`${place} is no text`);
}

function numbers(value: unknown, count: number, place: Place): void {
  if (value === undefined) return;
  if (!Array.isArray(value) || value.length !== count || !value.every((number) => Number.isFinite(number)))
    throw broken(`${place} is not ${count} numbers`);
}

/** Checks an index that may be absent. */
function index(value: unknown, length: number, place: Place): void {
  if (value !== undefined && !(isWhole(value) && value < length)) throw broken(`${place} leads nowhere`);
}

function indices(value: unknown, length: number, place: Place): number[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw broken(`${place} is no list`);
  if (value.length > MAX_REFERENCES)
    throw over(`${value.length.toLocaleString("en")} entries in ${place}`, MAX_REFERENCES);
  value.forEach((entry: unknown, i) => {
    if (!(isWhole(entry) && entry < length)) throw broken(`${place}[${i}] leads nowhere`);
  });
  return value as number[];
}

/** Returns the document if all its parts are valid. */
export function checkedJson(value: unknown): GltfJson {
  const json = value as Entry;
  const asset = isObject(value) ? json["asset"] : undefined;
  const version = isObject(asset) ? asset["version"] : undefined;
  if (typeof version !== "string") throw broken("its JSON is of something else");
  if (!version.startsWith("2.")) throw broken(`it is glTF ${quoted(version).slice(1, -1)}; only glTF 2 is read`);
  for (const name of LISTS) list(json[name], name);
  for (const name of ["extensionsUsed", "extensionsRequired"]) {
    const names = json[name];
    if (names !== undefined && !(Array.isArray(names) && names.every((entry) => typeof entry === "string")))
      throw broken(`${name} is no list of texts`);
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
    bytes += whole(byteLength, `buffers[${i}].byteLength`);
    text(uri, `buffers[${i}].uri`);
  });
  if (bytes > MAX_BYTES) throw over(`${bytes.toLocaleString("en")} bytes`, MAX_BYTES);
  bufferViews.forEach(({ buffer, byteOffset, byteLength, byteStride }, i) => {
    const place = `bufferViews[${i}]`;
    if (!isWhole(buffer) || buffer >= buffers.length) throw broken(`${place}.buffer leads nowhere`);
    const end = whole(byteOffset, `${place}.byteOffset`, 0) + whole(byteLength, `${place}.byteLength`);
    if (end > (buffers[buffer]?.byteLength ?? 0)) throw broken(`${place} reaches beyond its buffer`);
    const stride = whole(byteStride, `${place}.byteStride`, 4);
    if (stride < 4 || stride > 252) throw broken(`${place}.byteStride is not from 4 to 252`);
  });
  images.forEach(({ uri, mimeType, bufferView }, i) => {
    text(uri, `images[${i}].uri`);
    text(mimeType, `images[${i}].mimeType`);
    index(bufferView, bufferViews.length, `images[${i}].bufferView`);
  });
}

/** Number of bytes of one element: columns of small matrices begin at multiples of four. */
function elementBytes(componentType: number, type: string): number {
  const size = COMPONENTS[componentType] as number;
  if (type === "MAT2" && size === 1) return 8;
  if (type === "MAT3" && size < 4) return size * 12;
  return size * (PARTS[type] as number);
}

/** Bytes of an accessor's values, tightly packed. */
export const bytesOf = ({ componentType, type, count }: NonNullable<GltfJson["accessors"]>[number]): number =>
  count * elementBytes(componentType, type);

function checkAccessors({ accessors = [], bufferViews = [], extensionsUsed = [] }: GltfJson): void {
  let unseen = 0;
  const fits = (view: unknown, offset: unknown, count: number, size: number, place: Place): void => {
    if (!isWhole(view) || view >= bufferViews.length) throw broken(`${place}.bufferView leads nowhere`);
    const { byteLength, byteStride = size } = bufferViews[view] as NonNullable<GltfJson["bufferViews"]>[number];
    const end = whole(offset, `${place}.byteOffset`, 0) + (count - 1) * Math.max(byteStride, size) + size;
    if (end > byteLength) throw broken(`${place} reaches beyond its view`);
  };
  accessors.forEach((accessor, i) => {
    const place = `accessors[${i}]`;
    const { componentType, type, bufferView, byteOffset, min, max, sparse } = accessor;
    if (COMPONENTS[componentType] === undefined || !Object.hasOwn(COMPONENTS, componentType))
      throw broken(`${place}.componentType is none`);
    if (typeof type !== "string" || !Object.hasOwn(PARTS, type)) throw broken(`${place}.type is none`);
    const count = whole(accessor.count, `${place}.count`);
    if (count === 0) throw broken(`${place}.count is 0`);
    const size = elementBytes(componentType, type);
    if (bufferView === undefined) unseen += count * size;
    else fits(bufferView, byteOffset, count, size, place);
    for (const [name, limits] of [
      ["min", min],
      ["max", max],
    ] as const) {
      if (limits !== undefined && !(Array.isArray(limits) && limits.every((limit) => Number.isFinite(limit))))
        throw broken(`${place}.${name} is no list of numbers`);
    }
    if (sparse === undefined) return;
    if (!isObject(sparse)) throw broken(`${place}.sparse is no object`);
    const { count: some, indices: at, values } = sparse as Entry;
    const few = whole(some, `${place}.sparse.count`);
    if (few === 0 || few > count) throw broken(`${place}.sparse.count is not from 1 to ${count}`);
    if (!isObject(at) || !isObject(values)) throw broken(`${place}.sparse has no indices or no values`);
    const width = [5121, 5123, 5125].includes(at["componentType"] as number)
      ? (COMPONENTS[at["componentType"] as number] as number)
      : undefined;
    if (width === undefined) throw broken(`${place}.sparse.indices.componentType is none`);
    fits(at["bufferView"], at["byteOffset"], few, width, `${place}.sparse.indices`);
    fits(values["bufferView"], values["byteOffset"], few, size, `${place}.sparse.values`);
    // The few accessors that differ are copied.
    if (bufferView !== undefined) unseen += count * size;
  });
  // Data compressed by Draco is in no view, and is not decompressed here.
  const free = extensionsUsed.includes(DRACO) ? MAX_BYTES : FREE_BYTES;
  if (unseen > free) throw over(`${unseen.toLocaleString("en")} bytes of numbers that are not written in it`, free);
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
    const place = `nodes[${i}]`;
    text(node.name, `${place}.name`);
    index(node.mesh, meshes.length, `${place}.mesh`);
    index(node.skin, skins.length, `${place}.skin`);
    index((node as Entry)["camera"], cameras.length, `${place}.camera`);
    numbers(node.translation, 3, `${place}.translation`);
    numbers(node.rotation, 4, `${place}.rotation`);
    numbers(node.scale, 3, `${place}.scale`);
    numbers(node.matrix, 16, `${place}.matrix`);
    for (const child of indices(node.children, nodes.length, `${place}.children`)) {
      if (parents[child] !== -1) throw broken(`nodes[${child}] is a child twice`);
      parents[child] = i;
    }
  });
  scenes.forEach((scene, i) => indices(scene["nodes"], nodes.length, `scenes[${i}].nodes`));
  // Depth of each node, 1 for roots; computed from the roots, because cycles have none.
  const depths = new Int32Array(nodes.length);
  const open = [...parents.keys()].filter((node) => parents[node] === -1);
  for (const root of open) depths[root] = 1;
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const depth = (depths[node] as number) + 1;
    for (const child of nodes[node]?.children ?? []) {
      if (depth > MAX_DEPTH) throw over("nodes below each other, one in the other", MAX_DEPTH);
      depths[child] = depth;
      open.push(child);
    }
  }
  const lost = depths.indexOf(0);
  if (lost >= 0) throw broken(`nodes[${lost}] is above itself: its parents make a circle`);
}

function checkSkins({ skins = [], nodes = [], accessors = [] }: GltfJson): void {
  let total = 0;
  skins.forEach((skin, i) => {
    const place = `skins[${i}]`;
    const joints = indices(skin.joints, nodes.length, `${place}.joints`);
    if (joints.length === 0) throw broken(`${place} has no joints`);
    if ((total += joints.length) > MAX_ENTRIES) throw over("joints of skins", MAX_ENTRIES);
    index(skin.skeleton, nodes.length, `${place}.skeleton`);
    index(skin.inverseBindMatrices, accessors.length, `${place}.inverseBindMatrices`);
    const matrices = accessors[skin.inverseBindMatrices ?? -1];
    if (matrices && (matrices.type !== "MAT4" || matrices.componentType !== 5126))
      throw broken(`${place}.inverseBindMatrices are no matrices`);
  });
}

function checkAnimations({ animations = [], nodes = [], accessors = [] }: GltfJson): void {
  let total = 0;
  animations.forEach((animation, i) => {
    const place = `animations[${i}]`;
    text(animation.name, `${place}.name`);
    const samplers = list(animation.samplers, `${place}.samplers`);
    const channels = list(animation.channels, `${place}.channels`);
    if ((total += channels.length + samplers.length) > MAX_REFERENCES)
      throw over("channels of animations", MAX_REFERENCES);
    samplers.forEach(({ input, output, interpolation }, k) => {
      if (input === undefined || output === undefined) throw broken(`${place}.samplers[${k}] has no keys`);
      index(input, accessors.length, `${place}.samplers[${k}].input`);
      index(output, accessors.length, `${place}.samplers[${k}].output`);
      text(interpolation, `${place}.samplers[${k}].interpolation`);
      const times = accessors[input as number];
      if (times?.type !== "SCALAR" || times.componentType !== 5126 || times.bufferView === undefined)
        throw broken(`${place}.samplers[${k}].input holds no times`);
    });
    channels.forEach(({ sampler, target }, k) => {
      if (sampler === undefined) throw broken(`${place}.channels[${k}] has no sampler`);
      index(sampler, samplers.length, `${place}.channels[${k}].sampler`);
      if (!isObject(target)) throw broken(`${place}.channels[${k}] has no target`);
      if (typeof target["path"] !== "string") throw broken(`${place}.channels[${k}].target.path is no text`);
      index(target["node"], nodes.length, `${place}.channels[${k}].target.node`);
    });
  });
}

function checkMeshes({ meshes = [], accessors = [] }: GltfJson): void {
  let total = 0;
  meshes.forEach((mesh, i) => {
    list(mesh.primitives, `meshes[${i}].primitives`).forEach((primitive, k) => {
      const place = `meshes[${i}].primitives[${k}]`;
      index(primitive["indices"], accessors.length, `${place}.indices`);
      const targets = list(primitive["targets"], `${place}.targets`);
      if (!isObject(primitive["attributes"])) throw broken(`${place} has no attributes`);
      for (const attributes of [primitive["attributes"], ...targets]) {
        for (const [name, accessor] of Object.entries(attributes)) {
          if (++total > MAX_REFERENCES) throw over("attributes of meshes", MAX_REFERENCES);
          if (accessor === undefined || !isWhole(accessor) || accessor >= accessors.length)
            throw broken(`${place} has no values for ${quoted(name)}`);
        }
      }
    });
  });
}
