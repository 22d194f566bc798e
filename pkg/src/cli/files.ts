/** Reading and writing, with errors that name the file. */
import { existsSync, realpathSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { KinestitchError } from "../core/error.js";
import { load } from "../node.js";
import type { Clip } from "../core/types.js";
import type { Output } from "./args.js";

/** Something about a file, in one sentence that names it: exit code 1. */
export class FileError extends Error {}

/** Loads a file; what is wrong inside it is told with its name. */
export async function loadFile(path: string, name?: string): Promise<Clip> {
  try {
    // Resolved, so that a name like "http:walk.bvh" stays a file.
    return await load(resolve(path), name === undefined ? {} : { name });
  } catch (error) {
    if (!(error instanceof KinestitchError)) throw error;
    throw new FileError(error.code === "fetch" ? error.message.replace(resolve(path), path) : `${path}: ${error.message}`);
  }
}

/** Checks before any work that the output can be written and is none of the inputs. */
export function checkOutput(path: string, inputs: readonly string[]): void {
  const folder = dirname(resolve(path));
  if (!existsSync(folder)) throw new FileError(`cannot write ${path}: the folder ${folder} does not exist`);
  const same = existsSync(path) ? inputs.find((input) => existsSync(input) && realpathSync(input) === realpathSync(path)) : undefined;
  if (same !== undefined) throw new FileError(`cannot write ${path}: it is an input; choose another name`);
}

/** Writes a clip in the output's format, over a file that is there. */
export async function save(clip: Clip, { path, format }: Output): Promise<void> {
  await write(path, format === "glb" ? clip.toGlb() : clip.toBvh());
}

/** Writes a file, over one that is there. */
export async function write(path: string, data: string | Uint8Array): Promise<void> {
  try {
    await writeFile(path, data);
  } catch (error) {
    throw new FileError(`cannot write ${path}: ${(error as Error).message}`);
  }
}
