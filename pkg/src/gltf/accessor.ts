/**
 * Reads the values of accessors (glTF 2.0, section 3.6.2): interleaved, normalized, sparse, or without stored data.
 * Values of 32-bit floats that are stored without gaps are not copied.
 */
import { accessorBytes, COMPONENTS_PER_TYPE } from "./check.js";
import type { Gltf, GltfAccessor } from "./document.js";
import { EXPANSION_BYTES, limitError } from "./limits.js";

const FLOAT = 5126;

/** A number of each component type: its size in bytes, how it is read, and its largest value if it is normalized. */
const COMPONENTS: Readonly<
  Record<number, { bytes: number; read(view: DataView, at: number): number; largest: number }>
> = {
  5120: { bytes: 1, read: (view, at) => view.getInt8(at), largest: 127 },
  5121: { bytes: 1, read: (view, at) => view.getUint8(at), largest: 255 },
  5122: { bytes: 2, read: (view, at) => view.getInt16(at, true), largest: 32767 },
  5123: { bytes: 2, read: (view, at) => view.getUint16(at, true), largest: 65535 },
  5125: { bytes: 4, read: (view, at) => view.getUint32(at, true), largest: 4294967295 },
  5126: { bytes: 4, read: (view, at) => view.getFloat32(at, true), largest: 1 },
};

/** Returns the number of components of an accessor's elements. */
export const componentCount = ({ type }: GltfAccessor): number => COMPONENTS_PER_TYPE[type] as number;

/** Returns a value of a normalized accessor as a float from −1 or 0 to 1; other values are unchanged. */
function dequantize({ componentType, normalized }: GltfAccessor, value: number): number {
  const largest = COMPONENTS[componentType]?.largest ?? 1;
  return normalized === true && componentType !== FLOAT ? Math.max(value / largest, -1) : value;
}

/** Reads accessors of a checked file, each once. */
export class AccessorReader {
  readonly #file: Gltf;
  readonly #view: DataView;
  readonly #cache = new Map<number, Float32Array>();
  /** Remaining size of copies, bytes: any number of accessors may use the same stored data. */
  #remainingBytes: number;

  constructor(file: Gltf) {
    this.#file = file;
    const { binary } = file;
    this.#view = new DataView(binary.buffer, binary.byteOffset, binary.byteLength);
    this.#remainingBytes = EXPANSION_BYTES + 2 * binary.length;
  }

  /** Returns the accessor with an index; the index must be valid. */
  accessor(index: number): GltfAccessor {
    return this.#file.json.accessors?.[index] as GltfAccessor;
  }

  /** Returns all values of an accessor, element after element; integers of a normalized accessor are converted. */
  read(index: number): Float32Array {
    const cached = this.#cache.get(index);
    if (cached) return cached;
    const accessor = this.accessor(index);
    const values = this.#storedFloats(accessor) ?? this.#copy(accessor);
    this.#cache.set(index, values);
    return values;
  }

  /** Returns the stored values themselves; `undefined` if they need a conversion. */
  #storedFloats(accessor: GltfAccessor): Float32Array | undefined {
    const { componentType, count, bufferView, byteOffset = 0, sparse } = accessor;
    const stored = this.#file.json.bufferViews?.[bufferView ?? -1];
    const width = componentCount(accessor);
    if (componentType !== FLOAT || sparse || !stored || (stored.byteStride ?? width * 4) !== width * 4)
      return undefined;
    const { binary } = this.#file;
    const start = binary.byteOffset + (stored.byteOffset ?? 0) + byteOffset;
    return start % 4 === 0 ? new Float32Array(binary.buffer, start, count * width) : undefined;
  }

  #copy(accessor: GltfAccessor): Float32Array {
    // Four bytes for each component, also for those stored in one or two.
    this.#remainingBytes -= Math.max(accessorBytes(accessor), accessor.count * componentCount(accessor) * 4);
    if (this.#remainingBytes < 0)
      throw limitError(
        "overlapping accessors with too much data",
        `twice the size of its buffers plus ${EXPANSION_BYTES.toLocaleString("en")} bytes`,
      );
    const { count, bufferView, byteOffset, sparse } = accessor;
    const width = componentCount(accessor);
    const values = new Float32Array(count * width);
    if (bufferView !== undefined)
      this.#elements(accessor, { bufferView, byteOffset }, count, (element, component, value) => {
        values[element * width + component] = value;
      });
    if (sparse) {
      const slots = new Uint32Array(sparse.count);
      const indices = { componentType: sparse.indices.componentType, type: "SCALAR", count: sparse.count };
      this.#elements(indices, sparse.indices, sparse.count, (element, _, slot) => (slots[element] = slot));
      this.#elements(accessor, sparse.values, sparse.count, (element, component, value) => {
        const slot = slots[element] as number;
        if (slot < count) values[slot * width + component] = value;
      });
    }
    return values;
  }

  /** Calls `put` with each component of the first `count` elements that are stored at a place of a buffer view. */
  #elements(
    accessor: GltfAccessor,
    { bufferView, byteOffset = 0 }: { bufferView: number; byteOffset?: number | undefined },
    count: number,
    put: (element: number, component: number, value: number) => void,
  ): void {
    const { byteOffset: viewOffset = 0, byteStride } = this.#file.json.bufferViews?.[bufferView] ?? { byteOffset: 0 };
    const component = COMPONENTS[accessor.componentType] as (typeof COMPONENTS)[number];
    const width = componentCount(accessor);
    const stride = byteStride ?? width * component.bytes;
    for (let element = 0; element < count; element++) {
      const start = viewOffset + byteOffset + element * stride;
      for (let i = 0; i < width; i++)
        put(element, i, dequantize(accessor, component.read(this.#view, start + i * component.bytes)));
    }
  }
}
