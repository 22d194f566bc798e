/** Helpers for tests: stored work, project files, and the buttons for undo and redo. */
import type { Page } from "@playwright/test";
import { gunzipSync, gzipSync } from "node:zlib";

export const undoButton = (page: Page) => page.getByRole("button", { name: /^Undo/ });
export const redoButton = (page: Page) => page.getByRole("button", { name: /^Redo/ });
export const alertDialog = (page: Page) => page.getByRole("alertdialog");

/** Encodes a project file with a record of work and files. `size`: stated size of each file, by default the true one. */
export function projectFile(
  kept: unknown,
  files: { name: string; file: string; text: string; size?: number }[] = [],
): Buffer {
  const parts = files.map(({ name, file, text, size = Buffer.byteLength(text) }) => ({ name, file, type: "", size }));
  const head = Buffer.from(JSON.stringify({ kept, files: parts }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return gzipSync(Buffer.concat([length, head, ...files.map(({ text }) => Buffer.from(text))]));
}

/** Decodes the record of work in a project file. */
export const recordOf = (file: Buffer): unknown => {
  const bytes = gunzipSync(file);
  return JSON.parse(bytes.subarray(4, 4 + bytes.readUInt32LE(0)).toString()).kept;
};

/** The only file of the works below; a key or an item names it by its id. */
export const source = { id: "a", name: "walk", file: "f" };
/** Returns a record of work in Stitch. `document`, `more`: properties to set in its document and in the record. */
export const stitchWork = (document: object, more: object = {}) => ({
  version: 1,
  mode: "stitch",
  documents: {
    stitch: {
      items: [],
      method: "inertialize",
      compare: "crossfade",
      blend: 20,
      seam: "keep",
      maxCut: 0.4,
      footLock: true,
      rigs: {},
      ...document,
    },
  },
  sources: [source],
  ...more,
});
/** Returns a record of work in In-between. `document`: properties to set in its document. */
export const inbetweenWork = (document: object) => ({
  version: 1,
  mode: "inbetween",
  documents: {
    inbetween: { keys: [], gaps: [], method: "inertialize", footLock: true, firstSeed: 1, variant: 0, ...document },
  },
  sources: [source],
});
/** A valid key for `inbetweenWork`. */
export const key = { id: "k", source: "a", from: 1, to: 2, color: 0 };
