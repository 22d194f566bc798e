/** Parses and writes glTF files as JSON and bytes, without interpretation. GLB: glTF 2.0, section 4.4. */
import { makeUnique } from "../bones/tree.js";
import { damagedFile, checkJson } from "./check.js";
import type { Gltf, GltfJson } from "./document.js";
import { isTooDeep } from "./nesting.js";
import { MAX_JSON_BYTES, MAX_TEXT_BYTES, limitError } from "./limits.js";

/** Returns the names of the animations, made unique. */
export const animationNames = ({ json }: Gltf): string[] =>
  makeUnique((json.animations ?? []).map(({ name }, i) => name || `animation ${i + 1}`));

const GLB = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;

/** Detects GLB and glTF (text) files by their first bytes; `undefined` for other files, such as BVH. */
export function detectGltf(start: Uint8Array): "glb" | "gltf" | undefined {
  const text = new TextDecoder().decode(start);
  if (text.startsWith("glTF")) return "glb";
  return /^\uFEFF?\s*\{/.test(text) ? "gltf" : undefined;
}

/** Detects FBX files, binary and text, by their first bytes. */
export const isFbx = (start: Uint8Array): boolean =>
  /^(Kaydara FBX Binary|\s*;\s*FBX\b)/.test(new TextDecoder().decode(start));

/** Splits a GLB into its JSON, which is checked, and the bytes of its buffer. */
export function parseGlb(file: Uint8Array): Gltf {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < 20 || view.getUint32(0, true) !== GLB) throw damagedFile("it is truncated");
  const version = view.getUint32(4, true);
  if (version !== 2) throw damagedFile(`it is glTF ${version}; only glTF 2 is read`);
  let json: GltfJson | undefined;
  let binary: Uint8Array | undefined;
  for (let offset = 12; offset + 8 <= file.length; ) {
    const length = view.getUint32(offset, true);
    const kind = view.getUint32(offset + 4, true);
    if (offset + 8 + length > file.length) throw damagedFile("it is truncated");
    const chunk = file.subarray(offset + 8, offset + 8 + length);
    // JSON is the first chunk, then the bytes; other chunks are ignored.
    if (!json && kind !== JSON_CHUNK) throw damagedFile("it does not begin with JSON");
    if (kind === JSON_CHUNK) {
      if (json) throw damagedFile("it has two documents");
      if (length > MAX_JSON_BYTES) throw limitError(`${length.toLocaleString("en")} bytes of JSON`, MAX_JSON_BYTES);
      json = parseGltf(chunk);
    } else if (kind === BINARY_CHUNK) binary ??= chunk;
    offset += 8 + length + ((4 - (length % 4)) % 4);
  }
  if (!json) throw damagedFile("it has no JSON");
  return { json, binary: binary ?? new Uint8Array() };
}

/** Parses and checks the JSON of a glTF file. `text`: UTF-8. */
export function parseGltf(text: Uint8Array): GltfJson {
  if (text.length > MAX_TEXT_BYTES)
    throw limitError(`${text.length.toLocaleString("en")} bytes of text`, MAX_TEXT_BYTES);
  if (isTooDeep(text)) throw damagedFile("its JSON is nested too deep");
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(text));
  } catch {
    throw damagedFile("its JSON is damaged");
  }
  return checkJson(json);
}

/** Writes a GLB from JSON and bytes. */
export function writeGlb({ json, binary }: Gltf): Uint8Array<ArrayBuffer> {
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
    const offset = 20 + padded(text.length);
    view.setUint32(offset, padded(binary.length), true);
    view.setUint32(offset + 4, BINARY_CHUNK, true);
    file.set(binary, offset + 8);
  }
  return file;
}
