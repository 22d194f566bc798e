/**
 * Reduces a document to the parts that a motion needs: bones, their ancestors, and one animation, so that the reader
 * of accessors sees nothing else.
 */
import type { GltfChannel, GltfJson } from "./document.js";
import { bytesOf } from "./check.js";
import { FREE_BYTES, MAX_BONES, over } from "./limits.js";

const PATHS = ["translation", "rotation", "scale"];

/** The document, and the original index of each of its nodes. */
export interface Pruned {
  json: GltfJson;
  origins: number[];
}

/** `animated`: nodes with any animation. `index`: the animation to keep, if there is one. */
export function pruned(json: GltfJson, binary: Uint8Array, animated: ReadonlySet<number>, index: number): Pruned {
  const { nodes = [], skins = [], animations = [] } = json;
  const origins = bonesOf(json, animated);
  const slots = new Map(origins.map((origin, slot) => [origin, slot]));
  const placed = (list: readonly number[]): number[] => list.flatMap((node) => slots.get(node) ?? []);
  const accessors = new Accessors(json, binary.length);
  const bare: GltfJson = {
    asset: json.asset,
    nodes: origins.map((origin) => {
      const { name, children, translation, rotation, scale, matrix } = nodes[origin] as NonNullable<
        GltfJson["nodes"]
      >[number];
      const below = placed(children ?? []);
      return {
        ...(name && { name }),
        ...(below.length > 0 && { children: below }),
        ...(translation && { translation }),
        ...(rotation && { rotation }),
        ...(scale && { scale }),
        ...(matrix && { matrix }),
      };
    }),
    skins: skins.map(({ joints, inverseBindMatrices }) => ({
      joints: placed(joints),
      ...(inverseBindMatrices !== undefined && { inverseBindMatrices: accessors.kept(inverseBindMatrices) }),
    })),
    animations: animations.slice(index, index + 1).map(({ name, channels, samplers }) => {
      const used = latest(channels);
      return {
        ...(name && { name }),
        channels: used.map(({ target }, sampler) => ({
          sampler,
          target: { node: slots.get(target.node as number) as number, path: target.path },
        })),
        samplers: used.map(({ sampler }) => {
          const { input, output, interpolation } = samplers[sampler] as (typeof samplers)[number];
          return {
            input: accessors.kept(input as number),
            output: accessors.kept(output as number),
            ...(interpolation && { interpolation }),
          };
        }),
      };
    }),
    bufferViews: (json.bufferViews ?? []).map(({ buffer, byteOffset, byteLength, byteStride }) => ({
      buffer,
      byteLength,
      ...(byteOffset && { byteOffset }),
      ...(byteStride && { byteStride }),
    })),
    accessors: accessors.list,
    buffers: [{ byteLength: binary.length }],
  };
  return { json: bare, origins };
}

/** Joints and animated nodes with all their ancestors, in the order of the file. */
function bonesOf({ nodes = [], skins = [] }: GltfJson, animated: ReadonlySet<number>): number[] {
  const parents = new Map(
    nodes.flatMap(({ children = [] }, parent) => children.map((child): [number, number] => [child, parent])),
  );
  const bones = new Set<number>();
  for (const start of [...skins.flatMap(({ joints }) => joints), ...animated]) {
    for (let node: number | undefined = start; node !== undefined && !bones.has(node); node = parents.get(node))
      bones.add(node);
  }
  if (bones.size > 2 * MAX_BONES)
    throw over(`${bones.size.toLocaleString("en")} bones and nodes that carry them`, 2 * MAX_BONES);
  return [...bones].sort((a, b) => a - b);
}

/** Effective channels: the last one of several for the same property of a node. */
function latest(channels: readonly GltfChannel[]): GltfChannel[] {
  const found = new Map<string, GltfChannel>();
  for (const channel of channels) {
    const { node, path } = channel.target;
    if (node !== undefined && PATHS.includes(path)) found.set(`${node} ${path}`, channel);
  }
  return [...found.values()];
}

/** The used accessors, each once. */
class Accessors {
  readonly list: NonNullable<GltfJson["accessors"]> = [];
  readonly #json: GltfJson;
  readonly #indices = new Map<number, number>();
  /** Remaining bytes to copy: each accessor is copied, and several may overlap. */
  #left: number;

  constructor(json: GltfJson, bytes: number) {
    this.#json = json;
    this.#left = FREE_BYTES + 2 * bytes;
  }

  kept(index: number): number {
    const found = this.#indices.get(index);
    if (found !== undefined) return found;
    const accessor = this.#json.accessors?.[index] as NonNullable<GltfJson["accessors"]>[number];
    this.#left -= bytesOf(accessor);
    if (this.#left < 0)
      throw over("accessors that lie over the same bytes many times", `twice the file and ${FREE_BYTES} bytes`);
    const { bufferView, byteOffset, componentType, count, type, sparse, normalized } = accessor as typeof accessor & {
      normalized?: boolean;
    };
    this.list.push({
      componentType,
      count,
      type,
      ...(bufferView !== undefined && { bufferView }),
      ...(byteOffset && { byteOffset }),
      ...(sparse && { sparse }),
      ...(normalized === true && { normalized }),
    });
    this.#indices.set(index, this.list.length - 1);
    return this.list.length - 1;
  }
}
