// Fuzz targets of the parsers written in TypeScript: seeds, and one execution. An execution returns its outcome ("ok",
// an error's code or message), and throws on a finding: an untyped error, or an invalid result.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { animateGlb, animations, load, packGlb } from "kinestitch";
import { parseManifest } from "../dist/networks/manifest-check.js";
import { document, glb, textOf } from "./hostile-files.mjs";
import { mutated, mutatedBytes } from "./mutants.mjs";
import { siteRecords } from "./site-records.mjs";
import { root } from "./support.mjs";

/** Length of a GLB's header and first chunk header. */
const GLB_HEAD = 24;
const seed = (name) => JSON.parse(readFileSync(join(root, "fuzz", "parser-seeds", name), "utf8"));

/** Outcome of a reader. It must return a result or throw a typed error; anything else is a finding. */
async function harmless(input, work) {
  try {
    const result = await work();
    assert.ok(result !== undefined && result !== null, input);
    return "ok";
  } catch (error) {
    assert.equal(error?.name, "KinestitchError", `${input}: ${error?.stack ?? error}`);
    assert.notEqual(error.code, "wasm", `${input}: ${error.stack}`);
    return { code: error.code, message: error.message };
  }
}

async function stillClip() {
  const joints = [{ name: "root", parent: -1, offset: [0, 0, 0] }];
  const [rotations, translations] = [new Float32Array([0, 0, 0, 1]), new Float32Array(3)];
  return load({ fps: 30, joints, rotations, translations });
}

/** Target for documents, which go to each reader in round. */
const documents = (...names) =>
  async function target() {
    const clip = await stillClip();
    const readers = [load, animations, packGlb, (input) => animateGlb(input, clip)];
    return {
      seeds: names.map(seed),
      mutate: mutated,
      run: (json, round) => {
        const text = textOf(json);
        return harmless(text, () => readers[round % readers.length](text));
      },
    };
  };

async function containers() {
  const values = Buffer.from(new Float32Array([0, 1, 0, 0, 0, 1, 0, 0, 1, 0]).buffer);
  const json = document((json) => void delete json.buffers[0].uri);
  const readers = [load, animations, packGlb];
  return {
    seeds: [glb(json, [0x004e4942, values]), glb(seed("avatar.gltf"))],
    mutate: (file, random) => mutatedBytes(file, random, GLB_HEAD),
    run: (file, round) =>
      harmless(Buffer.from(file).toString("base64"), () => readers[round % readers.length](file.slice())),
  };
}

/** Outcome of an error of the site. It must be a readable sentence; any other error is a finding. */
function sentence(input, error) {
  assert.equal(Object.getPrototypeOf(error), Error.prototype, `${input}: ${error?.stack ?? error}`);
  assert.ok(error.message.length > 0 && error.message.length < 10_000, `${input}: ${error.message.length} letters`);
  return { code: "refused", message: error.message };
}

async function projectRecords() {
  const { validateHead } = await siteRecords();
  return {
    seeds: [seed("work.json")],
    mutate: mutated,
    async run(head) {
      const text = JSON.stringify(head);
      const before = structuredClone(Object.keys(Object.prototype));
      const found = await validateHead(JSON.parse(text)).catch((error) => sentence(text, error));
      assert.deepEqual(Object.keys(Object.prototype), before, text);
      if (found.code) return found;
      // Accepted work is unchanged after it is stored and read again.
      assert.deepEqual(await validateHead(JSON.parse(JSON.stringify(found))), found, text);
      return "ok";
    },
  };
}

async function projectFiles() {
  const { packProject, readProject } = await siteRecords();
  const { kept } = seed("work.json");
  const project = await packProject(
    kept,
    new Map([["f", new File(["HIERARCHY\n"], "walk.bvh", { type: "text/plain" })]]),
  );
  return {
    seeds: [
      new Uint8Array(await project.arrayBuffer()),
      new Uint8Array(await (await packProject(kept, new Map())).arrayBuffer()),
    ],
    mutate: (file, random) => mutatedBytes(file, random, 20),
    async run(file) {
      const input = Buffer.from(file).toString("base64");
      const found = await readProject(new File([file], "x.kinestitch")).catch((error) => sentence(input, error));
      if (found.code) return found;
      for (const part of found.files.values()) assert.ok(part instanceof File, input);
      return "ok";
    },
  };
}

async function manifests() {
  const assertString = (value) => assert.equal(typeof value, "string");
  return {
    seeds: [seed("manifest.json"), JSON.parse(readFileSync(join(root, "models", "manifest.json"), "utf8"))],
    mutate: mutated,
    async run(json) {
      const input = JSON.stringify(json);
      return harmless(input, () => {
        const networks = parseManifest(input, "manifest.json");
        for (const { name, for: task, set, licence, data, files, layout, scores } of networks) {
          [name, task, set, licence].forEach(assertString);
          for (const part of data) [part.name, part.licence].forEach(assertString);
          for (const { name, bytes } of files) assert.ok(/^\w[\w.-]*$/.test(name) && bytes >= 0, input);
          assert.ok(Number.isSafeInteger(layout), input);
          for (const methods of Object.values(scores)) assert.ok(methods !== null && methods !== undefined, input);
        }
        return networks;
      });
    },
  };
}

/** Targets by name. Each is a function that resolves to `{ seeds, mutate(seed, random), run(mutant, round) }`. */
export const targets = {
  gltf: documents("two-bones.gltf"),
  vrm: documents("avatar.gltf"),
  glb: containers,
  project: projectRecords,
  projectfile: projectFiles,
  manifest: manifests,
};
