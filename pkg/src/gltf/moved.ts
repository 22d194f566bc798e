/**
 * Finds the nodes of a file that are translated by any of its animations, so that all its clips have the same
 * skeleton.
 */
import type { Pace } from "../core/pace.js";
import type { Gltf } from "./document.js";
import { over } from "./limits.js";

/** Smallest translation that counts: metres, or a hundredth of the distance from its parent. */
const STILL = 0.005;
const FLOAT = 5126;
/** Number of keys that any file may have; each twelve bytes of it, the size of a key, allow one more. */
const FREE_KEYS = 2 ** 20;
/** Number of keys read between two looks at the clock. */
const AT_ONCE = 2 ** 14;

/**
 * Indices of nodes with translation channels that move them, and of all animated nodes. Read directly from the
 * bytes, because a reader of all animations takes seconds for a file with fifty. Translations are floats (glTF 2.0,
 * section 3.11); sparse ones, which are rare, count as constant.
 */
export async function movedNodes(
  { json, binary }: Gltf,
  pace: Pace,
): Promise<{ moved: Set<number>; animated: Set<number> }> {
  const { nodes = [], accessors = [], bufferViews = [] } = json;
  const view = new DataView(binary.buffer, binary.byteOffset, binary.byteLength);
  const [moved, animated] = [new Set<number>(), new Set<number>()];
  const most = FREE_KEYS + Math.ceil(binary.length / 12);
  let [seen, glance] = [0, 0];
  for (const { channels, samplers } of json.animations ?? []) {
    for (const { sampler, target } of channels) {
      seen++;
      const { node, path } = target;
      if (node === undefined || (path !== "translation" && path !== "rotation")) continue;
      animated.add(node);
      const accessor = accessors[samplers[sampler]?.output ?? -1];
      const data = bufferViews[accessor?.bufferView ?? -1];
      if (path !== "translation" || moved.has(node) || !accessor || !data || accessor.componentType !== FLOAT) continue;
      const { translation, matrix } = nodes[node] ?? {};
      const home = translation ?? matrix?.slice(12, 15) ?? [0, 0, 0];
      const far = Math.max(STILL, 0.01 * Math.hypot(...home)) ** 2;
      const [x = 0, y = 0, z = 0] = home;
      const start = (data.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
      const stride = data.byteStride ?? 12;
      for (let i = 0; i < accessor.count && start + i * stride + 12 <= binary.length; i++) {
        // Many channels may share the same numbers, so these have a limit of their own.
        if (++seen > most) throw over("translations of many nodes over the same keys", most);
        const at = start + i * stride;
        if (
          (view.getFloat32(at, true) - x) ** 2 +
            (view.getFloat32(at + 4, true) - y) ** 2 +
            (view.getFloat32(at + 8, true) - z) ** 2 >
          far
        ) {
          moved.add(node);
          break;
        }
        if (seen - glance < AT_ONCE) continue;
        glance = seen;
        if (pace.due) await pace.pause();
      }
    }
  }
  return { moved, animated };
}
