// Hostile files with their expected results. Runs all readers on them, and measures the times.
//
//     node pkg/test/hostile-files.mjs        prints the table
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { animateGlb, animations, load, packGlb } from "kinestitch";
import { load as loadInWorker } from "kinestitch/worker";

const range = (count, make) => Array.from({ length: count }, (_, i) => make(i));
const data = (bytes) => `data:application/octet-stream;base64,${Buffer.from(bytes.buffer ?? bytes).toString("base64")}`;

/** A valid document with two bones and one animation; `change` modifies it. */
export function document(change = () => {}) {
  const values = new Float32Array([0, 1, 0, 0, 0, 1, 0, 0, 1, 0]);
  const json = {
    asset: { version: "2.0" },
    buffers: [{ byteLength: 40, uri: data(values) }],
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
  const parts = [[0x4e4f534a, padded], ...chunks].map(([kind, bytes]) => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(bytes.length, 0);
    head.writeUInt32LE(kind, 4);
    return Buffer.concat([head, bytes]);
  });
  const body = Buffer.concat(parts);
  const head = Buffer.alloc(12);
  [0x46546c67, 2, body.length + 12].forEach((word, i) => head.writeUInt32LE(word, i * 4));
  return new Uint8Array(Buffer.concat([head, body]));
}

/** Documents by name, each with the expected result: the code of the error, or "ok". */
export const documents = {
  "a cycle of nodes": [
    "glb",
    () => ({ asset: { version: "2.0" }, nodes: [{ children: [1] }, { children: [0] }], skins: [{ joints: [0] }] }),
  ],
  "a node below itself": ["glb", () => document((json) => void (json.nodes[0].children = [0]))],
  "a node with two parents": ["glb", () => document((json) => void json.nodes.push({ children: [0] }))],
  "100,000 nodes, one in the other": [
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
    () => document((json) => void (json.buffers[0].uri = data(new Float32Array([0, 1e9, 0, 0, 0, 1, 0, 0, 1, 0])))),
  ],
  "an animation of 5 days on 1,000 bones": [
    "limit",
    () =>
      document((json) => {
        json.buffers[0].uri = data(new Float32Array([0, 432_000, 0, 0, 0, 1, 0, 0, 1, 0]));
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
        json.buffers[0] = { byteLength: 12_000_008, uri: data(new Uint8Array(12_000_008)) };
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
  "a matrix of texts": ["glb", () => document((json) => void (json.nodes[0].matrix = range(16, () => "1")))],
  "a terminal's escape as version": ["glb", () => document((json) => void (json.asset.version = "\u001b[2J"))],
};

/** Complete files, as bytes or text, by name, each with the expected result. */
export const containers = {
  '100 MB of "["': ["limit", () => containerOf(Buffer.alloc(100 << 20, 0x5b))],
  '10 MB of "[" as JSON': ["glb", () => containerOf(Buffer.alloc(10 << 20, 0x5b))],
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

function containerOf(json) {
  const file = Buffer.concat([glb({}).subarray(0, 12), Buffer.alloc(8), json]);
  file.writeUInt32LE(json.length, 12);
  file.writeUInt32LE(0x4e4f534a, 16);
  return file;
}

const documentWithUri = (uri) => textOf(document((json) => void (json.buffers[0].uri = uri)));

/** Runs documents that refer to other files. References outside their folder are refused without a network request. */
export async function runOutside(run) {
  const top = mkdtempSync(join(tmpdir(), "kinestitch-outside-"));
  const folder = join(top, "given");
  mkdirSync(join(folder, "below"), { recursive: true });
  const bytes = Buffer.from(new Float32Array([0, 1, 0, 0, 0, 1, 0, 0, 1, 0]).buffer);
  for (const path of [join(top, "secret.bin"), join(folder, "own.bin"), join(folder, "below", "own.bin")])
    writeFileSync(path, bytes);
  symlinkSync(join(top, "secret.bin"), join(folder, "link.bin"));
  symlinkSync(top, join(folder, "door"));
  spawnSync("mkfifo", [join(folder, "pipe.bin")]);
  let requestCount = 0;
  const server = createServer((_, answer) => (requestCount++, answer.end(bytes)));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const web = `http://127.0.0.1:${server.address().port}`;
  const wrong = [
    "../secret.bin",
    "..%2fsecret.bin",
    "%2e%2e/secret.bin",
    "below/../../secret.bin",
    "..\\secret.bin",
    join(top, "secret.bin"),
    pathToFileURL(join(top, "secret.bin")).href,
    "link.bin",
    "door/secret.bin",
    "pipe.bin",
    "below",
    "",
    "own.bin%00.png",
    "%zz.bin",
    `${web}/x.bin`,
    `${web.replace("http:", "")}/x.bin`,
    "blob:x",
    "C:\\x.bin",
  ];
  try {
    for (const [i, uri] of wrong.entries()) {
      const path = join(folder, `${i}.gltf`);
      writeFileSync(path, documentWithUri(uri));
      const shown = uri.replaceAll(top, "").replace(web, "http://host").replace(web.slice(5), "//host");
      await run(`names "${shown}"`, "glb", (load) => load(path));
    }
    for (const [name, uri] of [
      ["own", "own.bin"],
      ["below", "./below/own.bin?x#y"],
      ["data", document().buffers[0].uri],
    ]) {
      const path = join(folder, `${name}.gltf`);
      writeFileSync(path, documentWithUri(uri));
      await run(`names an allowed file (${name})`, "ok", (load) => load(path));
    }
    server.removeAllListeners("request");
    server.on(
      "request",
      (_, answer) => (requestCount++, answer.end(documentWithUri(pathToFileURL(join(top, "secret.bin")).href))),
    );
    const before = requestCount;
    await run("over http, names a file of the disk", "glb", (load) => load(`${web}/x.gltf`));
    await run("the caller's own resolve", "ok", (load) =>
      load(documentWithUri("x.bin"), { resolve: async (address) => (address === "x.bin" ? bytes : undefined) }),
    );
    await run("resolve that refuses", "glb", (load) => load(documentWithUri("x.bin"), { resolve: () => undefined }));
    await run("resolve that gives nonsense", "option", (load) => load(documentWithUri("x.bin"), { resolve: () => 5 }));
    // `documents` counts requests of the document itself: one on each thread.
    return { requests: before, documents: requestCount - before };
  } finally {
    server.close();
    server.closeAllConnections?.();
    rmSync(top, { recursive: true, force: true });
  }
}

/** Processor time of all threads, milliseconds; independent of other load, unlike the clock. */
const cpuSince = (before) => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};

/** Runs one case on this thread and in the worker; `report` receives each result. */
export const runner = (report) => async (name, wanted, work) => {
  for (const [where, run] of [
    ["thread", load],
    ["worker", loadInWorker],
  ]) {
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    const result = await work(run).then(
      () => "ok",
      (error) => (error.name === "KinestitchError" ? error.code : `untyped: ${error.stack}`),
    );
    await report({ name, where, wanted, result, ms: performance.now() - start, cpu: cpuSince(cpu) });
  }
};

/** Runs every case, each on this thread and in the worker. */
export async function runAll(report) {
  const run = runner(report);
  for (const [name, [wanted, make]] of Object.entries(documents)) {
    const text = textOf(make());
    await run(name, wanted, (load) => load(text));
  }
  for (const [name, [wanted, make]] of Object.entries(containers)) {
    const file = make();
    await run(name, wanted, (load) => load(file));
  }
  return runOutside(run);
}

/** Runs the other readers of glTF on every document: each must be fast, and throw only typed errors. */
export async function runOtherReaders(report) {
  const clip = await load({
    name: "still",
    fps: 30,
    joints: [{ name: "root", parent: -1, offset: [0, 0, 0] }],
    rotations: new Float32Array([0, 0, 0, 1]),
    translations: new Float32Array(3),
  });
  for (const [name, [, make]] of Object.entries(documents)) {
    const text = textOf(make());
    for (const [where, work] of [
      ["animations", () => animations(text)],
      ["packGlb", () => packGlb(text)],
      ["animateGlb", () => animateGlb(text, clip)],
    ]) {
      const [start, cpu] = [performance.now(), process.cpuUsage()];
      const result = await work().then(
        () => "ok",
        (error) => (error.name === "KinestitchError" ? error.code : `untyped: ${error.stack}`),
      );
      await report({ name, where, result, ms: performance.now() - start, cpu: cpuSince(cpu) });
    }
  }
}

const line = ({ name, where, wanted, result, ms, cpu }) =>
  `${`${ms.toFixed(0)} ms`.padStart(9)}  ${`${cpu.toFixed(0)} ms`.padStart(9)}  ${where.padEnd(10)}  ${result.padEnd(8)} ${wanted === undefined || wanted === result ? "" : `NOT ${wanted} `}${name}`;

if (process.argv[1] === new URL(import.meta.url).pathname) {
  await load(textOf(document()));
  await loadInWorker(textOf(document()));
  let [count, worst, busiest] = [0, 0, 0];
  console.log("     time  processor  where       result");
  const report = (row) => {
    console.log(line(row));
    count++;
    worst = Math.max(worst, row.ms);
    busiest = Math.max(busiest, row.cpu);
  };
  const { requests, documents: fetched } = await runAll(report);
  await runOtherReaders(report);
  console.log(
    `${count} runs; the longest took ${worst.toFixed(0)} ms, ${busiest.toFixed(0)} ms of processor time; requests that documents caused: ${requests}; documents fetched: ${fetched}`,
  );
}
