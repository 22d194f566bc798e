// For tests of hostile and of mutated files: a valid glTF document (`document`, `glb`), hostile glTF documents
// (`documents`) and hostile GLB files (`containers`) with their expected results.

const range = (count, create) => Array.from({ length: count }, (_, i) => create(i));
/** Returns the `data:` URI of a typed array. */
export const dataUri = (bytes) =>
  `data:application/octet-stream;base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64")}`;

/** The buffer of the valid document: two times, two rotations. */
export const BUFFER = Buffer.from(new Float32Array([0, 1, 0, 0, 0, 1, 0, 0, 1, 0]).buffer);

/** A valid document with two bones and one animation; `change` modifies it. */
export function document(change = () => {}) {
  const json = {
    asset: { version: "2.0" },
    buffers: [{ byteLength: 40, uri: dataUri(BUFFER) }],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: 8 },
      { buffer: 0, byteOffset: 8, byteLength: 32 },
    ],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 2, type: "SCALAR", min: [0], max: [1] },
      { bufferView: 1, componentType: 5126, count: 2, type: "VEC4" },
    ],
    nodes: [{ name: "hand" }, { name: "arm", children: [0] }],
    skins: [{ joints: [1, 0] }],
    animations: [
      {
        name: "wave",
        channels: [{ sampler: 0, target: { node: 0, path: "rotation" } }],
        samplers: [{ input: 0, output: 1 }],
      },
    ],
  };
  return change(json) ?? json;
}
export const textOf = (json) => `${JSON.stringify(json)}\n`;

/** A GLB of a document, followed by chunks. */
export function glb(json, ...chunks) {
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, 0x20)]);
  const chunkParts = [[0x4e4f534a, padded], ...chunks].map(([kind, bytes]) => {
    const chunkHeader = Buffer.alloc(8);
    chunkHeader.writeUInt32LE(bytes.length, 0);
    chunkHeader.writeUInt32LE(kind, 4);
    return Buffer.concat([chunkHeader, bytes]);
  });
  const body = Buffer.concat(chunkParts);
  const fileHeader = Buffer.alloc(12);
  [0x46546c67, 2, body.length + 12].forEach((word, i) => fileHeader.writeUInt32LE(word, i * 4));
  return new Uint8Array(Buffer.concat([fileHeader, body]));
}

/** Documents by name: expected result (the code of the error, or "ok"), and a function that creates the document. */
export const documents = {
  "a cycle of nodes": [
    "glb",
    () => ({ asset: { version: "2.0" }, nodes: [{ children: [1] }, { children: [0] }], skins: [{ joints: [0] }] }),
  ],
  "a node below itself": ["glb", () => document((json) => void (json.nodes[0].children = [0]))],
  "a node with two parents": ["glb", () => document((json) => void json.nodes.push({ children: [0] }))],
  "a chain of 100,000 nodes": [
    "limit",
    () => document((json) => void (json.nodes = range(100_000, (i) => (i === 0 ? {} : { children: [i - 1] })))),
  ],
  "sparse counts of 1e8": [
    "glb",
    () =>
      document(
        (json) =>
          void (json.accessors[1].sparse = {
            count: 1e8,
            indices: { bufferView: 0, componentType: 5125 },
            values: { bufferView: 1 },
          }),
      ),
  ],
  "a sparse accessor of 1e8": [
    "limit",
    () =>
      document((json) => {
        json.accessors[1] = {
          componentType: 5126,
          count: 1e8,
          type: "VEC4",
          sparse: { count: 1, indices: { bufferView: 0, componentType: 5125 }, values: { bufferView: 1 } },
        };
      }),
  ],
  "times without a view": [
    "limit",
    () => document((json) => void (json.accessors[0] = { componentType: 5126, count: 1e9, type: "SCALAR" })),
  ],
  "a few times without a view": [
    "glb",
    () => document((json) => void (json.accessors[0] = { componentType: 5126, count: 2, type: "SCALAR" })),
  ],
  "fewer rotations than keys": ["glb", () => document((json) => void (json.accessors[1].count = 1))],
  "a spline without tangents": [
    "glb",
    () => document((json) => void (json.animations[0].samplers[0].interpolation = "CUBICSPLINE")),
  ],
  "rotations of three components": ["glb", () => document((json) => void (json.accessors[1].type = "VEC3"))],
  "20,000 nodes": ["ok", () => document((json) => void json.nodes.push(...range(20_000, (i) => ({ name: `n${i}` }))))],
  "20,000 joints": [
    "limit",
    () =>
      document((json) => {
        json.nodes.push(...range(20_000, () => ({ name: "n" })));
        json.skins[0].joints = range(20_002, (i) => i);
      }),
  ],
  "4,000 joints below one": [
    "ok",
    () =>
      document((json) => {
        json.nodes.push(...range(4000, () => ({ name: "n" })));
        json.nodes[1].children = [0, ...range(4000, (i) => i + 2)];
        json.skins[0].joints = range(4002, (i) => i);
      }),
  ],
  "20,000 animations of one name": [
    "ok",
    () => document((json) => void (json.animations = range(20_000, () => json.animations[0]))),
  ],
  "200,000 animations": ["limit", () => document((json) => void (json.animations = range(200_000, () => ({}))))],
  "20,000 channels on one node": [
    "ok",
    () => document((json) => void (json.animations[0].channels = range(20_000, () => json.animations[0].channels[0]))),
  ],
  "an animation of 1e9 seconds": [
    "limit",
    () => document((json) => void (json.buffers[0].uri = dataUri(new Float32Array([0, 1e9, 0, 0, 0, 1, 0, 0, 1, 0])))),
  ],
  "an animation of 5 days on 1,000 bones": [
    "limit",
    () =>
      document((json) => {
        json.buffers[0].uri = dataUri(new Float32Array([0, 432_000, 0, 0, 0, 1, 0, 0, 1, 0]));
        json.nodes.push(...range(1000, () => ({})));
        json.skins[0].joints = range(1002, (i) => i);
      }),
  ],
  "an accessor beyond its view": ["glb", () => document((json) => void (json.accessors[1].count = 3))],
  "a view beyond its buffer": ["glb", () => document((json) => void (json.bufferViews[1].byteLength = 33))],
  "a stride of 0": ["glb", () => document((json) => void (json.bufferViews[1].byteStride = 0))],
  "1e6 keys read 20,000 times": [
    "limit",
    () =>
      document((json) => {
        json.buffers[0] = { byteLength: 12_000_008, uri: dataUri(new Uint8Array(12_000_008)) };
        json.bufferViews = [
          { buffer: 0, byteLength: 8 },
          { buffer: 0, byteOffset: 8, byteLength: 12_000_000 },
        ];
        json.accessors[1] = { bufferView: 1, componentType: 5126, count: 1_000_000, type: "VEC3" };
        json.nodes.push(...range(20_000, () => ({})));
        json.animations[0].channels = range(20_000, (node) => ({ sampler: 0, target: { node, path: "translation" } }));
      }),
  ],
  "buffers: 5": ["glb", () => document((json) => void (json.buffers = 5))],
  "animations: [null]": ["glb", () => document((json) => void (json.animations = [null]))],
  "animations: {}": ["glb", () => document((json) => void (json.animations = {}))],
  "a name that is a number": ["glb", () => document((json) => void (json.nodes[0].name = 5))],
  "a data address with broken escapes": ["glb", () => document((json) => void (json.buffers[0].uri = "data:,%zz"))],
  "a data address without a comma": ["glb", () => document((json) => void (json.buffers[0].uri = "data:"))],
  "a buffer that is shorter than it states": [
    "glb",
    () => document((json) => void (json.buffers[0].uri = "data:;base64,AAAA")),
  ],
  'an index that is "__proto__"': ["glb", () => document((json) => void (json.skins[0].joints = ["__proto__"]))],
  'a component type that is "toString"': [
    "glb",
    () => document((json) => void (json.accessors[0].componentType = "toString")),
  ],
  "a component type that is a text": ["glb", () => document((json) => void (json.accessors[1].componentType = "5126"))],
  "a matrix of texts": ["glb", () => document((json) => void (json.nodes[0].matrix = range(16, () => "1")))],
  "a terminal's escape as version": ["glb", () => document((json) => void (json.asset.version = "\u001b[2J"))],
};

/** Complete files by name: expected result, and a function that creates the bytes. */
export const containers = {
  '100 MB of "["': ["limit", () => containerWithJson(Buffer.alloc(100 << 20, 0x5b))],
  '10 MB of "[" as JSON': ["glb", () => containerWithJson(Buffer.alloc(10 << 20, 0x5b))],
  "a chunk of 4 GB": [
    "glb",
    () => {
      const file = glb(document());
      new DataView(file.buffer, file.byteOffset).setUint32(12, 0xffffffff, true);
      return file;
    },
  ],
  "1e6 empty chunks": ["glb", () => Buffer.concat([glb({}).subarray(0, 12), Buffer.alloc(8_000_000)])],
  "two documents": ["glb", () => glb(document(), [0x4e4f534a, Buffer.from(JSON.stringify(document()).padEnd(1024))])],
  "bytes before the document": [
    "glb",
    () => Buffer.concat([glb({}).subarray(0, 12), Buffer.from([4, 0, 0, 0, 0x42, 0x49, 0x4e, 0, 0, 0, 0, 0])]),
  ],
  "a buffer longer than its bytes": [
    "glb",
    () =>
      glb(
        document((json) => void delete json.buffers[0].uri),
        [0x004e4942, Buffer.alloc(20)],
      ),
  ],
  "an empty GLB": ["glb", () => new Uint8Array([0x67, 0x6c, 0x54, 0x46])],
};

function containerWithJson(json) {
  const file = Buffer.concat([glb({}).subarray(0, 12), Buffer.alloc(8), json]);
  file.writeUInt32LE(json.length, 12);
  file.writeUInt32LE(0x4e4f534a, 16);
  return file;
}
