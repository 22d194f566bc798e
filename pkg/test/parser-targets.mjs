// For mutated-files.test.mjs and fuzz/parsers.mjs: fuzz targets of the parsers written in TypeScript. A target has
// valid inputs, a function that mutates them, and a function that parses a mutant. The latter returns its outcome
// ("ok", or code and message of an error), and throws on a finding: an untyped error, or an invalid result.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { animateGlb, animations, load, packGlb } from "kinestitch";
import { parseManifest } from "../dist/networks/manifest-check.js";
import { document, glb, textOf } from "./hostile-documents.mjs";
import { mutateBytes, mutateDocument } from "./mutants.mjs";
import { siteRecords } from "./site-records.mjs";
import { root } from "./support.mjs";

/** Length of the headers at the start of a GLB, bytes. */
const GLB_HEADERS_LENGTH = 24;
/** Length of the start of a project file that is mutated more often, bytes. */
const PROJECT_HEADER_LENGTH = 20;
const readSeed = (name) => JSON.parse(readFileSync(join(root, "fuzz", "parser-seeds", name), "utf8"));

/** Runs a reader and returns its outcome. The reader must return a result or throw a typed error. */
async function outcomeOf(input, work) {
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

/** Returns a function that creates a target for glTF documents. The readers take turns. */
const documentTarget = (...names) =>
  async function createTarget() {
    const clip = await stillClip();
    const readers = [load, animations, packGlb, (input) => animateGlb(input, clip)];
    return {
      validInputs: names.map(readSeed),
      mutate: mutateDocument,
      parse: (json, round) => {
        const text = textOf(json);
        return outcomeOf(text, () => readers[round % readers.length](text));
      },
    };
  };

async function containerTarget() {
  const values = Buffer.from(new Float32Array([0, 1, 0, 0, 0, 1, 0, 0, 1, 0]).buffer);
  const json = document((json) => void delete json.buffers[0].uri);
  const readers = [load, animations, packGlb];
  return {
    validInputs: [glb(json, [0x004e4942, values]), glb(readSeed("avatar.gltf"))],
    mutate: (file, random) => mutateBytes(file, random, GLB_HEADERS_LENGTH),
    parse: (file, round) =>
      outcomeOf(Buffer.from(file).toString("base64"), () => readers[round % readers.length](file.slice())),
  };
}

/**
 * Returns the outcome for an error of the site. It must be an `Error` or `InvalidWork` with a readable sentence; any
 * other error is a finding.
 */
function siteOutcomeOf(input, error, InvalidWork) {
  assert.ok([Error, InvalidWork].includes(error?.constructor), `${input}: ${error?.stack ?? error}`);
  assert.ok(error.message.length > 0 && error.message.length < 10_000, `${input}: ${error.message.length} letters`);
  return { code: "refused", message: error.message };
}

async function projectRecordTarget() {
  const { InvalidWork, validateHead } = await siteRecords();
  return {
    validInputs: [readSeed("work.json")],
    mutate: mutateDocument,
    async parse(head) {
      const text = JSON.stringify(head);
      const prototypeKeys = Object.keys(Object.prototype);
      const record = await validateHead(JSON.parse(text)).catch((error) => siteOutcomeOf(text, error, InvalidWork));
      assert.deepEqual(Object.keys(Object.prototype), prototypeKeys, text);
      if (record.code) return record;
      // An accepted record is unchanged after it is stored and read again.
      assert.deepEqual(await validateHead(JSON.parse(JSON.stringify(record))), record, text);
      return "ok";
    },
  };
}

async function projectFileTarget() {
  const { InvalidWork, packProject, readProject } = await siteRecords();
  const { kept } = readSeed("work.json");
  const project = await packProject(
    kept,
    new Map([["f", new File(["HIERARCHY\n"], "walk.bvh", { type: "text/plain" })]]),
  );
  return {
    validInputs: [
      new Uint8Array(await project.arrayBuffer()),
      new Uint8Array(await (await packProject(kept, new Map())).arrayBuffer()),
    ],
    mutate: (file, random) => mutateBytes(file, random, PROJECT_HEADER_LENGTH),
    async parse(bytes) {
      const input = Buffer.from(bytes).toString("base64");
      const file = new File([bytes], "x.kinestitch");
      const opened = await readProject(file).catch((error) => siteOutcomeOf(input, error, InvalidWork));
      if (opened.code) return opened;
      for (const file of opened.files.values()) assert.ok(file instanceof File, input);
      return "ok";
    },
  };
}

async function manifestTarget() {
  const assertString = (value) => assert.equal(typeof value, "string");
  return {
    validInputs: [readSeed("manifest.json"), JSON.parse(readFileSync(join(root, "models", "manifest.json"), "utf8"))],
    mutate: mutateDocument,
    async parse(json) {
      const input = JSON.stringify(json);
      return outcomeOf(input, () => {
        const networks = parseManifest(input, "manifest.json");
        for (const { name, for: task, set, licence, data, files, layout, scores } of networks) {
          [name, task, set, licence].forEach(assertString);
          for (const source of data) [source.name, source.licence].forEach(assertString);
          for (const { name, bytes } of files) assert.ok(/^\w[\w.-]*$/.test(name) && bytes >= 0, input);
          assert.ok(Number.isSafeInteger(layout), input);
          for (const methods of Object.values(scores)) assert.ok(methods !== null && methods !== undefined, input);
        }
        return networks;
      });
    },
  };
}

/** Functions that create targets, by name: `{ validInputs, mutate(input, random), parse(mutant, round) }`. */
export const parserTargets = {
  gltf: documentTarget("two-bones.gltf"),
  vrm: documentTarget("avatar.gltf"),
  glb: containerTarget,
  project: projectRecordTarget,
  projectfile: projectFileTarget,
  manifest: manifestTarget,
};
