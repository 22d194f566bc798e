/**
 * The decoder of KHR_draco_mesh_compression, by its makers. `npm run build` bundles it with its wasm into one file, which
 * is loaded with the first compressed mesh that is needed.
 */
import createDecoderModule from "draco3dgltf/draco_decoder_gltf_nodejs.js";
import wasmBinary from "draco3dgltf/draco_decoder_gltf.wasm";

/** A decoded mesh. */
export interface DracoMesh {
  /** Corners of the triangles. */
  indices: Uint32Array;
  /** Values of each attribute, by the name in glTF: [vertices × components]. */
  attributes: ReadonlyMap<string, { components: number; values: Float32Array }>;
}

/** An object in the decoder's memory. */
type Handle = object;

/** The parts of the decoder's module that are used; see draco_web_decoder.idl. */
interface Draco {
  Decoder: new () => {
    DecodeArrayToMesh(bytes: Int8Array, length: number, mesh: Handle): { ok(): boolean; error_msg(): string };
    GetAttributeByUniqueId(mesh: Handle, id: number): { num_components(): number };
    GetAttributeFloatForAllPoints(mesh: Handle, attribute: Handle, out: Handle): boolean;
    GetTrianglesUInt32Array(mesh: Handle, bytes: number, pointer: number): boolean;
  };
  Mesh: new () => { num_points(): number; num_faces(): number };
  DracoFloat32Array: new () => { size(): number; GetValue(index: number): number };
  HEAPU32: { buffer: ArrayBuffer };
  _malloc(bytes: number): number;
  _free(pointer: number): void;
  destroy(handle: Handle): void;
}

let loading: Promise<Draco> | undefined;

/**
 * Decodes a mesh. `ids`: identifier of each attribute, by the name in glTF; `maxVertices`: largest number of vertices
 * and of triangles. Rejects if the data are damaged or larger.
 */
export async function decodeDraco(
  bytes: Uint8Array,
  ids: Readonly<Record<string, number>>,
  maxVertices: number,
): Promise<DracoMesh> {
  const draco = await (loading ??= createDecoderModule({ wasmBinary }) as Promise<Draco>);
  const [decoder, mesh] = [new draco.Decoder(), new draco.Mesh()];
  try {
    const view = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const status = decoder.DecodeArrayToMesh(view, bytes.length, mesh);
    if (!status.ok()) throw new Error(`a mesh cannot be decoded: ${status.error_msg()}`);
    if (mesh.num_points() > maxVertices || mesh.num_faces() > maxVertices)
      throw new Error(`a mesh has over ${maxVertices.toLocaleString("en")} vertices or triangles`);
    const attributes = new Map<string, { components: number; values: Float32Array }>();
    for (const [name, id] of Object.entries(ids)) {
      const attribute = decoder.GetAttributeByUniqueId(mesh, id);
      const list = new draco.DracoFloat32Array();
      try {
        decoder.GetAttributeFloatForAllPoints(mesh, attribute, list);
        const values = Float32Array.from({ length: list.size() }, (_, i) => list.GetValue(i));
        attributes.set(name, { components: attribute.num_components(), values });
      } finally {
        draco.destroy(list);
      }
    }
    return { indices: readTriangles(draco, decoder, mesh), attributes };
  } finally {
    draco.destroy(mesh);
    draco.destroy(decoder);
  }
}

function readTriangles(
  draco: Draco,
  decoder: InstanceType<Draco["Decoder"]>,
  mesh: InstanceType<Draco["Mesh"]>,
): Uint32Array {
  const bytes = mesh.num_faces() * 12;
  const pointer = draco._malloc(bytes);
  try {
    decoder.GetTrianglesUInt32Array(mesh, bytes, pointer);
    return new Uint32Array(draco.HEAPU32.buffer, pointer, bytes / 4).slice();
  } finally {
    draco._free(pointer);
  }
}
