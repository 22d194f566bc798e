/** Decodes meshes that are compressed by KHR_draco_mesh_compression. */
import { componentCount } from "./accessor.js";
import { damagedFile, DRACO } from "./check.js";
import type { Gltf, GltfAccessor, GltfJson } from "./document.js";
import { EXPANSION_BYTES, limitError } from "./limits.js";
import { BinaryAppender } from "./write.js";

/** Largest number of vertices or of triangles of a mesh. */
const MAX_VERTICES = 2 ** 22;
/** Largest number of bytes of decoded meshes for each byte of the file. */
const MAX_RATIO = 64;

type Primitive = NonNullable<GltfJson["meshes"]>[number]["primitives"][number] & {
  indices?: number;
  extensions?: Record<string, unknown>;
};

/** The place of a compressed mesh, and the identifiers of its attributes. */
interface DracoExtension {
  bufferView: number;
  attributes: Record<string, number>;
}

/** Returns the compressed form of a primitive, checked; `undefined` if it is not compressed. */
function extensionOf({ extensions }: Primitive, { bufferViews = [] }: GltfJson): DracoExtension | undefined {
  const extension = extensions?.[DRACO] as DracoExtension | undefined;
  if (extension === undefined) return undefined;
  const { bufferView, attributes } = extension ?? {};
  const isValid =
    Number.isInteger(bufferView) &&
    bufferViews[bufferView] !== undefined &&
    typeof attributes === "object" &&
    attributes !== null &&
    Object.values(attributes).every((id) => Number.isInteger(id) && id >= 0);
  if (!isValid) throw damagedFile("the compression of a mesh is damaged");
  return extension;
}

/** Returns the file with its compressed meshes decoded; the same file if it has none. Other content is preserved. */
export async function withoutDraco(file: Gltf): Promise<Gltf> {
  const { json, binary } = file;
  if (!json.meshes?.some(({ primitives }) => primitives.some((primitive) => extensionOf(primitive, json)))) return file;
  const { decodeDraco } = await import("./decoders/draco.js");
  const appender = new BinaryAppender(json, binary);
  let remaining = EXPANSION_BYTES + MAX_RATIO * binary.length;
  const append = (values: Float32Array | Uint16Array | Uint32Array, accessor: GltfAccessor): number => {
    remaining -= values.byteLength;
    if (remaining < 0) throw limitError("decompressed meshes of too much data", `${MAX_RATIO} times its size`);
    return appender.addAs(values, accessor);
  };
  const decodePrimitive = async (primitive: Primitive): Promise<Primitive> => {
    const compressed = extensionOf(primitive, json);
    if (!compressed) return primitive;
    const { byteOffset = 0, byteLength = 0 } = json.bufferViews?.[compressed.bufferView] ?? {};
    const bytes = binary.subarray(byteOffset, byteOffset + byteLength);
    const mesh = await decodeDraco(bytes, compressed.attributes, MAX_VERTICES);
    const attributes = { ...primitive.attributes };
    for (const [name, { components, values }] of mesh.attributes) {
      const accessor = json.accessors?.[attributes[name] ?? -1];
      if (!accessor || componentCount(accessor) !== components) throw damagedFile(`a compressed mesh has no ${name}`);
      // Joints must be whole numbers.
      attributes[name] = append(name.startsWith("JOINTS_") ? Uint16Array.from(values) : values, accessor);
    }
    const { [DRACO]: _, ...extensions } = primitive.extensions ?? {};
    const indices = json.accessors?.[primitive.indices ?? -1] ?? { type: "SCALAR", componentType: 5125, count: 0 };
    return { ...primitive, attributes, indices: append(mesh.indices, indices), extensions };
  };
  const meshes = [];
  for (const mesh of json.meshes) {
    const primitives = [];
    for (const primitive of mesh.primitives) primitives.push(await decodePrimitive(primitive));
    meshes.push({ ...mesh, primitives });
  }
  return stripExtension(appender.finish(), meshes);
}

function stripExtension({ json, binary }: Gltf, meshes: NonNullable<GltfJson["meshes"]>): Gltf {
  const { extensionsUsed, extensionsRequired, ...rest } = json;
  const strip = (names: string[] | undefined): string[] => (names ?? []).filter((name) => name !== DRACO);
  const [used, required] = [strip(extensionsUsed), strip(extensionsRequired)];
  return {
    json: {
      ...rest,
      meshes,
      ...(used.length > 0 && { extensionsUsed: used }),
      ...(required.length > 0 && { extensionsRequired: required }),
    },
    binary,
  };
}
