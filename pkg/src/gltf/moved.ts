/** Which nodes of a file leave their place in their parent, in any of its animations: those are what its skeletons have in common. */
import type { Gltf } from "./container.js";

/** A bone that leaves its place by more than this moves: metres, or a hundredth of what it is away from its parent. */
const STILL = 0.005;
const FLOAT = 5126;

interface Channel {
  sampler: number;
  target: { node?: number; path: string };
}

/**
 * Indices of nodes that translation channels move, and of all that are animated. Looked up in the bytes: a reader of all animations takes seconds
 * for a file of fifty. Translations are floats (glTF 2.0, section 3.11); sparse ones, which are rare, count as still.
 */
export function movedNodes({ json, binary }: Gltf): { moved: Set<number>; animated: Set<number> } {
  const { nodes = [], accessors = [], bufferViews = [] } = json;
  const view = new DataView(binary.buffer, binary.byteOffset, binary.byteLength);
  const moved = new Set<number>();
  const animated = new Set<number>();
  for (const { channels, samplers } of json.animations ?? []) {
    for (const { sampler, target } of channels as Channel[]) {
      const { node, path } = target;
      if (node === undefined || (path !== "translation" && path !== "rotation")) continue;
      animated.add(node);
      const accessor = accessors[samplers[sampler]?.output ?? -1];
      const data = bufferViews[accessor?.bufferView ?? -1];
      if (path !== "translation" || moved.has(node) || !accessor || !data || accessor.componentType !== FLOAT) continue;
      const { translation, matrix } = nodes[node] ?? {};
      const home = translation ?? matrix?.slice(12, 15) ?? [0, 0, 0];
      const far = Math.max(STILL, 0.01 * Math.hypot(...home));
      const start = (data.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
      const stride = data.byteStride ?? 12;
      for (let i = 0; i < accessor.count && start + i * stride + 12 <= binary.length; i++) {
        const at = (axis: number): number => view.getFloat32(start + i * stride + axis * 4, true) - (home[axis] ?? 0);
        if (Math.hypot(at(0), at(1), at(2)) > far) {
          moved.add(node);
          break;
        }
      }
    }
  }
  return { moved, animated };
}
