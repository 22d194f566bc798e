/**
 * Reduces a document to the bones, their ancestors, and one animation, so that the glTF library reads nothing else.
 */
import type { GltfChannel, GltfJson } from "./document.js";
import { accessorBytes } from "./check.js";
import { EXPANSION_BYTES, MAX_BONES, limitError } from "./limits.js";

const PATHS = ["translation", "rotation", "scale"];

/** The reduced document. `origins`: index of each of its nodes in the original document. */
export interface PrunedDocument {
  json: GltfJson;
  origins: number[];
}

/** Reduces a document. `kept`: nodes to keep besides joints. `index`: the animation to keep, if it exists. */
export function prune(json: GltfJson, binary: Uint8Array, kept: ReadonlySet<number>, index: number): PrunedDocument {
  const { nodes = [], skins = [], animations = [] } = json;
  const origins = findBones(json, kept);
  const newIndices = new Map(origins.map((origin, slot) => [origin, slot]));
  const renumber = (list: readonly number[]): number[] => list.flatMap((node) => newIndices.get(node) ?? []);
  const accessors = new Accessors(json, binary.length);
  const reduced: GltfJson = {
    asset: json.asset,
    nodes: origins.map((origin) => {
      const { name, children, translation, rotation, scale, matrix } = nodes[origin] as NonNullable<
        GltfJson["nodes"]
      >[number];
      const keptChildren = renumber(children ?? []);
      return {
        ...(name && { name }),
        ...(keptChildren.length > 0 && { children: keptChildren }),
        ...(translation && { translation }),
        ...(rotation && { rotation }),
        ...(scale && { scale }),
        ...(matrix && { matrix }),
      };
    }),
    skins: skins.map(({ joints, inverseBindMatrices }) => ({
      joints: renumber(joints),
      ...(inverseBindMatrices !== undefined && { inverseBindMatrices: accessors.copy(inverseBindMatrices) }),
    })),
    animations: animations.slice(index, index + 1).map(({ name, channels, samplers }) => {
      const effectiveChannels = selectEffective(channels);
      return {
        ...(name && { name }),
        channels: effectiveChannels.map(({ target }, sampler) => ({
          sampler,
          target: { node: newIndices.get(target.node as number) as number, path: target.path },
        })),
        samplers: effectiveChannels.map(({ sampler }) => {
          const { input, output, interpolation } = samplers[sampler] as (typeof samplers)[number];
          return {
            input: accessors.copy(input as number),
            output: accessors.copy(output as number),
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
  return { json: reduced, origins };
}

/** Returns joints and nodes to keep with all their ancestors, in the order of the file. */
function findBones({ nodes = [], skins = [] }: GltfJson, kept: ReadonlySet<number>): number[] {
  const parents = new Map(
    nodes.flatMap(({ children = [] }, parent) => children.map((child): [number, number] => [child, parent])),
  );
  const bones = new Set<number>();
  for (const start of [...skins.flatMap(({ joints }) => joints), ...kept]) {
    for (let node: number | undefined = start; node !== undefined && !bones.has(node); node = parents.get(node))
      bones.add(node);
  }
  if (bones.size > 2 * MAX_BONES)
    throw limitError(`${bones.size.toLocaleString("en")} bones and their ancestors`, 2 * MAX_BONES);
  return [...bones].sort((a, b) => a - b);
}

/** Selects the last channel for each property of a node, because later channels override earlier ones. */
function selectEffective(channels: readonly GltfChannel[]): GltfChannel[] {
  const channelsByProperty = new Map<string, GltfChannel>();
  for (const channel of channels) {
    const { node, path } = channel.target;
    if (node !== undefined && PATHS.includes(path)) channelsByProperty.set(`${node} ${path}`, channel);
  }
  return [...channelsByProperty.values()];
}

/** Copies accessors into a list, each accessor once. */
class Accessors {
  readonly list: NonNullable<GltfJson["accessors"]> = [];
  readonly #json: GltfJson;
  readonly #indices = new Map<number, number>();
  /**
   * Remaining size of accessors that may be added, bytes. The glTF library copies the values of each accessor, and
   * any number of accessors may use the same stored data.
   */
  #remainingBytes: number;

  /** `storedBytes`: size of the document's buffers. */
  constructor(json: GltfJson, storedBytes: number) {
    this.#json = json;
    this.#remainingBytes = EXPANSION_BYTES + 2 * storedBytes;
  }

  /** Copies an accessor and returns its new index. */
  copy(index: number): number {
    const copiedIndex = this.#indices.get(index);
    if (copiedIndex !== undefined) return copiedIndex;
    const accessor = this.#json.accessors?.[index] as NonNullable<GltfJson["accessors"]>[number];
    this.#remainingBytes -= accessorBytes(accessor);
    if (this.#remainingBytes < 0)
      throw limitError(
        "overlapping accessors with too much data",
        `twice the size of its buffers plus ${EXPANSION_BYTES.toLocaleString("en")} bytes`,
      );
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
