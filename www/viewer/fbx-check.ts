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
const WIDTH: Readonly<Record<string, number>> = { b: 1, c: 1, d: 8, f: 4, i: 4, l: 8 };
const FIXED: Readonly<Record<string, number>> = { C: 1, D: 8, F: 4, I: 4, L: 8, Y: 2 };
/** Milliseconds of traversal without a pause. */
const TURN = 12;

interface Packed {
  start: number;
  length: number;
  /** Stated size, decompressed, bytes. */
  promised: number;
}

const damaged = (): Error => new Error("it is no FBX file that can be read, or it is damaged");
const tooLarge = (): Error =>
  new Error(`it unpacks to more than ${MAX_UNPACKED / 2 ** 20} MB; save it with fewer animations or meshes`);

/** Rejects with a sentence where a file is damaged or too large. Text files are not compressed, and pass. */
export async function checkFbx(bytes: ArrayBuffer): Promise<void> {
  const start = new TextDecoder("latin1").decode(new Uint8Array(bytes, 0, Math.min(MAGIC.length, bytes.byteLength)));
  if (start !== MAGIC) return;
  const arrays = await new Walk(bytes).arrays();
  let total = 0;
  for (const { promised } of arrays) total += promised;
  if (total > MAX_UNPACKED) throw tooLarge();
  for (const packed of arrays) await unpacked(bytes, packed);
}

/** Decompresses an array, and rejects where it exceeds its stated size. */
async function unpacked(bytes: ArrayBuffer, { start, length, promised }: Packed): Promise<void> {
  const reader = new Blob([new Uint8Array(bytes, start, length)])
    .stream()
    .pipeThrough(new DecompressionStream("deflate"))
    .getReader();
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw damaged();
    });
    if (done) break;
    size += value.length;
    if (size <= promised) continue;
    void reader.cancel();
    throw new Error("it holds packed numbers that are more than it says: it is damaged, or made to fill the memory");
  }
  if (size < promised) throw damaged();
}

class Walk {
  readonly #view: DataView;
  readonly #isWide: boolean;
  readonly #packed: Packed[] = [];
  #nodes = 0;
  #properties = 0;
  #since = performance.now();

  constructor(bytes: ArrayBuffer) {
    this.#view = new DataView(bytes);
    if (bytes.byteLength < 27) throw damaged();
    this.#isWide = this.#view.getUint32(23, true) >= 7500;
  }

  /** The compressed arrays of the file. */
  async arrays(): Promise<Packed[]> {
    const ends = [this.#view.byteLength];
    // Nested nodes, without recursion: a node ends where its children end.
    let at = 27;
    while (ends.length > 0) {
      const end = ends[ends.length - 1] as number;
      if (at >= end) {
        ends.pop();
        continue;
      }
      const node = this.#node(at, end);
      if (!node) {
        // The null record that closes a list; at the top level a footer follows.
        if (ends.length === 1) break;
        at = end;
        continue;
      }
      if (++this.#nodes > MAX_NODES || ends.length > MAX_DEPTH) throw tooLarge();
      at = node.below;
      ends.push(node.end);
      if (performance.now() - this.#since > TURN) {
        await new Promise((resolve) => setTimeout(resolve));
        this.#since = performance.now();
      }
    }
    return this.#packed;
  }

  /** End of a node, and start of its contents; `undefined` for a null record. */
  #node(at: number, limit: number): { end: number; below: number } | undefined {
    const size = this.#isWide ? 8 : 4;
    if (at + 3 * size + 1 > limit) throw damaged();
    const word = (index: number): number =>
      this.#isWide ? Number(this.#view.getBigUint64(at + index * 8, true)) : this.#view.getUint32(at + index * 4, true);
    const [end, properties] = [word(0), word(1)];
    if (end === 0) return undefined;
    let below = at + 3 * size + 1 + this.#view.getUint8(at + 3 * size);
    if (end > limit || end < below) throw damaged();
    if ((this.#properties += properties) > MAX_PROPERTIES) throw tooLarge();
    for (let i = 0; i < properties; i++) below = this.#property(below, end);
    return { end, below };
  }

  /** End of a property. */
  #property(at: number, end: number): number {
    if (at + 1 > end) throw damaged();
    const type = String.fromCharCode(this.#view.getUint8(at));
    const [fixed, width] = [FIXED[type], WIDTH[type]];
    let next = at + 1;
    if (fixed !== undefined) next += fixed;
    else if (type === "S" || type === "R") {
      if (next + 4 > end) throw damaged();
      next += 4 + this.#view.getUint32(next, true);
    } else {
      if (width === undefined || next + 12 > end) throw damaged();
      const [count, encoding, length] = [0, 4, 8].map((offset) => this.#view.getUint32(next + offset, true)) as [
        number,
        number,
        number,
      ];
      const start = next + 12;
      next = start + (encoding === 0 ? count * width : length);
      if (encoding !== 0) this.#packed.push({ start, length, promised: count * width });
    }
    if (next > end) throw damaged();
    return next;
  }
}
