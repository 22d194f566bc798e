/**
 * The decoder of EXT_meshopt_compression, by its makers. `npm run build` bundles it into one file, which is loaded with
 * the first compressed file.
 */
import { MeshoptDecoder } from "meshoptimizer/decoder";

/** A compressed buffer view, as the extension describes it. */
export interface CompressedView {
  /** Number of elements. */
  count: number;
  /** Bytes of an element. */
  byteStride: number;
  /** "ATTRIBUTES", "TRIANGLES" or "INDICES". */
  mode: string;
  /** "NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL" or "COLOR". */
  filter?: string;
}

/** Decodes a buffer view. Rejects if the data are damaged. */
export async function decodeMeshopt(
  source: Uint8Array,
  { count, byteStride, mode, filter = "NONE" }: CompressedView,
): Promise<Uint8Array> {
  await MeshoptDecoder.ready;
  const target = new Uint8Array(count * byteStride);
  MeshoptDecoder.decodeGltfBuffer(target, count, byteStride, source, mode, filter);
  return target;
}
