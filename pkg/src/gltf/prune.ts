/** A document cut down to what a motion needs: bones, what carries them, and one animation. The reader of accessors sees no more. */
import type { GltfChannel, GltfJson } from "./container.js";
import { bytesOf } from "./check.js";
import { FREE_BYTES, MAX_BONES, over } from "./limits.js";

const PATHS = ["translation", "rotation", "scale"];

/** The document, and the index that each of its nodes had. */
export interface Pruned {
  json: GltfJson;
  origins: number[];
}

/** `animated`: nodes that any animation turns or moves. `index`: the animation to keep, if there is one. */
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

/** Nodes that are joints or animated, and all that is above them, in the order of the file. */
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

/** Channels that count: of several for the same property of a node the last one. */
function latest(channels: readonly GltfChannel[]): GltfChannel[] {
  const found = new Map<string, GltfChannel>();
  for (const channel of channels) {
    const { node, path } = channel.target;
    if (node !== undefined && PATHS.includes(path)) found.set(`${node} ${path}`, channel);
  }
  return [...found.values()];
}

/** The accessors that are used, each once. */
class Accessors {
  readonly list: NonNullable<GltfJson["accessors"]> = [];
  readonly #json: GltfJson;
  readonly #indices = new Map<number, number>();
  /** Bytes that may still be copied: each accessor is, and several may lie over the same bytes. */
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
