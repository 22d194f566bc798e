/** Gathers the buffers and images of a glTF document (data URIs or external files) into one buffer. */
import { KinestitchError } from "../core/error.js";
import { damagedFile } from "./check.js";
import type { Gltf, GltfJson } from "./document.js";
import { MAX_BYTES, MAX_FILES, limitError } from "./limits.js";

/** Reads an external file of a document. `address`: the URI in the document. */
export type FetchFile = (address: string) => Promise<Uint8Array>;

/** Extensions that compress animations; they are not supported. */
const COMPRESSED = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/** Throws if animations are compressed by an unsupported extension. */
export function rejectCompressed({ extensionsRequired = [] }: GltfJson): void {
  const compressed = extensionsRequired.find((name) => COMPRESSED.includes(name));
  if (compressed)
    throw new KinestitchError(
      "glb",
      `the file is compressed (${compressed}); decompress it first, for example with ` +
        '"npx @gltf-transform/cli copy in.glb out.glb"',
    );
}

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
 * Returns the document with a single buffer, and its bytes. `fetchFile` reads external files; if `withImages` is true,
 * external images are included. A GLB that needs no external file is returned unchanged.
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
  if (isGlb && !needsImages && buffers.every(({ uri }) => uri === undefined)) {
    if (buffers.length > 1) rejectCompressed(json);
    if (buffers.length > 1) throw damagedFile("one of its buffers has no URI");
    if (buffers[0] && buffers[0].byteLength > binary.length)
      throw damagedFile("it is truncated: its buffer is longer than its bytes");
    return { json, binary };
  }
  const builder = new BufferBuilder();
  const fetchOnce = limitFiles(fetchFile);
  const starts: number[] = [];
  for (const [i, { uri, byteLength }] of buffers.entries()) {
    const glbBytes = isGlb && i === 0 ? binary : undefined;
    if (uri === undefined && !glbBytes) {
      rejectCompressed(json);
      throw damagedFile("one of its buffers has no URI");
    }
    const bytes =
      uri === undefined ? (glbBytes as Uint8Array) : isDataUri(uri) ? decodeDataUri(uri) : await fetchOnce(uri);
    if (bytes.length < byteLength)
      throw damagedFile(`buffers[${i}] has ${bytes.length} bytes where ${byteLength} are declared`);
    starts.push(builder.add(bytes));
  }
  const bufferViews = (json.bufferViews ?? []).map((view) => ({
    ...view,
    buffer: 0,
    byteOffset: (starts[view.buffer] ?? 0) + (view.byteOffset ?? 0),
  }));
  for (const [i, { uri, ...image }] of images.entries()) {
    if (!withImages || uri === undefined || isDataUri(uri)) continue;
    const bytes = await fetchOnce(uri);
    bufferViews.push({ buffer: 0, byteOffset: builder.add(bytes), byteLength: bytes.length });
    images[i] = { ...image, mimeType: image.mimeType ?? imageType(bytes), bufferView: bufferViews.length - 1 };
  }
  const result = {
    ...json,
    buffers: [{ byteLength: builder.length }],
    ...(bufferViews.length > 0 && { bufferViews }),
    ...(images.length > 0 && { images }),
  };
  if (builder.length === 0) delete (result as GltfJson).buffers;
  return { json: result, binary: builder.concatenate() };
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
