/** Loads and saves motion files, with errors that name the file. `-` is standard input or output. */
import { resolve } from "node:path";
import { KinestitchError } from "../core/error.js";
import { makePrintable } from "../core/quote.js";
import { load } from "../node.js";
import type { BvhOptions, Clip } from "../core/types.js";
import { toFbx } from "../write-fbx.node.js";
import { toVrma } from "../vrm.js";
import type { Output } from "./commands.js";
import { FileError } from "./file-error.js";
import { print, recordInput, STANDARD, write } from "./output.js";

/** Content of standard input, shared by all arguments `-`, because it can be read only once. */
let standardInput: Promise<Buffer> | undefined;

async function readStandardInput(): Promise<Buffer> {
  recordInput(STANDARD);
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/**
 * Loads a file. `name`: name of the clip; `animation`: animation of a GLB or glTF file; `bvh`: options for a BVH file.
 * Errors name the file.
 */
export async function loadFile(path: string, name?: string, animation?: string, bvh: BvhOptions = {}): Promise<Clip> {
  if (path === "") throw new FileError("the name of an input file is empty");
  const options = { ...bvh, ...(name !== undefined && { name }), ...(animation !== undefined && { animation }) };
  try {
    if (path === STANDARD)
      return await load(new Uint8Array(await (standardInput ??= readStandardInput())), { name: "stdin", ...options });
    // Resolved, so that a name like "http:walk.bvh" stays a file.
    return await load(resolve(path), options);
  } catch (error) {
    throw error instanceof KinestitchError ? fileError(error, path) : error;
  }
}

/** Returns an error whose message contains the path of the file, as the user wrote it. */
export function fileError(error: KinestitchError, path: string): FileError {
  const { code, message, file } = error;
  const cause = { cause: error };
  // The message of a file that cannot be read contains the resolved path. A path may contain "$&".
  if (code === "fetch" && file === undefined)
    return new FileError(
      message.replace(resolve(path), () => path),
      cause,
    );
  const fault = file === undefined ? message : message.slice(`${file}: `.length);
  return new FileError(`${path === STANDARD ? "standard input" : path}: ${fault}`, cause);
}

/**
 * Returns the flag `--animation` as it applies to one of several files: BVH files hold one motion, so that they can be
 * combined with the animation of a GLB file.
 */
export function animationFor(file: string, files: readonly string[], animation?: string): string | undefined {
  const isBvh = (path: string): boolean => /\.bvh$/i.test(path);
  return isBvh(file) && !files.every(isBvh) ? undefined : animation;
}

/**
 * Writes a clip in the output's format; overwrites an existing file. `face`: a VRM Animation whose expressions and
 * look-at are copied.
 */
export async function save(clip: Clip, { path, format }: Output, face?: string): Promise<void> {
  if (format === "fbx") await write(path, await toFbx(clip));
  else if (format === "vrma") await write(path, await toVrma(clip, face === undefined ? {} : { face: resolve(face) }));
  else await write(path, await (format === "glb" ? clip.toGlb() : clip.toBvh()));
}

/** Prints a report: to standard error if the result goes to standard output, otherwise to standard output. */
export async function printReport(text: string, { path }: Pick<Output, "path">): Promise<void> {
  if (path === STANDARD) console.error(makePrintable(text));
  else await print(text);
}
