/** Types of a glTF file in memory: glTF 2.0, section 5. */

/** Properties of a glTF document that this package reads. Others are preserved. */
export interface GltfJson {
  asset: { version: string };
  buffers?: { byteLength: number; uri?: string }[];
  images?: { uri?: string; mimeType?: string; bufferView?: number }[];
  bufferViews?: { buffer: number; byteOffset?: number; byteLength: number; byteStride?: number }[];
  accessors?: {
    bufferView?: number;
    byteOffset?: number;
    componentType: number;
    count: number;
    type: string;
    min?: number[];
    max?: number[];
    sparse?: object;
  }[];
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

/** The animated property of a node, and its sampler. */
export interface GltfChannel {
  sampler: number;
  target: { node?: number; path: string };
}

/** JSON of a file, and the bytes of its first buffer. */
export interface Gltf {
  json: GltfJson;
  binary: Uint8Array;
}
