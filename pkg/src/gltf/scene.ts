/**
 * The nodes of a scene and their world matrices at any time of an animation: full 4 × 4 matrices, from the animated
 * nodes themselves.
 */
import { compose, decompose, type Matrices, multiplyMatrices } from "../bones/matrix.js";
import type { Rotation, Vector } from "../bones/rotation.js";
import type { GltfJson, GltfNode } from "./document.js";
import { MAX_BONES, limitError } from "./limits.js";
import { createSampler, type Track, type TrackPath } from "./tracks.js";

/** Translation, rotation and scale of a node relative to its parent. */
export interface LocalTransform {
  translation: Vector;
  rotation: Rotation;
  scale: Vector;
}

/** Returns the index of each node's parent, −1 for top nodes. */
export function parentsOf({ nodes = [] }: GltfJson): Int32Array {
  const parents = new Int32Array(nodes.length).fill(-1);
  nodes.forEach(({ children = [] }, parent) => {
    for (const child of children) parents[child] = parent;
  });
  return parents;
}

/** The nodes of a file that are needed, with all their ancestors. Each has a slot; parents come before children. */
export class Scene {
  /** Index of the node in each slot. */
  readonly nodes: readonly number[];
  /** Slot of the parent in each slot, −1 for top nodes. */
  readonly parents: Int32Array;
  readonly #slots: Map<number, number>;
  readonly #json: GltfJson;

  /** `needed`: indices of nodes. */
  constructor(json: GltfJson, parents: Int32Array, needed: Iterable<number>) {
    this.#json = json;
    const found = new Set<number>();
    for (const start of needed) {
      const path: number[] = [];
      for (let node = start; node >= 0 && !found.has(node); node = parents[node] as number) path.push(node);
      for (const node of path.reverse()) found.add(node);
      if (found.size > 2 * MAX_BONES)
        throw limitError(`over ${(2 * MAX_BONES).toLocaleString("en")} bones and their ancestors`, 2 * MAX_BONES);
    }
    this.nodes = [...found];
    this.#slots = new Map(this.nodes.map((node, slot) => [node, slot]));
    this.parents = Int32Array.from(this.nodes, (node) => this.slotOf(parents[node] as number));
  }

  /** Returns the slot of a node, −1 if it is not in the scene. */
  slotOf(node: number): number {
    return this.#slots.get(node) ?? -1;
  }

  #node(index: number): GltfNode {
    return this.#json.nodes?.[index] ?? {};
  }

  /** Returns the transform of a node in the file. */
  localTransform(node: number): LocalTransform {
    const { matrix, translation, rotation, scale } = this.#node(node);
    if (matrix) {
      const parts = decompose(Float64Array.from(matrix));
      return { translation: parts.position, rotation: parts.rotation, scale: parts.scale };
    }
    return {
      translation: (translation as unknown as Vector | undefined) ?? [0, 0, 0],
      rotation: (rotation as unknown as Rotation | undefined) ?? [0, 0, 0, 1],
      scale: (scale as unknown as Vector | undefined) ?? [1, 1, 1],
    };
  }

  /** Writes the matrix of a node relative to its parent, as in the file. */
  writeLocal(out: Matrices, offset: number, node: number): void {
    const { matrix } = this.#node(node);
    if (matrix) return out.set(matrix, offset);
    const { translation, rotation, scale } = this.localTransform(node);
    compose(out, offset, translation, rotation, scale);
  }
}

/** Evaluates the world matrices of a scene while an animation plays. */
export class ScenePlayer {
  /** World matrix of each slot at the last time, 16 numbers each. */
  readonly worlds: Matrices;
  readonly #scene: Scene;
  readonly #locals: Matrices;
  /** Slots whose world matrix changes, parents before children. */
  readonly #moving: number[];
  readonly #animated: { slot: number; transform: LocalTransform; tracks: [TrackPath, (time: number) => unknown][] }[];

  /** Without tracks, `worlds` is the scene as in the file. */
  constructor(scene: Scene, tracks: readonly Track[]) {
    this.#scene = scene;
    const count = scene.nodes.length;
    this.worlds = new Float64Array(count * 16);
    this.#locals = new Float64Array(count * 16);
    scene.nodes.forEach((node, slot) => scene.writeLocal(this.#locals, slot * 16, node));
    const byslot = new Map<number, Track[]>();
    for (const track of tracks) {
      const slot = scene.slotOf(track.node);
      if (slot >= 0) byslot.set(slot, [...(byslot.get(slot) ?? []), track]);
    }
    this.#animated = [...byslot].map(([slot, list]) => ({
      slot,
      transform: { ...scene.localTransform(scene.nodes[slot] as number) },
      tracks: list.map((track) => [track.path, createSampler(track)]),
    }));
    for (let slot = 0; slot < count; slot++) this.#update(slot);
    const isMoving = new Uint8Array(count);
    this.#moving = [];
    for (let slot = 0; slot < count; slot++) {
      if (!byslot.has(slot) && isMoving[scene.parents[slot] as number] !== 1) continue;
      isMoving[slot] = 1;
      this.#moving.push(slot);
    }
  }

  #update(slot: number): void {
    const parent = this.#scene.parents[slot] as number;
    if (parent >= 0) multiplyMatrices(this.worlds, slot * 16, [this.worlds, parent * 16], [this.#locals, slot * 16]);
    else this.worlds.set(this.#locals.subarray(slot * 16, slot * 16 + 16), slot * 16);
  }

  /** Computes `worlds` at a time, seconds. */
  seek(time: number): void {
    for (const { slot, transform, tracks } of this.#animated) {
      for (const [path, sample] of tracks) transform[path] = sample(time) as never;
      compose(this.#locals, slot * 16, transform.translation, transform.rotation, transform.scale);
    }
    for (const slot of this.#moving) this.#update(slot);
  }
}
