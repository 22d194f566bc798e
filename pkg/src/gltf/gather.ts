/** Buffers and pictures of a glTF document: data URIs, or files of their own. */
import { KinestitchError } from "../core/error.js";
import { broken } from "./check.js";
import type { Gltf, GltfJson } from "./document.js";
import { MAX_BYTES, MAX_FILES, over } from "./limits.js";

/** Reads a file that a document refers to. */
export type FetchPart = (address: string) => Promise<Uint8Array>;

/** Extensions without which animations cannot be read. */
const COMPRESSED = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/** Throws where animations are compressed by an unsupported extension. */
export function refuseCompressed({ extensionsRequired = [] }: GltfJson): void {
  const compressed = extensionsRequired.find((name) => COMPRESSED.includes(name));
  if (compressed)
    throw new KinestitchError(
      "glb",
      `the file is compressed (${compressed}); unpack it first, for instance by "npx @gltf-transform/cli copy in.glb out.glb"`,
    );
}

/** Parts of a file, each at a multiple of four bytes. */
class Parts {
  readonly #parts: { start: number; bytes: Uint8Array }[] = [];
  length = 0;

  /** Appends bytes and returns their offset. */
  add(bytes: Uint8Array): number {
    const start = this.length;
    this.#parts.push({ start, bytes });
    this.length += Math.ceil(bytes.length / 4) * 4;
    if (this.length > MAX_BYTES) throw over("parts of many bytes", MAX_BYTES);
    return start;
  }

  joined(): Uint8Array {
    const binary = new Uint8Array(this.length);
    for (const { start, bytes } of this.#parts) binary.set(bytes, start);
    return binary;
  }
}

/**
 * The document with a single buffer, and its bytes. `fetched` reads the files it refers to; with `pictures`, images
 * of files beside a glTF are included. A GLB that refers to no file is returned unchanged.
 */
export async function gathered(
  { json, binary }: Gltf,
  isGlb: boolean,
  fetched: FetchPart,
  pictures: boolean,
): Promise<Gltf> {
  const { buffers = [] } = json;
  if (isGlb && buffers.every(({ uri }) => uri === undefined)) {
    if (buffers.length > 1) refuseCompressed(json);
    if (buffers.length > 1) throw broken("it names no file for one of its buffers");
    if (buffers[0] && buffers[0].byteLength > binary.length)
      throw broken("it is cut short: its buffer is longer than its bytes");
    return { json, binary };
  }
  const parts = new Parts();
  const partOf = limited(fetched);
  const starts: number[] = [];
  for (const [i, { uri, byteLength }] of buffers.entries()) {
    const own = isGlb && i === 0 ? binary : undefined;
    if (uri === undefined && !own) {
      refuseCompressed(json);
      throw broken("it names no file for one of its buffers");
    }
    const bytes = uri === undefined ? (own as Uint8Array) : isData(uri) ? decoded(uri) : await partOf(uri);
    if (bytes.length < byteLength)
      throw broken(`buffers[${i}] has ${bytes.length} bytes where ${byteLength} are promised`);
    starts.push(parts.add(bytes));
  }
  const bufferViews = (json.bufferViews ?? []).map((view) => ({
    ...view,
    buffer: 0,
    byteOffset: (starts[view.buffer] ?? 0) + (view.byteOffset ?? 0),
  }));
  const images = [...(json.images ?? [])];
  for (const [i, { uri, ...image }] of images.entries()) {
    if (!pictures || uri === undefined || isData(uri)) continue;
    const bytes = await partOf(uri);
    bufferViews.push({ buffer: 0, byteOffset: parts.add(bytes), byteLength: bytes.length });
    const mimeType =
      image.mimeType ?? (/\.jpe?g$/i.test(uri) ? "image/jpeg" : /\.webp$/i.test(uri) ? "image/webp" : "image/png");
    images[i] = { ...image, mimeType, bufferView: bufferViews.length - 1 };
  }
  const whole = { ...json, buffers: [{ byteLength: parts.length }], bufferViews, ...(images.length > 0 && { images }) };
  if (parts.length === 0) delete (whole as GltfJson).buffers;
  return { json: whole, binary: parts.joined() };
}

/** Reads each file once, and limits their number. */
function limited(fetched: FetchPart): FetchPart {
  const known = new Map<string, Promise<Uint8Array>>();
  return (address) => {
    const found = known.get(address);
    if (found) return found;
    if (known.size >= MAX_FILES) throw over("parts in many files", `${MAX_FILES} files`);
    const part = fetched(address);
    known.set(address, part);
    return part;
  };
}

const isData = (uri: string): boolean => /^data:/i.test(uri);

/** The bytes of a data URI. */
function decoded(uri: string): Uint8Array {
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
    throw broken("a buffer written into it is damaged");
  }
}
