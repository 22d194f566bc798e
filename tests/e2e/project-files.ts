/** Helpers for tests: stored work, project files, and the buttons for undo and redo. */
import type { Page } from "@playwright/test";
import { gunzipSync, gzipSync } from "node:zlib";

export const undoButton = (page: Page) => page.getByRole("button", { name: /^Undo/ });
export const redoButton = (page: Page) => page.getByRole("button", { name: /^Redo/ });
export const alertDialog = (page: Page) => page.getByRole("alertdialog");

/** Encodes a project file with a record of work and files. */
export function projectFile(kept: unknown, files: { name: string; file: string; text: string }[] = []): Buffer {
  const parts = files.map(({ name, file, text }) => ({ name, file, type: "", size: Buffer.byteLength(text) }));
  const head = Buffer.from(JSON.stringify({ kept, files: parts }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return gzipSync(Buffer.concat([length, head, ...files.map(({ text }) => Buffer.from(text))]));
}

export const recordOf = (file: Buffer): unknown => {
  const bytes = gunzipSync(file);
  return JSON.parse(bytes.subarray(4, 4 + bytes.readUInt32LE(0)).toString()).kept;
};

export const source = { id: "a", name: "walk", file: "f" };
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
export const inbetweenWork = (document: object) => ({
  version: 1,
  mode: "inbetween",
  documents: { inbetween: { keys: [], gaps: [], method: "inertialize", footLock: true, ways: 1, way: 0, ...document } },
  sources: [source],
});
export const key = { id: "k", source: "a", from: 1, to: 2, color: 0 };
