/** Adds an animation to a glTF file; all other content is preserved, including unknown extensions. */
import type { BoneTracks } from "../bones/character.js";
import { COMPONENTS_PER_TYPE } from "./check.js";
import type { Gltf, GltfAccessor, GltfChannel, GltfJson } from "./document.js";

/** Component types in glTF. */
const [FLOAT, UNSIGNED_SHORT, UNSIGNED_INT] = [5126, 5123, 5125];
/** Properties of an accessor that describe how its values are stored. */
const STORAGE = ["bufferView", "byteOffset", "componentType", "count", "normalized", "sparse"];
/** Difference below which components of rotations or positions are equal. */
const EQUAL_COMPONENTS = 1e-6;

/** Inserts an animation before the others. `nodes`: node index of each bone. */
export function addAnimation({ json, binary }: Gltf, name: string, nodes: readonly number[], tracks: BoneTracks): Gltf {
  const buffer = new BinaryAppender(json, binary);
  const { fps, frames } = tracks;
  const times = Float32Array.from({ length: frames }, (_, frame) => frame / fps);
  const [allTimes, firstTime] = [buffer.add(times, "SCALAR"), buffer.add(times.subarray(0, 1), "SCALAR")];
  const samplers: { input: number; interpolation: string; output: number }[] = [];
  const channels: GltfChannel[] = [];
  const addChannel = (node: number, path: string, values: Float32Array, width: 3 | 4): void => {
    // The first track has every key: the animation keeps its duration if no bone moves.
    const isStatic = channels.length > 0 && isConstant(values, width);
    const output = buffer.add(isStatic ? values.subarray(0, width) : values, width === 4 ? "VEC4" : "VEC3");
    channels.push({ sampler: samplers.length, target: { node, path } });
    samplers.push({ input: isStatic ? firstTime : allTimes, interpolation: "LINEAR", output });
  };
  nodes.forEach((node, bone) => {
    addChannel(node, "rotation", tracks.rotations[bone] as Float32Array, 4);
    const positions = tracks.positions[bone];
    if (positions) addChannel(node, "translation", positions, 3);
  });
  const added = buffer.finish();
  return { ...added, json: { ...added.json, animations: [{ name, channels, samplers }, ...(json.animations ?? [])] } };
}

function isConstant(values: Float32Array, width: number): boolean {
  return values.every((value, i) => Math.abs(value - (values[i % width] as number)) < EQUAL_COMPONENTS);
}

/** Appends accessors to the buffer of a file. */
export class BinaryAppender {
  readonly #json: GltfJson;
  readonly #chunks: Uint8Array[];
  #length: number;
  readonly #views: NonNullable<GltfJson["bufferViews"]>;
  readonly #accessors: NonNullable<GltfJson["accessors"]>;

  constructor(json: GltfJson, binary: Uint8Array) {
    this.#json = json;
    const padding = (4 - (binary.length % 4)) % 4;
    this.#chunks = [binary, new Uint8Array(padding)];
    this.#length = binary.length + padding;
    this.#views = [...(json.bufferViews ?? [])];
    this.#accessors = [...(json.accessors ?? [])];
  }

  /** Adds an accessor and returns its index. `areTimes`: whether the values are key times, in ascending order. */
  add(values: Float32Array, type: "SCALAR" | "VEC3" | "VEC4", areTimes = type === "SCALAR"): number {
    // glTF is little-endian, like all machines that run JavaScript and wasm.
    this.#chunks.push(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.#views.push({ buffer: 0, byteOffset: this.#length, byteLength: values.byteLength });
    this.#length += values.byteLength;
    const count = values.length / { SCALAR: 1, VEC3: 3, VEC4: 4 }[type];
    // Accessors of key times need min and max (glTF 2.0, section 3.11).
    const limits = areTimes ? { min: [values[0] ?? 0], max: [values.at(-1) ?? 0] } : {};
    this.#accessors.push({ bufferView: this.#views.length - 1, componentType: FLOAT, count, type, ...limits });
    return this.#accessors.length - 1;
  }

  /** Adds values that replace those of an accessor: same name, type and limits, but stored as they are. */
  addAs(values: Float32Array | Uint16Array | Uint32Array, { type, min, max, ...accessor }: GltfAccessor): number {
    const rest = Object.entries(accessor).filter(([key]) => !STORAGE.includes(key));
    this.#chunks.push(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    this.#views.push({ buffer: 0, byteOffset: this.#length, byteLength: values.byteLength });
    this.#length += values.byteLength;
    this.#accessors.push({
      ...Object.fromEntries(rest),
      bufferView: this.#views.length - 1,
      componentType:
        values instanceof Float32Array ? FLOAT : values instanceof Uint16Array ? UNSIGNED_SHORT : UNSIGNED_INT,
      count: values.length / (COMPONENTS_PER_TYPE[type] as number),
      type,
      ...(min && { min }),
      ...(max && { max }),
    });
    return this.#accessors.length - 1;
  }

  /** Returns the file with all added accessors. */
  finish(): Gltf {
    const binary = new Uint8Array(this.#length);
    let offset = 0;
    for (const chunk of this.#chunks) {
      binary.set(chunk, offset);
      offset += chunk.length;
    }
    const [first, ...others] = this.#json.buffers ?? [];
    return {
      json: {
        ...this.#json,
        buffers: [{ ...first, byteLength: this.#length }, ...others],
        bufferViews: this.#views,
        accessors: this.#accessors,
      },
      binary,
    };
  }
}
