import { KinestitchError, throwIfAborted } from "./error.js";
import type { Input, TaskOptions } from "./types.js";

/** Reads a URL (and, in Node, a path). */
export type ReadLocation = (location: string | URL, options: TaskOptions) => Promise<Uint8Array>;

/** What was given to `load`, as one file, and the name people know it by. */
export interface Source {
  name: string;
  file: Uint8Array | Blob;
}

/**
 * Anything `load` takes as a file. A string is BVH text where it holds a line break or starts with HIERARCHY, else the
 * URL of a file (in Node: or its path).
 */
export async function readInput(input: Input, options: TaskOptions, read: ReadLocation): Promise<Source> {
  throwIfAborted(options.signal);
  const source = await sourceOf(input, options, read);
  throwIfAborted(options.signal);
  return source;
}

async function sourceOf(input: Input, options: TaskOptions, read: ReadLocation): Promise<Source> {
  if (typeof input === "string" && isBvhText(input)) return { name: "clip", file: new TextEncoder().encode(input) };
  if (typeof input === "string" || input instanceof URL) {
    return { name: baseName(String(input)), file: await read(input, options) };
  }
  if (input instanceof Uint8Array) return { name: "clip", file: input };
  if (input instanceof ArrayBuffer) return { name: "clip", file: new Uint8Array(input) };
  if (input instanceof Blob) {
    const name = "name" in input && typeof input.name === "string" ? baseName(input.name) : "clip";
    return { name, file: input };
  }
  throw new KinestitchError("option", "load takes a string, URL, File, Blob, ArrayBuffer or Uint8Array");
}

/** Tells BVH text from an address. */
export function isBvhText(text: string): boolean {
  return /[\r\n]/.test(text) || /^\uFEFF?\s*HIERARCHY\b/i.test(text) || text.trim() === "";
}

/** Last part of a path or URL, without its ending, query and escapes. */
function baseName(location: string): string {
  const isUrl = /^[a-z][a-z\d+.-]+:/i.test(location);
  const path = isUrl ? location.replace(/[?#].*$/s, "") : location;
  const name = (path.split(/[\\/]/).pop() ?? "").replace(/\.[^.]+$/, "");
  try {
    return (isUrl ? decodeURIComponent(name) : name) || "clip";
  } catch {
    return name;
  }
}
