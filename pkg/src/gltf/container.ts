/** glTF files as JSON and bytes, without interpretation. GLB: glTF 2.0, section 4.4. */
import { uniqueNames } from "../bones/tree.js";
import { broken, checkedJson } from "./check.js";
import type { Gltf, GltfJson } from "./document.js";
import { isTooDeep } from "./nesting.js";
import { MAX_JSON_BYTES, MAX_TEXT_BYTES, over } from "./limits.js";

/** Names of the animations, each different from the others. */
export const animationNames = ({ json }: Gltf): string[] =>
  uniqueNames((json.animations ?? []).map(({ name }, i) => name || `animation ${i + 1}`));

const GLB = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BINARY_CHUNK = 0x004e4942;

/** Kind of a file by its first bytes: GLB, or glTF as text. BVH files begin with a word. */
export function isGltf(start: Uint8Array): "glb" | "gltf" | undefined {
  const text = new TextDecoder().decode(start);
  if (text.startsWith("glTF")) return "glb";
  return /^\uFEFF?\s*\{/.test(text) ? "gltf" : undefined;
}

/** Splits a GLB into JSON and bytes. */
export function opened(file: Uint8Array): Gltf {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  if (file.length < 20 || view.getUint32(0, true) !== GLB) throw broken("it is cut short");
  const version = view.getUint32(4, true);
  if (version !== 2) throw broken(`it is glTF ${version}; only glTF 2 is read`);
  let json: GltfJson | undefined;
  let binary: Uint8Array | undefined;
  for (let at = 12; at + 8 <= file.length; ) {
    const length = view.getUint32(at, true);
    const kind = view.getUint32(at + 4, true);
    if (at + 8 + length > file.length) throw broken("it is cut short");
    const chunk = file.subarray(at + 8, at + 8 + length);
    // JSON is the first chunk, then the bytes; other chunks are ignored.
    if (!json && kind !== JSON_CHUNK) throw broken("it does not begin with JSON");
    if (kind === JSON_CHUNK) {
      if (json) throw broken("it has two documents");
      if (length > MAX_JSON_BYTES) throw over(`${length.toLocaleString("en")} bytes of JSON`, MAX_JSON_BYTES);
      json = parsed(chunk);
    } else if (kind === BINARY_CHUNK) binary ??= chunk;
    at += 8 + length + ((4 - (length % 4)) % 4);
  }
  if (!json) throw broken("it has no JSON");
  return { json, binary: binary ?? new Uint8Array() };
}

/** The JSON of a glTF file, checked. */
export function parsed(text: Uint8Array): GltfJson {
  if (text.length > MAX_TEXT_BYTES) throw over(`${text.length.toLocaleString("en")} bytes of text`, MAX_TEXT_BYTES);
  if (isTooDeep(text)) throw broken("its JSON is nested too deep");
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(text));
  } catch {
    throw broken("its JSON is damaged");
  }
  return checkedJson(json);
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
