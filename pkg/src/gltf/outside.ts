/** Files that a document refers to: permissions and readers. */
import { KinestitchError } from "../core/error.js";
import { quoted } from "../core/quote.js";
import type { ResolveFile, TaskOptions } from "../core/types.js";
import type { FetchPart } from "./gather.js";

/** Reads a file in the folder of a document or below. Absent in entries without file access. */
export type ReadBeside = (document: string | URL, name: string, options: TaskOptions) => Promise<Uint8Array>;

/** The error of a reference to another file that is not followed; `why`: the reason, after "which". */
export const refused = (address: string, why: string): KinestitchError =>
  new KinestitchError(
    "glb",
    `the file refers to another file, ${quoted(address)}, which ${why}; save it as GLB, which includes everything, or use load({ resolve })`,
  );

/**
 * Reader of the files that a document refers to. The caller's own `resolve` has precedence; without one, only files
 * beside the document on a disk are read: never the network, never another folder.
 */
export function partsOf(
  document: string | URL | undefined,
  options: TaskOptions & { resolve?: ResolveFile },
  beside: ReadBeside | undefined,
): FetchPart {
  const { resolve, ...task } = options;
  return async (address) => {
    if (resolve) return bytesOf(await resolve(address), address);
    if (document === undefined || /^(?!file:)[a-z][a-z\d+.-]+:/i.test(String(document)) || !beside)
      throw refused(address, "was not given");
    return beside(document, plainPath(address), task);
  };
}

/** A relative path in the file system; paths outside the folder are refused. */
function plainPath(address: string): string {
  let path: string;
  try {
    path = decodeURIComponent(address.replace(/[?#].*$/s, ""));
  } catch {
    throw refused(address, "is no address");
  }
  const leads = /^[a-z][a-z\d+.-]*:|^[\\/]|\0|\\/i.test(path) || path.split("/").includes("..");
  if (leads || path === "") throw refused(address, "is not in the folder of the file");
  return path;
}

async function bytesOf(given: unknown, address: string): Promise<Uint8Array> {
  if (given instanceof Uint8Array) return given;
  if (given instanceof ArrayBuffer) return new Uint8Array(given);
  if (given instanceof Blob) return new Uint8Array(await given.arrayBuffer());
  if (given === undefined || given === null) throw refused(address, "was not given");
  throw new KinestitchError(
    "option",
    `resolve must give a Uint8Array, an ArrayBuffer or a Blob for ${quoted(address)}`,
    { option: "resolve" },
  );
}
