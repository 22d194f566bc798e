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

/** Clip readers must return a valid result or throw a typed error. */
async function harmless(what, work) {
  try {
    const result = await work();
    assert.ok(result !== undefined && result !== null, what);
    return "ok";
  } catch (error) {
    assert.equal(error?.name, "KinestitchError", `${what}: ${error?.stack ?? error}`);
    assert.notEqual(error.code, "wasm", `${what}: ${error.stack}`);
    return { code: error.code, message: error.message };
  }
}

async function stillClip() {
  const joints = [{ name: "root", parent: -1, offset: [0, 0, 0] }];
  const [rotations, translations] = [new Float32Array([0, 0, 0, 1]), new Float32Array(3)];
  return load({ fps: 30, joints, rotations, translations });
}

/** Target for documents, which go to each reader in turn. */
const documents = (...names) =>
  async function target() {
    const clip = await stillClip();
    const readers = [load, animations, packGlb, (input) => animateGlb(input, clip)];
    return {
      seeds: names.map(seed),
      mutate: mutated,
      run: (json, turn) => {
        const text = textOf(json);
        return harmless(text, () => readers[turn % readers.length](text));
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
    run: (file, turn) =>
      harmless(Buffer.from(file).toString("base64"), () => readers[turn % readers.length](file.slice())),
  };
}

/** The site's errors are readable sentences; any other error is a finding. */
function sentence(what, error) {
  assert.equal(Object.getPrototypeOf(error), Error.prototype, `${what}: ${error?.stack ?? error}`);
  assert.ok(error.message.length > 0 && error.message.length < 10_000, `${what}: ${error.message.length} letters`);
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
  const whole = await packProject(
    kept,
    new Map([["f", new File(["HIERARCHY\n"], "walk.bvh", { type: "text/plain" })]]),
  );
  return {
    seeds: [
      new Uint8Array(await whole.arrayBuffer()),
      new Uint8Array(await (await packProject(kept, new Map())).arrayBuffer()),
    ],
    mutate: (file, random) => mutatedBytes(file, random, 20),
    async run(file) {
      const what = Buffer.from(file).toString("base64");
      const found = await readProject(new File([file], "x.kinestitch")).catch((error) => sentence(what, error));
      if (found.code) return found;
      for (const part of found.files.values()) assert.ok(part instanceof File, what);
      return "ok";
    },
  };
}

async function manifests() {
  const text = (value) => assert.equal(typeof value, "string");
  return {
    seeds: [seed("manifest.json"), JSON.parse(readFileSync(join(root, "models", "manifest.json"), "utf8"))],
    mutate: mutated,
    async run(json) {
      const what = JSON.stringify(json);
      return harmless(what, () => {
        const networks = parseManifest(what, "manifest.json");
        for (const { name, for: task, set, licence, data, files, layout, scores } of networks) {
          [name, task, set, licence].forEach(text);
          for (const part of data) [part.name, part.licence].forEach(text);
          for (const { name, bytes } of files) assert.ok(/^\w[\w.-]*$/.test(name) && bytes >= 0, what);
          assert.ok(Number.isSafeInteger(layout), what);
          for (const methods of Object.values(scores)) assert.ok(methods !== null && methods !== undefined, what);
        }
        return networks;
      });
    },
  };
}

/** Each resolves to `{ seeds, mutate(seed, random), run(mutant, turn) }`. */
export const targets = {
  gltf: documents("two-bones.gltf"),
  vrm: documents("avatar.gltf"),
  glb: containers,
  project: projectRecords,
  projectfile: projectFiles,
  manifest: manifests,
};
