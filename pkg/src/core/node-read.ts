import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { aborted, KinestitchError, messageOf } from "./error.js";
import { fetchBytes } from "./fetch.js";
import type { TaskOptions } from "./types.js";

/** Whom to tell of each file that is read: the command line, which overwrites none of them. */
export const readers: ((path: string) => void)[] = [];

/** Reads a path, a `file:` URL, or anything `fetch` knows. Two letters make a scheme: `C:\walk.bvh` is a path. */
export async function readBytes(location: string | URL, options: TaskOptions = {}): Promise<Uint8Array> {
  const text = String(location);
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "file") return fetchBytes(location, options);
  const path = scheme === "file" ? fileURLToPath(text) : text;
  try {
    for (const told of readers) told(path);
    return await readFile(path, options.signal ? { signal: options.signal } : {});
  } catch (error) {
    if (options.signal?.aborted) throw aborted(options.signal);
    throw new KinestitchError("fetch", `cannot read ${path}: ${reason(error)}`, { cause: error });
  }
}

/** `errno` codes people meet, in words. */
function reason(error: unknown): string {
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
