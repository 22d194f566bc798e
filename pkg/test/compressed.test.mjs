// glTF files compressed by meshopt and Draco: `load`, `animateGlb` and `packGlb` decode them by the makers' decoders.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createRequire } from "node:module";
import { MeshoptEncoder } from "meshoptimizer/encoder";
import { animateGlb, load, packGlb } from "kinestitch";
import { glb } from "./hostile-documents.mjs";
import { documentOf, lowestSole, parts } from "./glb-parts.mjs";
import { root } from "./support.mjs";

const fixture = (name) => readFileSync(join(root, "tests", "fixtures", name));
const hero = new Uint8Array(fixture("cases/hero-plain.glb"));
const BINARY = 0x004e4942;
/** Concatenates byte arrays; each starts at a multiple of four. Returns the bytes and the starts. */
function concatenate(chunks) {
  const starts = [];
  let length = 0;
  for (const chunk of chunks) {
    starts.push(length);
    length += Math.ceil(chunk.length / 4) * 4;
  }
  const bytes = Buffer.alloc(length);
  chunks.forEach((chunk, i) => bytes.set(chunk, starts[i]));
  return { bytes, starts };
}

/** Returns a GLB with all views of four-byte elements compressed by meshopt. `extension`: its name. */
async function withMeshopt(file, extension, change = () => {}) {
  await MeshoptEncoder.ready;
  const { json, binary } = parts(file);
  const chunks = json.bufferViews.map((view, i) => {
    const bytes = binary.subarray(view.byteOffset ?? 0, (view.byteOffset ?? 0) + view.byteLength);
    const stride = view.byteLength % 16 === 0 ? 16 : view.byteLength % 4 === 0 ? 4 : 0;
    const accessor = json.accessors.find(({ bufferView }) => bufferView === i);
    if (stride === 0 || (accessor?.type === "SCALAR" && accessor.componentType === 5123)) return { bytes };
    const count = view.byteLength / stride;
    return { bytes: MeshoptEncoder.encodeGltfBuffer(bytes, count, stride, "ATTRIBUTES"), stride, count };
  });
  const { bytes, starts } = concatenate(chunks.map((chunk) => chunk.bytes));
  const fallback = { byteLength: binary.length, extensions: { [extension]: { fallback: true } } };
  const bufferViews = json.bufferViews.map((view, i) => {
    const { stride, count, bytes: data } = chunks[i];
    if (stride === undefined) return { ...view, buffer: 0, byteOffset: starts[i] };
    const compressed = {
      buffer: 0,
      byteOffset: starts[i],
      byteLength: data.length,
      byteStride: stride,
      count,
      mode: "ATTRIBUTES",
    };
    return { ...view, buffer: 1, extensions: { [extension]: compressed } };
  });
  const compressed = {
    ...json,
    buffers: [{ byteLength: bytes.length }, fallback],
    bufferViews,
    extensionsUsed: [extension],
    extensionsRequired: [extension],
  };
  change(compressed);
  return glb(compressed, [BINARY, bytes]);
}

/** Returns a GLB whose mesh is compressed by Draco, in the order of its vertices. */
async function withDraco(file) {
  const { createEncoderModule } = createRequire(import.meta.url)("draco3dgltf");
  const draco = await createEncoderModule({});
  const { json, binary } = parts(file);
  const [primitive] = json.meshes[0].primitives;
  const read = (index, Type) => {
    const { bufferView, byteOffset = 0, count, type } = json.accessors[index];
    const start = (json.bufferViews[bufferView].byteOffset ?? 0) + byteOffset;
    const length = count * { SCALAR: 1, VEC3: 3, VEC4: 4 }[type];
    return new Type(
      binary.buffer.slice(binary.byteOffset + start, binary.byteOffset + start + length * Type.BYTES_PER_ELEMENT),
    );
  };
  const types = { 5121: Uint8Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
  const typeOf = (index) => types[json.accessors[index].componentType];
  const [builder, mesh, encoder] = [new draco.MeshBuilder(), new draco.Mesh(), new draco.Encoder()];
  const { count: vertices } = json.accessors[primitive.attributes.POSITION];
  const indices = Array.from({ length: vertices - (vertices % 3) }, (_, i) => i);
  builder.AddFacesToMesh(mesh, indices.length / 3, Uint32Array.from(indices));
  const attributes = {};
  for (const [name, index] of Object.entries(primitive.attributes)) {
    const { count, type } = json.accessors[index];
    const width = { VEC3: 3, VEC4: 4 }[type];
    const values = read(index, typeOf(index));
    const kind = name === "POSITION" ? draco.POSITION : draco.GENERIC;
    attributes[name] =
      values instanceof Float32Array
        ? builder.AddFloatAttribute(mesh, kind, count, width, values)
        : values instanceof Uint16Array
          ? builder.AddUInt16Attribute(mesh, kind, count, width, values)
          : builder.AddFloatAttribute(
              mesh,
              kind,
              count,
              width,
              Float32Array.from(values, (value) => value / 255),
            );
  }
  encoder.SetEncodingMethod(draco.MESH_SEQUENTIAL_ENCODING);
  const out = new draco.DracoInt8Array();
  const length = encoder.EncodeMeshToDracoBuffer(mesh, out);
  const data = Uint8Array.from({ length }, (_, i) => out.GetValue(i));
  const { bytes, starts } = concatenate([binary, data]);
  const bufferViews = [...json.bufferViews, { buffer: 0, byteOffset: starts[1], byteLength: length }];
  const accessors = json.accessors.map((accessor, i) => {
    if (!Object.values(primitive.attributes).includes(i)) return accessor;
    const { bufferView: _, byteOffset: __, ...rest } = accessor;
    return rest;
  });
  const extension = { KHR_draco_mesh_compression: { bufferView: bufferViews.length - 1, attributes } };
  const compressed = {
    ...json,
    buffers: [{ byteLength: bytes.length }],
    bufferViews,
    accessors,
    meshes: [{ ...json.meshes[0], primitives: [{ ...primitive, extensions: extension }] }],
    extensionsUsed: ["KHR_draco_mesh_compression"],
    extensionsRequired: ["KHR_draco_mesh_compression"],
  };
  return glb(compressed, [BINARY, bytes]);
}

describe("a file compressed by meshopt", () => {
  for (const extension of ["EXT_meshopt_compression", "KHR_meshopt_compression"])
    it(`is read like the uncompressed file (${extension})`, async () => {
      const walk = new Uint8Array(fixture("cases/jump-armature-100.glb"));
      const [plain, compressed] = [await load(walk), await load(await withMeshopt(walk, extension))];
      assert.deepEqual(compressed.positions(), plain.positions());
      const packed = await packGlb(await withMeshopt(hero, extension));
      assert.equal(documentOf(packed).extensionsUsed, undefined);
      assert.deepEqual((await load(packed)).info().joints, (await load(hero)).info().joints);
    });

  it("is refused if its data are damaged or too large", async () => {
    const name = "EXT_meshopt_compression";
    const extensionOf = (json) => json.bufferViews.find(({ extensions }) => extensions).extensions[name];
    const changes = [
      ["glb", (json) => void (extensionOf(json).byteOffset += 4)],
      ["glb", (json) => void (extensionOf(json).byteLength = 1e9)],
      ["glb", (json) => void (extensionOf(json).count = -1)],
      ["glb", (json) => void (extensionOf(json).mode = "TRIANGLES")],
      ["glb", (json) => void (extensionOf(json).mode = "none")],
      [
        "limit",
        (json) => {
          const view = json.bufferViews.find(({ extensions }) => extensions);
          Object.assign(view, { byteOffset: 0, byteLength: 16 * 2 ** 25 });
          Object.assign(extensionOf(json), { count: 2 ** 25, byteStride: 16 });
          json.buffers[1].byteLength = 2 ** 29;
        },
      ],
    ];
    for (const [code, change] of changes)
      await assert.rejects(async () => load(await withMeshopt(hero, name, change)), { code }, String(change));
  });
});

describe("a character compressed by Draco", () => {
  it("stands on its soles, and is packed as a plain file", async () => {
    const compressed = await withDraco(hero);
    const walk = await load(fixture("bo-walk.bvh"));
    const packed = await packGlb(compressed);
    assert.equal(documentOf(packed).extensionsRequired, undefined);
    const [plain, decoded] = [
      await lowestSole(await animateGlb(hero, walk)),
      await lowestSole(await animateGlb(packed, walk)),
    ];
    assert.ok(Math.abs(plain - decoded) < 1e-3, `${plain} ${decoded}`);
    const animated = await animateGlb(compressed, walk);
    assert.deepEqual(documentOf(animated).extensionsRequired, ["KHR_draco_mesh_compression"]);
    assert.deepEqual((await load(animated)).positions(), (await load(await animateGlb(hero, walk))).positions());
  });

  it("is refused if its data are damaged", async () => {
    const compressed = await withDraco(hero);
    const damaged = compressed.slice();
    damaged.fill(7, damaged.length - 200);
    await assert.rejects(packGlb(damaged), { code: "glb" });
  });
});
