/** Buffer views that are compressed by EXT_meshopt_compression, or by its successor KHR_meshopt_compression. */
import { damagedFile } from "./check.js";
import type { CompressedView } from "./decoders/meshopt.js";
import type { GltfJson } from "./document.js";
import { EXPANSION_BYTES, limitError } from "./limits.js";

/** Names of the extension. */
export const MESHOPT = ["EXT_meshopt_compression", "KHR_meshopt_compression"];
/** Largest ratio of the size of all decoded views to the size of the file. */
const MAX_RATIO = 64;

type View = NonNullable<GltfJson["bufferViews"]>[number] & { extensions?: Record<string, unknown> };
type Buffer = NonNullable<GltfJson["buffers"]>[number] & { extensions?: Record<string, unknown> };

/** A compressed view, and the place of its compressed data. */
export interface MeshoptView extends CompressedView {
  buffer: number;
  byteOffset: number;
  byteLength: number;
}

const extensionOf = ({ extensions }: View | Buffer): Record<string, unknown> | undefined => {
  const found = MESHOPT.map((name) => extensions?.[name]).find((value) => typeof value === "object" && value !== null);
  return found as Record<string, unknown> | undefined;
};

/** Whether a file has compressed buffer views. */
export const hasMeshopt = ({ bufferViews = [] }: GltfJson): boolean =>
  bufferViews.some((view) => extensionOf(view) !== undefined);

/** Whether a buffer only declares the size of decoded data; it may have no bytes. */
export const isFallback = (buffer: Buffer): boolean => extensionOf(buffer)?.["fallback"] === true;

/** Reads and checks the compressed form of each buffer view; `undefined` for views that are not compressed. */
export function readMeshoptViews({ bufferViews = [], buffers = [] }: GltfJson): (MeshoptView | undefined)[] {
  return bufferViews.map((view, i) => {
    const extension = extensionOf(view);
    if (!extension) return undefined;
    const { buffer, byteOffset = 0, byteLength, byteStride, count, mode, filter = "NONE" } = extension;
    const numbers = [buffer, byteOffset, byteLength, byteStride, count];
    if (!numbers.every((value) => Number.isSafeInteger(value) && (value as number) >= 0))
      throw damagedFile(`the compression of bufferViews[${i}] is damaged`);
    const result = { buffer, byteOffset, byteLength, byteStride, count, mode, filter } as MeshoptView;
    const isInside = result.byteOffset + result.byteLength <= (buffers[result.buffer]?.byteLength ?? -1);
    if (!isInside || result.count * result.byteStride !== view.byteLength)
      throw damagedFile(`the compressed data of bufferViews[${i}] do not fit their buffer or the size of the view`);
    return result;
  });
}

/** Throws if the decoded views are far larger than the file. `bytes`: size of the compressed data. */
export function checkExpansion(views: readonly (MeshoptView | undefined)[], bytes: number): void {
  const decoded = views.reduce((sum, view) => sum + (view ? view.count * view.byteStride : 0), 0);
  const allowed = EXPANSION_BYTES + MAX_RATIO * bytes;
  if (decoded > allowed) throw limitError(`${decoded.toLocaleString("en")} bytes of decompressed data`, allowed);
}

/** Removes the extension from a document whose views have been decoded. */
export function withoutMeshopt<Json extends GltfJson>(json: Json): Json {
  const strip = (names: string[] | undefined): string[] => (names ?? []).filter((name) => !MESHOPT.includes(name));
  const { extensionsUsed, extensionsRequired, ...rest } = json;
  const [used, required] = [strip(extensionsUsed), strip(extensionsRequired)];
  return {
    ...rest,
    ...(used.length > 0 && { extensionsUsed: used }),
    ...(required.length > 0 && { extensionsRequired: required }),
  } as Json;
}
