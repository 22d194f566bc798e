/** Gathers the buffers and images of a glTF document (data URIs or external files) into one buffer. */
import { convertErrors, damagedFile } from "./check.js";
import type { Gltf, GltfJson } from "./document.js";
import { MAX_BYTES, MAX_FILES, limitError } from "./limits.js";
import { checkExpansion, hasMeshopt, isFallback, readMeshoptViews, withoutMeshopt } from "./meshopt.js";

/** Reads an external file of a document. `address`: the URI in the document. */
export type FetchFile = (address: string) => Promise<Uint8Array>;

/** Concatenates chunks of bytes; each chunk starts at a multiple of four bytes. */
class BufferBuilder {
  readonly #chunks: { start: number; bytes: Uint8Array }[] = [];
  length = 0;

  /** Appends bytes and returns their offset. */
  add(bytes: Uint8Array): number {
    const start = this.length;
    this.#chunks.push({ start, bytes });
    this.length += Math.ceil(bytes.length / 4) * 4;
    if (this.length > MAX_BYTES) throw limitError(`${this.length.toLocaleString("en")} bytes`, MAX_BYTES);
    return start;
  }

  /** Returns all chunks as one array, with zeros between them. */
  concatenate(): Uint8Array {
    const binary = new Uint8Array(this.length);
    for (const { start, bytes } of this.#chunks) binary.set(bytes, start);
    return binary;
  }
}

/**
 * Returns the document with a single buffer, and its bytes; buffer views compressed by meshopt are decoded. `fetchFile`
 * reads external files; if `withImages` is true, external images are included. A GLB that needs no external file and no
 * decoder is returned unchanged.
 */
export async function gatherBuffers(
  { json, binary }: Gltf,
  isGlb: boolean,
  fetchFile: FetchFile,
  withImages: boolean,
): Promise<Gltf> {
  const { buffers = [] } = json;
  const images = [...(json.images ?? [])];
  const needsImages = withImages && images.some(({ uri }) => uri !== undefined && !isDataUri(uri));
  const isCompressed = hasMeshopt(json);
  if (isGlb && !needsImages && !isCompressed && buffers.every(({ uri }) => uri === undefined)) {
    if (buffers.length > 1) throw damagedFile("one of its buffers has no URI");
    if (buffers[0] && buffers[0].byteLength > binary.length)
      throw damagedFile("it is truncated: its buffer is longer than its bytes");
    return { json, binary };
  }
  const builder = new BufferBuilder();
  const fetchOnce = limitFiles(fetchFile);
  const contents: (Uint8Array | undefined)[] = [];
  for (const [i, buffer] of buffers.entries())
    contents.push(await readBuffer(buffer, i, isGlb && i === 0 ? binary : undefined, fetchOnce));
  const bufferViews = isCompressed
    ? await decodeViews(json, contents, builder)
    : moveViews(
        json,
        contents.map((bytes) => (bytes ? builder.add(bytes) : 0)),
      );
  for (const [i, { uri, ...image }] of images.entries()) {
    if (!withImages || uri === undefined || isDataUri(uri)) continue;
    const bytes = await fetchOnce(uri);
    bufferViews.push({ buffer: 0, byteOffset: builder.add(bytes), byteLength: bytes.length });
    images[i] = { ...image, mimeType: image.mimeType ?? imageType(bytes), bufferView: bufferViews.length - 1 };
  }
  const result = {
    ...(isCompressed ? withoutMeshopt(json) : json),
    buffers: [{ byteLength: builder.length }],
    ...(bufferViews.length > 0 && { bufferViews }),
    ...(images.length > 0 && { images }),
  };
  if (builder.length === 0) delete (result as GltfJson).buffers;
  return { json: result, binary: builder.concatenate() };
}

type Views = NonNullable<GltfJson["bufferViews"]>;

/** Reads the bytes of a buffer; `undefined` for a buffer that only declares the size of compressed data. */
async function readBuffer(
  buffer: NonNullable<GltfJson["buffers"]>[number],
  index: number,
  glbBytes: Uint8Array | undefined,
  fetchOnce: FetchFile,
): Promise<Uint8Array | undefined> {
  const { uri, byteLength } = buffer;
  if (uri === undefined && (!glbBytes || isFallback(buffer))) {
    if (isFallback(buffer)) return undefined;
    throw damagedFile("one of its buffers has no URI");
  }
  const bytes =
    uri === undefined ? (glbBytes as Uint8Array) : isDataUri(uri) ? decodeDataUri(uri) : await fetchOnce(uri);
  if (bytes.length < byteLength)
    throw damagedFile(`buffers[${index}] has ${bytes.length} bytes where ${byteLength} are declared`);
  return bytes;
}

/** Returns the views of the joined buffer. `starts`: place of each buffer in it. */
const moveViews = ({ bufferViews = [] }: GltfJson, starts: readonly number[]): Views =>
  bufferViews.map((view) => ({
    ...view,
    buffer: 0,
    byteOffset: (starts[view.buffer] ?? 0) + (view.byteOffset ?? 0),
  }));

/** Adds the bytes of each view to the joined buffer, decoded if they are compressed; returns the views. */
async function decodeViews(
  json: GltfJson,
  contents: readonly (Uint8Array | undefined)[],
  builder: BufferBuilder,
): Promise<Views> {
  const compressed = readMeshoptViews(json);
  checkExpansion(
    compressed,
    contents.reduce((sum, bytes) => sum + (bytes?.length ?? 0), 0),
  );
  const { decodeMeshopt } = await import("./decoders/meshopt.js");
  const views: Views = [];
  for (const [i, { buffer, byteOffset = 0, byteLength, ...view }] of (json.bufferViews ?? []).entries()) {
    const source = compressed[i];
    const stored = contents[source?.buffer ?? buffer];
    if (!stored) throw damagedFile(`bufferViews[${i}] is in a buffer without bytes`);
    const start = source?.byteOffset ?? byteOffset;
    const bytes = stored.subarray(start, start + (source?.byteLength ?? byteLength));
    const { extensions: _, ...rest } = view as typeof view & { extensions?: object };
    const content = source ? await convertErrors(() => decodeMeshopt(bytes, source)) : bytes;
    views.push({ ...(source ? rest : view), buffer: 0, byteOffset: builder.add(content), byteLength: content.length });
  }
  return views;
}

/** Returns a `FetchFile` that reads each file once, and limits the number of files. */
function limitFiles(fetchFile: FetchFile): FetchFile {
  const files = new Map<string, Promise<Uint8Array>>();
  return (address) => {
    const cached = files.get(address);
    if (cached) return cached;
    if (files.size >= MAX_FILES) throw limitError("too many external files", `${MAX_FILES} files`);
    const content = fetchFile(address);
    files.set(address, content);
    return content;
  };
}

/** Returns the MIME type of an image by its first bytes; they are more reliable than the extension of its address. */
function imageType(bytes: Uint8Array): string {
  const start = String.fromCharCode(...bytes.subarray(0, 12));
  if (start.startsWith("\xff\xd8")) return "image/jpeg";
  if (start.endsWith("WEBP")) return "image/webp";
  return start.endsWith("ftypavif") ? "image/avif" : "image/png";
}

const isDataUri = (uri: string): boolean => /^data:/i.test(uri);

/** Decodes a data URI. */
function decodeDataUri(uri: string): Uint8Array {
  const comma = uri.indexOf(",");
  const [head, body] = [uri.slice(0, comma), uri.slice(comma + 1)];
  try {
    if (comma < 0) throw new SyntaxError("no comma");
    if (!/;base64$/i.test(head)) return new TextEncoder().encode(decodeURIComponent(body));
    const letters = atob(body);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
    return bytes;
  } catch {
    throw damagedFile("a data URI in it is damaged");
  }
}
