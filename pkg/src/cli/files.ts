/** Reading and writing, with errors that name the file. `-` is standard input or output. */
import { existsSync, realpathSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { KinestitchError } from "../core/error.js";
import { load } from "../node.js";
import type { Clip } from "../core/types.js";
import type { Output } from "./args.js";
import { FileError } from "./file-error.js";

export { FileError };

/** Standard input and output among names of files. */
export const STANDARD = "-";

/** Standard input comes once; whoever names it twice means the same. */
let input: Promise<Buffer> | undefined;

async function readInput(): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

/** Loads a file; what is wrong inside it is told with its name. */
export async function loadFile(path: string, name?: string, animation?: string): Promise<Clip> {
  const options = { ...(name !== undefined && { name }), ...(animation !== undefined && { animation }) };
  try {
    if (path === STANDARD) return await load(new Uint8Array(await (input ??= readInput())), { name: "stdin", ...options });
    // Resolved, so that a name like "http:walk.bvh" stays a file.
    return await load(resolve(path), options);
  } catch (error) {
    if (!(error instanceof KinestitchError)) throw error;
    const called = path === STANDARD ? "standard input" : path;
    throw new FileError(error.code === "fetch" ? error.message.replace(resolve(path), path) : `${called}: ${error.message}`);
  }
}

/** Checks before any work that the output can be written and is none of the inputs. */
export function checkOutput(path: string, inputs: readonly string[]): void {
  if (path === STANDARD) return;
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
    if (path !== STANDARD) return await writeFile(path, data);
    await new Promise<void>((resolve, reject) => process.stdout.write(data, (error) => (error ? reject(error) : resolve())));
  } catch (error) {
    // Whoever reads our output may have seen enough.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw new FileError(`cannot write ${path}: ${(error as Error).message}`);
  }
}

/** Prints what was done: beside the result, where that goes to standard output. */
export function tell(text: string, { path }: Output): void {
  if (path === STANDARD) console.error(text);
  else console.log(text);
}
