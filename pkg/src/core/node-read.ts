import { readFile, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { aborted, KinestitchError, messageOf } from "./error.js";
import { MAX_BYTES, limitError } from "../gltf/limits.js";
import { referenceError } from "../gltf/outside.js";
import { fetchBytes } from "./fetch.js";
import type { TaskOptions } from "./types.js";

/** Called with each path that is read; by them, the command line protects inputs from being overwritten. */
export const readListeners: ((path: string) => void)[] = [];

/** Reads a path, a `file:` URL, or anything `fetch` supports. A scheme needs two letters: `C:\walk.bvh` is a path. */
export async function readBytes(location: string | URL, options: TaskOptions = {}): Promise<Uint8Array> {
  const text = String(location);
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "file") return fetchBytes(location, options);
  const path = scheme === "file" ? pathOfUrl(text) : text;
  try {
    for (const notify of readListeners) notify(path);
    return await readFile(path, options.signal ? { signal: options.signal } : {});
  } catch (error) {
    if (options.signal?.aborted) throw aborted(options.signal);
    throw new KinestitchError("fetch", `cannot read ${path}: ${reason(error)}`, { cause: error });
  }
}

/** Returns the path of a `file:` URL; rejects URLs of other hosts and invalid URLs. */
function pathOfUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (error) {
    throw new KinestitchError("fetch", `cannot read ${url}: ${messageOf(error)}`, { cause: error });
  }
}

/**
 * Reads a file in the folder of a document or in a subfolder, with links resolved; `name` is relative to the folder.
 */
export async function readBeside(document: string | URL, name: string, options: TaskOptions = {}): Promise<Uint8Array> {
  const text = String(document);
  const documentPath = /^file:/i.test(text) ? pathOfUrl(text) : text;
  let path: string;
  try {
    const folder = await realpath(dirname(documentPath));
    path = await realpath(join(folder, name));
    const relativePath = relative(folder, path);
    if (relativePath === ".." || relativePath.startsWith(`..${sep}`) || isAbsolute(relativePath))
      throw referenceError(name, "is not in the folder of the file");
    const fileStats = await stat(path);
    if (!fileStats.isFile()) throw referenceError(name, "is not a file");
    if (fileStats.size > MAX_BYTES)
      throw limitError(`${fileStats.size.toLocaleString("en")} bytes in ${name}`, MAX_BYTES);
  } catch (error) {
    if (error instanceof KinestitchError) throw error;
    throw new KinestitchError("fetch", `cannot read ${join(dirname(documentPath), name)}: ${reason(error)}`, {
      cause: error,
    });
  }
  return readBytes(path, options);
}

/** Describes the common `errno` codes in words. */
export function reason(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
      return "no such file";
    case "EISDIR":
      return "it is a directory";
    case "EACCES":
      return "permission denied";
    case "ERR_FS_FILE_TOO_LARGE":
      return "it is over 2 GiB";
    default:
      return messageOf(error);
  }
}
