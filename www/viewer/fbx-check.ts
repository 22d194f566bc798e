/**
 * Checks a binary FBX file before three.js's loader, which decompresses the whole file at once. Nodes are traversed
 * without reading them; compressed arrays are decompressed by the browser and discarded. An array that exceeds its
 * stated size is refused as soon as it does.
 */

/** Largest total size of all arrays, decompressed, bytes. */
const MAX_UNPACKED = 256 * 2 ** 20;
const MAX_NODES = 500_000;
const MAX_PROPERTIES = 2_000_000;
const MAX_DEPTH = 64;
const MAGIC = "Kaydara FBX Binary";
/** Bytes of one number in an array, by its letter. */
const ELEMENT_BYTES: Readonly<Record<string, number>> = { b: 1, c: 1, d: 8, f: 4, i: 4, l: 8 };
const SCALAR_BYTES: Readonly<Record<string, number>> = { C: 1, D: 8, F: 4, I: 4, L: 8, Y: 2 };
/** Milliseconds of traversal without a pause. */
const MAX_BLOCK_MS = 12;

interface CompressedArray {
  start: number;
  length: number;
  /** Stated size, decompressed, bytes. */
  statedBytes: number;
}

const damagedError = (): Error => new Error("it is no FBX file that can be read, or it is damaged");
const tooLargeError = (): Error =>
  new Error(`it unpacks to more than ${MAX_UNPACKED / 2 ** 20} MB; save it with fewer animations or meshes`);

/** Rejects with a sentence where a file is damaged or too large. Text files are not compressed, and pass. */
export async function checkFbx(bytes: ArrayBuffer): Promise<void> {
  const start = new TextDecoder("latin1").decode(new Uint8Array(bytes, 0, Math.min(MAGIC.length, bytes.byteLength)));
  if (start !== MAGIC) return;
  const arrays = await new FbxTraversal(bytes).findArrays();
  let total = 0;
  for (const { statedBytes } of arrays) total += statedBytes;
  if (total > MAX_UNPACKED) throw tooLargeError();
  for (const packed of arrays) await checkArray(bytes, packed);
}

/** Decompresses an array, and rejects where it exceeds its stated size. */
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
    throw new Error("it holds packed numbers that are more than it says: it is damaged, or made to fill the memory");
  }
  if (size < statedBytes) throw damagedError();
}

class FbxTraversal {
  readonly #view: DataView;
  readonly #has64BitOffsets: boolean;
  readonly #arrays: CompressedArray[] = [];
  #nodes = 0;
  #properties = 0;
  #blockStart = performance.now();

  constructor(bytes: ArrayBuffer) {
    this.#view = new DataView(bytes);
    if (bytes.byteLength < 27) throw damagedError();
    this.#has64BitOffsets = this.#view.getUint32(23, true) >= 7500;
  }

  /** The compressed arrays of the file. */
  async findArrays(): Promise<CompressedArray[]> {
    const ends = [this.#view.byteLength];
    // Nested nodes, without recursion: a node ends where its children end.
    let offset = 27;
    while (ends.length > 0) {
      const end = ends[ends.length - 1] as number;
      if (offset >= end) {
        ends.pop();
        continue;
      }
      const node = this.#readNode(offset, end);
      if (!node) {
        // The null record that closes a list; at the top level a footer follows.
        if (ends.length === 1) break;
        offset = end;
        continue;
      }
      if (++this.#nodes > MAX_NODES || ends.length > MAX_DEPTH) throw tooLargeError();
      offset = node.contentStart;
      ends.push(node.end);
      if (performance.now() - this.#blockStart > MAX_BLOCK_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        this.#blockStart = performance.now();
      }
    }
    return this.#arrays;
  }

  /** End of a node, and start of its contents; `undefined` for a null record. */
  #readNode(offset: number, limit: number): { end: number; contentStart: number } | undefined {
    const fieldBytes = this.#has64BitOffsets ? 8 : 4;
    if (offset + 3 * fieldBytes + 1 > limit) throw damagedError();
    const headerField = (index: number): number =>
      this.#has64BitOffsets
        ? Number(this.#view.getBigUint64(offset + index * 8, true))
        : this.#view.getUint32(offset + index * 4, true);
    const [end, properties] = [headerField(0), headerField(1)];
    if (end === 0) return undefined;
    let below = offset + 3 * fieldBytes + 1 + this.#view.getUint8(offset + 3 * fieldBytes);
    if (end > limit || end < below) throw damagedError();
    if ((this.#properties += properties) > MAX_PROPERTIES) throw tooLargeError();
    for (let i = 0; i < properties; i++) below = this.#skipProperty(below, end);
    return { end, contentStart: below };
  }

  /** End of a property. */
  #skipProperty(offset: number, end: number): number {
    if (offset + 1 > end) throw damagedError();
    const type = String.fromCharCode(this.#view.getUint8(offset));
    const [fixed, width] = [SCALAR_BYTES[type], ELEMENT_BYTES[type]];
    let next = offset + 1;
    if (fixed !== undefined) next += fixed;
    else if (type === "S" || type === "R") {
      if (next + 4 > end) throw damagedError();
      next += 4 + this.#view.getUint32(next, true);
    } else {
      if (width === undefined || next + 12 > end) throw damagedError();
      const [count, encoding, length] = [0, 4, 8].map((offset) => this.#view.getUint32(next + offset, true)) as [
        number,
        number,
        number,
      ];
      const start = next + 12;
      next = start + (encoding === 0 ? count * width : length);
      if (encoding !== 0) this.#arrays.push({ start, length, statedBytes: count * width });
    }
    if (next > end) throw damagedError();
    return next;
  }
}
