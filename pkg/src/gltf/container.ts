/** glTF files as text and bytes: what is in them, without reading any of it. GLB: glTF 2.0, section 4.4. */
import { uniqueNames } from "../bones/tree.js";
import { KinestitchError } from "../core/error.js";

/** The properties of a glTF file that are looked at here; what else there is stays as it is. */
export interface GltfJson {
  asset: { version: string };
  buffers?: { byteLength: number; uri?: string }[];
  images?: { uri?: string; mimeType?: string; bufferView?: number }[];
  bufferViews?: { buffer: number; byteOffset?: number; byteLength: number; byteStride?: number }[];
  accessors?: { bufferView?: number; byteOffset?: number; componentType: number; count: number; type: string; min?: number[]; max?: number[] }[];
  nodes?: { name?: string; children?: number[]; mesh?: number; skin?: number; translation?: number[]; rotation?: number[]; scale?: number[]; matrix?: number[] }[];
  skins?: { inverseBindMatrices?: number }[];
  meshes?: { primitives: { attributes: Record<string, number> }[] }[];
  animations?: { name?: string; channels: object[]; samplers: { input?: number; output?: number }[] }[];
  extensionsUsed?: string[];
  extensionsRequired?: string[];
}

/** A file's JSON and the bytes beside it. */
export interface Gltf {
  json: GltfJson;
  binary: Uint8Array;
}

/** Names of the animations, each different from the others. */
export const animationNames = ({ json }: Gltf): string[] => uniqueNames((json.animations ?? []).map(({ name }, i) => name || `animation ${i + 1}`));

const GLB = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;

/** Whether a file that begins so is a GLB, or glTF as text. BVH files begin with a word. */
export function isGltf(start: Uint8Array): "glb" | "gltf" | undefined {
  const text = new TextDecoder().decode(start);
  if (text.startsWith("glTF")) return "glb";
  return /^\uFEFF?\s*\{/.test(text) ? "gltf" : undefined;
}

const broken = (how: string): KinestitchError => new KinestitchError("glb", `this is no glTF file that can be read: ${how}`);

/** Takes a GLB apart. */
export function opened(file: Uint8Array): Gltf {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < 20 || view.getUint32(0, true) !== GLB) throw broken("it is cut short");
  const version = view.getUint32(4, true);
  if (version !== 2) throw broken(`it is glTF ${version}; only glTF 2 is read`);
  let json: GltfJson | undefined;
  let binary: Uint8Array = new Uint8Array();
  for (let at = 12; at + 8 <= file.length; ) {
    const length = view.getUint32(at, true);
    const kind = view.getUint32(at + 4, true);
    if (at + 8 + length > file.length) throw broken("it is cut short");
    const chunk = file.subarray(at + 8, at + 8 + length);
    if (kind === JSON_CHUNK) json = parsed(chunk);
    else if (kind === BINARY_CHUNK) binary = chunk;
    at += 8 + length + ((4 - (length % 4)) % 4);
  }
  if (!json) throw broken("it has no JSON");
  return { json, binary };
}

/** The JSON of a glTF file. */
export function parsed(text: Uint8Array): GltfJson {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(text));
  } catch {
    throw broken("its JSON is damaged");
  }
  const version = (json as Partial<GltfJson> | null)?.asset?.version;
  if (typeof version !== "string") throw broken("its JSON is of something else");
  if (!version.startsWith("2.")) throw broken(`it is glTF ${version}; only glTF 2 is read`);
  return json as GltfJson;
}

/** A GLB of JSON and bytes. */
export function closed({ json, binary }: Gltf): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(json));
  const padded = (length: number): number => Math.ceil(length / 4) * 4;
  const hasBinary = binary.length > 0;
  const size = 20 + padded(text.length) + (hasBinary ? 8 + padded(binary.length) : 0);
  const file = new Uint8Array(size);
  const view = new DataView(file.buffer);
  [GLB, 2, size, padded(text.length), JSON_CHUNK].forEach((word, i) => view.setUint32(i * 4, word, true));
  file.fill(0x20, 20, 20 + padded(text.length));
  file.set(text, 20);
  if (hasBinary) {
    const at = 20 + padded(text.length);
    view.setUint32(at, padded(binary.length), true);
    view.setUint32(at + 4, BINARY_CHUNK, true);
    file.set(binary, at + 8);
  }
  return file;
}

/** A glTF file whose buffers and pictures lie elsewhere, with them inside. `fetched` reads an address that the file names. */
export async function gathered(json: GltfJson, fetched: (address: string) => Promise<Uint8Array>, pictures: boolean): Promise<Gltf> {
  const parts: Uint8Array[] = [];
  const starts: number[] = [];
  let length = 0;
  const add = (bytes: Uint8Array): number => {
    const start = length;
    starts.push(start);
    parts.push(bytes);
    length += Math.ceil(bytes.length / 4) * 4;
    return start;
  };
  for (const { uri } of json.buffers ?? []) {
    if (uri === undefined) throw broken("it names no file for one of its buffers");
    add(uri.startsWith("data:") ? decoded(uri) : await fetched(uri));
  }
  const bufferViews = (json.bufferViews ?? []).map((view) => ({ ...view, buffer: 0, byteOffset: (starts[view.buffer] ?? 0) + (view.byteOffset ?? 0) }));
  const images = [...(json.images ?? [])];
  for (const [i, { uri, ...image }] of images.entries()) {
    if (!pictures || uri === undefined || uri.startsWith("data:")) continue;
    const bytes = await fetched(uri);
    bufferViews.push({ buffer: 0, byteOffset: add(bytes), byteLength: bytes.length });
    const mimeType = image.mimeType ?? (/\.jpe?g$/i.test(uri) ? "image/jpeg" : /\.webp$/i.test(uri) ? "image/webp" : "image/png");
    images[i] = { ...image, mimeType, bufferView: bufferViews.length - 1 };
  }
  const binary = new Uint8Array(length);
  parts.forEach((part, i) => binary.set(part, starts[i]));
  return { json: { ...json, buffers: [{ byteLength: length }], bufferViews, ...(images.length > 0 && { images }) }, binary };
}

/** The bytes of a data URI. */
function decoded(uri: string): Uint8Array {
  const [head, body] = [uri.slice(0, uri.indexOf(",")), uri.slice(uri.indexOf(",") + 1)];
  if (!head.endsWith(";base64")) return new TextEncoder().encode(decodeURIComponent(body));
  try {
    return Uint8Array.from(atob(body), (letter) => letter.charCodeAt(0));
  } catch {
    throw broken("a buffer written into it is damaged");
  }
}
