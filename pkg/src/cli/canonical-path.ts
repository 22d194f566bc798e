/** Paths with symbolic links resolved, by which files are compared that need not exist yet. */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { resolveLinks } from "./output.js";

/** Returns a function that resolves all links of an absolute path; it resolves each folder only once. */
export function createPathResolver(): (path: string) => string {
  const folders = new Map<string, string>();
  const resolveFolder = (folder: string): string => {
    let path = folders.get(folder);
    if (path === undefined) {
      try {
        path = realpathSync(folder);
      } catch {
        // It does not exist yet.
        path = dirname(folder) === folder ? folder : join(resolveFolder(dirname(folder)), basename(folder));
      }
      folders.set(folder, path);
    }
    return path;
  };
  return (path) => {
    try {
      const target = resolveLinks(path);
      return join(resolveFolder(dirname(target)), basename(target));
    } catch {
      // A value of a flag need not be a valid path; links that form a circle are reported when the job runs.
      return resolve(path);
    }
  };
}
