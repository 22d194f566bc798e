/**
 * Checks a binary FBX file before three.js's loader reads it, because that loader decompresses the whole file at once.
 * The traversal reads only the headers of nodes and properties. Each array is then decompressed; the result is
 * discarded, and decompression stops as soon as an array exceeds its stated size.
 */

/** Maximum total size of all compressed arrays after decompression, bytes. */
const MAX_DECOMPRESSED_BYTES = 256 * 2 ** 20;
const MAX_NODES = 500_000;
const MAX_PROPERTIES = 2_000_000;
const MAX_DEPTH = 64;
const MAGIC = "Kaydara FBX Binary";
/** Bytes per element of array properties, by type letter. */
const ELEMENT_BYTES: Readonly<Record<string, number>> = { b: 1, c: 1, d: 8, f: 4, i: 4, l: 8 };
/** Bytes of scalar properties, by type letter. */
const SCALAR_BYTES: Readonly<Record<string, number>> = { C: 1, D: 8, F: 4, I: 4, L: 8, Y: 2 };
/** Bytes of the file's header, position of the version in it, and first version with 64-bit offsets. */
const [HEADER_BYTES, VERSION_OFFSET, FIRST_64_BIT_VERSION] = [27, 23, 7500];
/** Largest size of the file's footer: 160 bytes, and padding to a multiple of 16. */
const FOOTER_BYTES = 176;
/** Longest traversal without a pause, milliseconds. */
const MAX_BLOCK_MS = 12;

/** A compressed array: its position and length in the file, bytes. */
interface CompressedArray {
  start: number;
  length: number;
  /** Size after decompression as the file states it, bytes. */
  statedBytes: number;
}

const damagedError = (): Error => new Error("it cannot be read as an FBX file; it may be damaged");
const tooLargeError = (): Error =>
  new Error(
    `its uncompressed size exceeds ${MAX_DECOMPRESSED_BYTES / 2 ** 20} MB, or it has too many or too deeply nested nodes; ` +
      "save it with fewer animations or meshes",
  );

/**
 * Checks that a file is neither damaged nor too large; otherwise rejects with an error whose message is displayed.
 * Text files pass: they are not compressed.
 */
export async function checkFbx(bytes: ArrayBuffer): Promise<void> {
  const magic = new TextDecoder("latin1").decode(new Uint8Array(bytes, 0, Math.min(MAGIC.length, bytes.byteLength)));
  if (magic !== MAGIC) return;
  const arrays = await new FbxTraversal(bytes).findArrays();
  let total = 0;
  for (const { statedBytes } of arrays) total += statedBytes;
  if (total > MAX_DECOMPRESSED_BYTES) throw tooLargeError();
  for (const array of arrays) await checkArray(bytes, array);
}

/** Decompresses an array, and rejects if its size differs from the stated size. */
async function checkArray(bytes: ArrayBuffer, { start, length, statedBytes }: CompressedArray): Promise<void> {
  const reader = new Blob([new Uint8Array(bytes, start, length)])
    .stream()
    .pipeThrough(new DecompressionStream("deflate"))
    .getReader();
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw damagedError();
    });
    if (done) break;
    size += value.length;
    if (size <= statedBytes) continue;
    void reader.cancel();
    throw new Error("a list in it contains more numbers than its header states; the file is damaged or malicious");
  }
  if (size < statedBytes) throw damagedError();
}

/** Traverses the nodes of a binary FBX file. */
class FbxTraversal {
  readonly #view: DataView;
  readonly #has64BitOffsets: boolean;
  readonly #arrays: CompressedArray[] = [];
  #nodes = 0;
  #properties = 0;
  #blockStart = performance.now();

  constructor(bytes: ArrayBuffer) {
    this.#view = new DataView(bytes);
    if (bytes.byteLength < HEADER_BYTES) throw damagedError();
    this.#has64BitOffsets = this.#view.getUint32(VERSION_OFFSET, true) >= FIRST_64_BIT_VERSION;
  }

  /** Finds the compressed arrays of the file. */
  async findArrays(): Promise<CompressedArray[]> {
    const ends = [this.#view.byteLength];
    // A stack with the ends of the open nodes replaces recursion.
    let offset = HEADER_BYTES;
    while (ends.length > 0) {
      const end = ends[ends.length - 1] as number;
      if (offset >= end) {
        ends.pop();
        continue;
      }
      const node = this.#readNode(offset, end);
      offset = node.contentStart;
      if (node.end === 0) {
        // A null record should close its list of nodes, but three.js's loader reads nodes after it too, except in the footer.
        if (ends.length === 1 && this.#isInFooter(offset)) break;
      } else {
        if (++this.#nodes > MAX_NODES || ends.length > MAX_DEPTH) throw tooLargeError();
        ends.push(node.end);
      }
      if (performance.now() - this.#blockStart > MAX_BLOCK_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        this.#blockStart = performance.now();
      }
    }
    return this.#arrays;
  }

  /** Returns whether a position is in the footer or after it, where three.js's loader reads no more nodes. */
  #isInFooter(offset: number): boolean {
    const size = this.#view.byteLength;
    const footerEnd = offset + FOOTER_BYTES;
    return (size % 16 === 0 ? Math.floor(footerEnd / 16) * 16 : footerEnd) >= size;
  }

  /** Reads the header of a node. Returns its end, 0 for a null record, and the start of its child nodes. */
  #readNode(offset: number, limit: number): { end: number; contentStart: number } {
    const fieldBytes = this.#has64BitOffsets ? 8 : 4;
    if (offset + 3 * fieldBytes + 1 > limit) throw damagedError();
    const headerField = (index: number): number =>
      this.#has64BitOffsets
        ? Number(this.#view.getBigUint64(offset + index * 8, true))
        : this.#view.getUint32(offset + index * 4, true);
    const [end, properties] = [headerField(0), headerField(1)];
    let contentStart = offset + 3 * fieldBytes + 1 + this.#view.getUint8(offset + 3 * fieldBytes);
    if (end === 0) return { end, contentStart };
    if (end > limit || end < contentStart) throw damagedError();
    if ((this.#properties += properties) > MAX_PROPERTIES) throw tooLargeError();
    for (let i = 0; i < properties; i++) contentStart = this.#skipProperty(contentStart, end);
    return { end, contentStart };
  }

  /** Returns the end of a property. Records the property if it is a compressed array. */
  #skipProperty(offset: number, end: number): number {
    if (offset + 1 > end) throw damagedError();
    const type = String.fromCharCode(this.#view.getUint8(offset));
    const [scalarBytes, elementBytes] = [SCALAR_BYTES[type], ELEMENT_BYTES[type]];
    let next = offset + 1;
    if (scalarBytes !== undefined) next += scalarBytes;
    else if (type === "S" || type === "R") {
      if (next + 4 > end) throw damagedError();
      next += 4 + this.#view.getUint32(next, true);
    } else {
      if (elementBytes === undefined || next + 12 > end) throw damagedError();
      const [count, encoding, length] = [0, 4, 8].map((field) => this.#view.getUint32(next + field, true)) as [
        number,
        number,
        number,
      ];
      const start = next + 12;
      next = start + (encoding === 0 ? count * elementBytes : length);
      if (encoding !== 0) this.#arrays.push({ start, length, statedBytes: count * elementBytes });
    }
    if (next > end) throw damagedError();
    return next;
  }
}
