/** Types of a glTF file in memory: glTF 2.0, section 5. */

/** Properties of a glTF document that this package reads. Others are preserved. */
export interface GltfJson {
  asset: { version: string };
  buffers?: { byteLength: number; uri?: string }[];
  images?: { uri?: string; mimeType?: string; bufferView?: number }[];
  bufferViews?: { buffer: number; byteOffset?: number; byteLength: number; byteStride?: number }[];
  accessors?: GltfAccessor[];
  nodes?: {
    name?: string;
    children?: number[];
    mesh?: number;
    skin?: number;
    translation?: number[];
    rotation?: number[];
    scale?: number[];
    matrix?: number[];
  }[];
  skins?: { joints: number[]; skeleton?: number; inverseBindMatrices?: number }[];
  meshes?: { primitives: { attributes: Record<string, number> }[] }[];
  animations?: {
    name?: string;
    channels: GltfChannel[];
    samplers: { input?: number; output?: number; interpolation?: string }[];
  }[];
  extensionsUsed?: string[];
  extensionsRequired?: string[];
}

/** A list of values in a buffer. */
export interface GltfAccessor {
  bufferView?: number;
  byteOffset?: number;
  componentType: number;
  count: number;
  type: string;
  normalized?: boolean;
  min?: number[];
  max?: number[];
  sparse?: {
    count: number;
    indices: { bufferView: number; byteOffset?: number; componentType: number };
    values: { bufferView: number; byteOffset?: number };
  };
}

/** A node of the scene. */
export type GltfNode = NonNullable<GltfJson["nodes"]>[number];

/** An animation. */
export type GltfAnimation = NonNullable<GltfJson["animations"]>[number];

/** The animated property of a node, and its sampler. */
export interface GltfChannel {
  sampler: number;
  target: { node?: number; path: string; extensions?: Record<string, unknown> };
}

/** JSON of a file, and the bytes of its first buffer. */
export interface Gltf {
  json: GltfJson;
  binary: Uint8Array;
}
