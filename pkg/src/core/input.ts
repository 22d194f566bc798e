/** Reads the inputs of `load` and of the functions for glTF files. */
import { detectGltf, parseGlb, parseGltf } from "../gltf/container.js";
import type { Gltf } from "../gltf/document.js";
import { gatherBuffers } from "../gltf/gather.js";
import { MAX_BYTES, limitError } from "../gltf/limits.js";
import { createFileReader } from "../gltf/outside.js";
import { attachedBytes } from "./attached.js";
import { isMotionData } from "./data.js";
import { KinestitchError, messageOf, throwIfAborted } from "./error.js";
import { besideReader, files, type ReadLocation } from "./files.js";
import { formatValue, wrongOption } from "./options.js";
import type { FileOptions, Input, LoadOptions, MotionData, TaskOptions } from "./types.js";

/** An input of `load` as a BVH file or as a motion, with its display name. */
export interface Source {
  name: string;
  file: Uint8Array | Blob | MotionData;
}

/** A file of the user whose format is not yet known. */
export interface InputFile extends Source {
  file: Uint8Array | Blob;
  /** URL or path of the file, by which the files that it refers to are found; absent if unknown. */
  location?: string | URL;
}

/**
 * Reads any input of `load`. Returns a motion for plain values and glTF, else the file. For strings see {@link isText}.
 */
export async function readInput(input: Input, options: LoadOptions, read: ReadLocation): Promise<Source> {
  const { animation, signal } = options;
  throwIfAborted(signal);
  if (animation !== undefined && typeof animation !== "string")
    throw wrongOption("animation", `animation must be a text, not ${formatValue(animation)}`);
  if (isMotionData(input)) return { name: motionName(input), file: input };
  const file = await readInputFile(input, options, read);
  throwIfAborted(signal);
  const gltf = await openGltf(file, options);
  if (!gltf && animation !== undefined)
    throw wrongOption("animation", "animation is for GLB and glTF files; a BVH file holds one motion");
  if (!gltf) return file;
  const data = await (await files().gltf()).readGltf(gltf, animation, signal);
  throwIfAborted(signal);
  return { name: animation ?? file.name, file: data };
}

/** Returns the display name of a motion; throws if the name is not a string. */
export function motionName({ name = "clip" }: MotionData): string {
  if (typeof name !== "string") throw wrongOption("name", `name must be a text, not ${formatValue(name)}`);
  return name;
}

/** Detects the kind of a glTF file; `undefined` for other formats. */
export async function detectGltfKind({ file }: InputFile): Promise<"glb" | "gltf" | undefined> {
  return detectGltf(file instanceof Blob ? await readBlob(file.slice(0, 64)) : file.subarray(0, 64));
}

/**
 * Parses and checks a glTF file, and reads the files that it refers to (images only if `withImages` is true). Returns
 * `undefined` for other formats.
 */
export async function openGltf(input: InputFile, options: FileOptions, withImages = false): Promise<Gltf | undefined> {
  const kind = await detectGltfKind(input);
  if (!kind) return undefined;
  const { file, location } = input;
  const size = file instanceof Blob ? file.size : file.length;
  if (size > MAX_BYTES) throw limitError(`${size.toLocaleString("en")} bytes`, MAX_BYTES);
  const bytes = file instanceof Blob ? await readBlob(file) : file;
  throwIfAborted(options.signal);
  const parsed = kind === "glb" ? parseGlb(bytes) : { json: parseGltf(bytes), binary: new Uint8Array() };
  throwIfAborted(options.signal);
  return gatherBuffers(parsed, kind === "glb", createFileReader(location, options, besideReader()), withImages);
}

async function readBlob(blob: Blob): Promise<Uint8Array> {
  try {
    return new Uint8Array(await blob.arrayBuffer());
  } catch (error) {
    throw new KinestitchError("fetch", `cannot read the file: ${messageOf(error)}`, { cause: error });
  }
}

/** Reads an input that is not a motion of plain values. */
export async function readInputFile(
  input: Exclude<Input, MotionData>,
  options: TaskOptions,
  read: ReadLocation,
): Promise<InputFile> {
  if (typeof input === "string" && isText(input)) return { name: "clip", file: new TextEncoder().encode(input) };
  if (typeof input === "string" || input instanceof URL) {
    return { name: baseName(String(input)), file: await read(input, options), location: input };
  }
  if (input instanceof Uint8Array || input instanceof ArrayBuffer)
    return { name: "clip", file: attachedBytes(input, "input") };
  if (input instanceof Blob) {
    const name = "name" in input && typeof input.name === "string" ? baseName(input.name) : "clip";
    return { name, file: input };
  }
  throw new KinestitchError(
    "option",
    "the input must be a string, URL, File, Blob, ArrayBuffer, Uint8Array or MotionData",
  );
}

/**
 * Returns whether a string is the text of a BVH or glTF file: it has a line break, starts with HIERARCHY or a brace, or
 * is blank. Any other string is a URL (in Node also a path).
 */
export function isText(text: string): boolean {
  return /[\r\n]/.test(text) || /^\uFEFF?\s*(HIERARCHY\b|\{)/i.test(text) || text.trim() === "";
}

/** Returns the file name of a path or URL, without extension, query and escapes; "clip" for URLs without a file name. */
function baseName(location: string): string {
  if (/^(data|blob):/i.test(location)) return "clip";
  const isUrl = /^[a-z][a-z\d+.-]+:/i.test(location);
  const path = isUrl ? location.replace(/[?#].*$/s, "") : location;
  const name = (path.split(/[\\/]/).pop() ?? "").replace(/\.[^.]+$/, "");
  try {
    return (isUrl ? decodeURIComponent(name) : name) || "clip";
  } catch {
    return name;
  }
}
