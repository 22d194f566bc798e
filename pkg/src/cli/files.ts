/** Reading and writing, with errors that name the file. `-` is standard input or output. */
import { resolve } from "node:path";
import { KinestitchError } from "../core/error.js";
import { printable } from "../core/quote.js";
import { load } from "../node.js";
import type { Clip } from "../core/types.js";
import { toVrma } from "../vrm.js";
import type { Output } from "./commands.js";
import { FileError } from "./file-error.js";
import { print, remember, STANDARD, write } from "./output.js";

/** Standard input can be read only once, so the result is shared. */
let input: Promise<Buffer> | undefined;

async function readInput(): Promise<Buffer> {
  remember(STANDARD);
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** Loads a file; errors about its contents name it. */
export async function loadFile(path: string, name?: string, animation?: string): Promise<Clip> {
  const options = { ...(name !== undefined && { name }), ...(animation !== undefined && { animation }) };
  try {
    if (path === STANDARD)
      return await load(new Uint8Array(await (input ??= readInput())), { name: "stdin", ...options });
    // Resolved, so that a name like "http:walk.bvh" stays a file.
    return await load(resolve(path), options);
  } catch (error) {
    if (!(error instanceof KinestitchError)) throw error;
    const called = path === STANDARD ? "standard input" : path;
    throw new FileError(
      error.code === "fetch" ? error.message.replace(resolve(path), path) : `${called}: ${error.message}`,
    );
  }
}

/**
 * Writes a clip in the output's format; overwrites an existing file. `face`: a VRM Animation whose expressions and
 * look-at are copied.
 */
export async function save(clip: Clip, { path, format }: Output, face?: string): Promise<void> {
  if (format === "vrma") await write(path, await toVrma(clip, face === undefined ? {} : { face: resolve(face) }));
  else await write(path, format === "glb" ? clip.toGlb() : clip.toBvh());
}

/** Prints a report; to standard error where the result goes to standard output. */
export async function tell(text: string, { path }: Output): Promise<void> {
  if (path === STANDARD) console.error(printable(text));
  else await print(text);
}
