/** Reads external files of a document, if this is permitted. */
import { KinestitchError } from "../core/error.js";
import { quote } from "../core/quote.js";
import type { ResolveFile, TaskOptions } from "../core/types.js";
import type { FetchFile } from "./gather.js";

/** Reads a file in the folder of a document or in its subfolders. Absent in entry points without file access. */
export type ReadBeside = (document: string | URL, name: string, options: TaskOptions) => Promise<Uint8Array>;

/** Creates the error for a reference to an external file that is not read. `reason`: text after "which". */
export const referenceError = (address: string, reason: string): KinestitchError =>
  new KinestitchError(
    "glb",
    `the file refers to another file, ${quote(address)}, which ${reason}; ` +
      "save it as GLB, which includes everything, or use load({ resolve })",
  );

/**
 * Creates the reader of external files. The caller's `resolve` has precedence. Without it, only files on disk in the
 * folder of the document are read: never the network, never another folder.
 */
export function createFileReader(
  document: string | URL | undefined,
  options: TaskOptions & { resolve?: ResolveFile },
  readBeside: ReadBeside | undefined,
): FetchFile {
  const { resolve, ...task } = options;
  return async (address) => {
    if (resolve) return toBytes(await resolve(address), address);
    // A single letter before the colon is a Windows drive.
    if (document === undefined || /^(?!file:)[a-z][a-z\d+.-]+:/i.test(String(document)) || !readBeside)
      throw referenceError(address, "was not given");
    return readBeside(document, checkPath(address), task);
  };
}

/** Decodes an address to a relative path; rejects paths outside the folder. */
function checkPath(address: string): string {
  let path: string;
  try {
    path = decodeURIComponent(address.replace(/[?#].*$/s, ""));
  } catch {
    throw referenceError(address, "is not a valid address");
  }
  const leavesFolder = /^[a-z][a-z\d+.-]*:|^[\\/]|\0|\\/i.test(path) || path.split("/").includes("..");
  if (leavesFolder || path === "") throw referenceError(address, "is not in the folder of the file");
  return path;
}

async function toBytes(content: unknown, address: string): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content;
  if (content instanceof ArrayBuffer) return new Uint8Array(content);
  if (content instanceof Blob) return new Uint8Array(await content.arrayBuffer());
  if (content === undefined || content === null) throw referenceError(address, "was not given");
  throw new KinestitchError(
    "option",
    `resolve must return a Uint8Array, an ArrayBuffer or a Blob for ${quote(address)}`,
    { option: "resolve" },
  );
}
