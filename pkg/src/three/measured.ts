/** Measures the skeleton of a model, whatever the model's place and scale in the scene are. */
import type { Object3D } from "three";
import type { Character } from "../bones/pose.js";
import { Skeleton } from "./skeleton.js";

/**
 * Returns the bones of a model and their rest pose, as if the model stood alone at scale 1: a game may create it with
 * scale 0 and let it grow. `bones`: the object with the bones, if they belong to no skin.
 */
export function measured(root: Object3D, bones?: Object3D): { nodes: readonly Object3D[]; character: Character } {
  const animated = new Set<Object3D>();
  bones?.traverse((node) => node !== bones && animated.add(node));
  const object = bones ?? root;
  const { parent } = object;
  const scale = object.scale.clone();
  try {
    object.parent = null;
    if (object === root) object.scale.set(1, 1, 1);
    const skeleton = new Skeleton(object, animated);
    return { nodes: skeleton.nodes, character: skeleton.character() };
  } finally {
    object.parent = parent;
    object.scale.copy(scale);
    root.updateWorldMatrix(true, true);
  }
}
