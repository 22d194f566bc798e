/**
 * Finds the nodes that any animation of a file translates. All animations count, so that all clips of the file have the
 * same skeleton.
 */
import type { Pace } from "../core/pace.js";
import type { Gltf } from "./document.js";
import { limitError } from "./limits.js";

/** Minimum translation of a moved node, metres; for nodes far from their parent, 0.01 of the distance to the parent. */
const MIN_MOVEMENT = 0.005;
/** Component type of 32-bit floats in glTF. */
const FLOAT = 5126;
/** Number of keys that any file may have; the limit grows by one per twelve bytes, the size of a key. */
const BASE_KEYS = 2 ** 20;
/** Number of keys read between two checks of the clock. */
const KEYS_PER_CHECK = 2 ** 14;

/**
 * Returns the indices of the nodes that translation channels move, and of all nodes with a translation or rotation
 * channel. Reads keys directly from the bytes, because a general reader takes seconds for a file with fifty animations.
 * Translations are floats (glTF 2.0, section 3.11); sparse ones, which are rare, count as constant.
 */
export async function findMovedNodes(
  { json, binary }: Gltf,
  pace: Pace,
): Promise<{ moved: Set<number>; animated: Set<number> }> {
  const { nodes = [], accessors = [], bufferViews = [] } = json;
  const view = new DataView(binary.buffer, binary.byteOffset, binary.byteLength);
  const [moved, animated] = [new Set<number>(), new Set<number>()];
  const maxKeys = BASE_KEYS + Math.ceil(binary.length / 12);
  let [keyCount, lastCheck] = [0, 0];
  for (const { channels, samplers } of json.animations ?? []) {
    for (const { sampler, target } of channels) {
      keyCount++;
      const { node, path } = target;
      if (node === undefined || (path !== "translation" && path !== "rotation")) continue;
      animated.add(node);
      const { output, interpolation } = samplers[sampler] ?? {};
      const accessor = accessors[output ?? -1];
      const data = bufferViews[accessor?.bufferView ?? -1];
      if (path !== "translation" || moved.has(node) || !accessor || !data || accessor.componentType !== FLOAT) continue;
      const { translation, matrix } = nodes[node] ?? {};
      const restPosition = translation ?? matrix?.slice(12, 15) ?? [0, 0, 0];
      const squaredDistance = Math.max(MIN_MOVEMENT, 0.01 * Math.hypot(...restPosition)) ** 2;
      const [x = 0, y = 0, z = 0] = restPosition;
      const start = (data.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
      const stride = data.byteStride ?? 12;
      // In a cubic spline, the position of a key is between two tangents.
      const [first, step] = interpolation === "CUBICSPLINE" ? [1, 3] : [0, 1];
      for (let i = first; i < accessor.count && start + i * stride + 12 <= binary.length; i += step) {
        // Many channels may share the same keys, so the bytes of the file do not limit this loop.
        if (++keyCount > maxKeys) throw limitError("too many translation keys", `${maxKeys.toLocaleString("en")} keys`);
        const offset = start + i * stride;
        if (
          (view.getFloat32(offset, true) - x) ** 2 +
            (view.getFloat32(offset + 4, true) - y) ** 2 +
            (view.getFloat32(offset + 8, true) - z) ** 2 >
          squaredDistance
        ) {
          moved.add(node);
          break;
        }
        if (keyCount - lastCheck < KEYS_PER_CHECK) continue;
        lastCheck = keyCount;
        if (pace.due) await pace.pause();
      }
    }
  }
  return { moved, animated };
}
