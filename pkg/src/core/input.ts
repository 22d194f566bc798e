/** Reads the inputs of `load` and of the functions for glTF files. */
import { detectGltf, isFbx, parseGlb, parseGltf } from "../gltf/container.js";
import type { Gltf } from "../gltf/document.js";
import { gatherBuffers } from "../gltf/gather.js";
import { MAX_BYTES, MAX_FBX_BYTES, limitError } from "../gltf/limits.js";
import { createFileReader } from "../gltf/outside.js";
import { attachedBytes } from "./attached.js";
import { isMotionData } from "./data.js";
import { KinestitchError, messageOf, namingFile, throwIfAborted } from "./error.js";
import { besideReader, files, type ReadLocation } from "./files.js";
import { formatValue, wrongOption } from "./options.js";
import { makePrintable, shorten } from "./quote.js";
import type { FileOptions, Input, LoadOptions, MotionData, TaskOptions } from "./types.js";

/** Longest file name or address in a message, characters. */
const MAX_LABEL_LENGTH = 500;

/** An input of `load` as a BVH file or as a motion, with its display name. */
export interface Source {
  name: string;
  file: Uint8Array | Blob | MotionData;
  /** Name or address of the file for error messages; absent for texts and bytes. */
  label?: string;
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
  return namingFile(file.label, async () => {
    throwIfAborted(signal);
    const gltf = await openGltf(file, options);
    if (!gltf) {
      await rejectWebPage(file);
      if (animation === undefined) return file;
      throw wrongOption("animation", "animation is for GLB and glTF files; a BVH file holds one motion");
    }
    const data = await (await files().gltf()).readGltf(gltf, animation, signal);
    throwIfAborted(signal);
    return { ...file, name: animation ?? file.name, file: data };
  });
}

/** Reads all animations of an input of `load`, each as a motion; other inputs hold one motion. */
export async function readEachInput(input: Input, options: LoadOptions, read: ReadLocation): Promise<Source[]> {
  const { animation: _, ...others } = options;
  if (isMotionData(input)) return [await readInput(input, others, read)];
  const file = await readInputFile(input, others, read);
  return namingFile(file.label, async () => {
    const gltf = await openGltf(file, others);
    if (!gltf) return [await readInput(input, others, read)];
    const motions = await (await files().gltf()).readAllGltf(gltf, others.signal);
    return motions.map((motion) => ({ ...file, name: motion.name, file: motion }));
  });
}

/** Throws if the file is HTML: some servers answer a wrong address with a page and the status 200. */
async function rejectWebPage({ file }: InputFile): Promise<void> {
  const start = new TextDecoder().decode(await readStart(file));
  if (/^\s*<(!doctype\s+html|html|head|body)\b/i.test(start))
    throw new KinestitchError("bvh", "this is a web page (HTML), not a motion file", {
      line: 1,
      column: 1,
    });
}

/** Returns the display name of a motion; throws if the name is not a string. */
export function motionName({ name = "clip" }: MotionData): string {
  if (typeof name !== "string") throw wrongOption("name", `name must be a text, not ${formatValue(name)}`);
  return name;
}

/** Detects the kind of a glTF file; `undefined` for other formats. */
export async function detectGltfKind({ file }: InputFile): Promise<"glb" | "gltf" | undefined> {
  return detectGltf(await readStart(file));
}

/** Reads the first bytes of a file, by which its format is detected. */
async function readStart(file: Uint8Array | Blob): Promise<Uint8Array> {
  return file instanceof Blob ? readBlob(file.slice(0, 64)) : file.subarray(0, 64);
}

/** Converts an FBX file to a GLB; returns other files unchanged. */
async function convertFbx(input: InputFile, options: TaskOptions): Promise<InputFile> {
  if (!isFbx(await readStart(input.file))) return input;
  const { readFbx } = files();
  if (!readFbx)
    throw new KinestitchError(
      "fbx",
      'FBX files are read in Node and on the page of Kinestitch; convert it to GLB with "kinestitch/fbx"',
    );
  const size = input.file instanceof Blob ? input.file.size : input.file.length;
  if (size > MAX_FBX_BYTES) throw limitError(`${size.toLocaleString("en")} bytes`, MAX_FBX_BYTES);
  return {
    ...input,
    file: await readFbx(input.file instanceof Blob ? await readBlob(input.file) : input.file, options),
  };
}

/**
 * Parses and checks a glTF file, and reads the files that it refers to (images only if `withImages` is true). An FBX
 * file is converted to a GLB first. Returns `undefined` for other formats.
 */
export async function openGltf(file: InputFile, options: FileOptions, withImages = false): Promise<Gltf | undefined> {
  const input = await convertFbx(file, options);
  const kind = await detectGltfKind(input);
  if (!kind) return undefined;
  return parseInput(input, kind, options, withImages);
}

async function parseInput(
  input: InputFile,
  kind: "glb" | "gltf",
  options: FileOptions,
  withImages: boolean,
): Promise<Gltf> {
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
    const address = String(input);
    const label = /^(data|blob):/i.test(address) ? {} : { label: labelOf(address) };
    return { name: baseName(address), file: await read(input, options), location: input, ...label };
  }
  if (input instanceof Uint8Array || input instanceof ArrayBuffer)
    return { name: "clip", file: attachedBytes(input, "input") };
  if (input instanceof Blob) {
    const fileName = "name" in input && typeof input.name === "string" ? input.name : "";
    return { name: baseName(fileName), file: input, ...(fileName !== "" && { label: labelOf(fileName) }) };
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

/** Returns a file name or an address for messages: on one line, and not so long that the fault is cut off. */
const labelOf = (name: string): string => makePrintable(shorten(name, MAX_LABEL_LENGTH)).replace(/[\n\t]/g, "\ufffd");

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
