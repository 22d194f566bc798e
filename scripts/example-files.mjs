// Writes the motions and models of the examples (except game): motions are made from the fixtures in tests/, models are
// generated characters of the tests (pkg/test/rigs.mjs):
//
//     node scripts/example-files.mjs
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { editGlb, VRM_BONES } from "../pkg/test/avatars.mjs";
import { character, glbOf } from "../pkg/test/rigs.mjs";
import { root, runScript } from "./shell.mjs";

/** Files by folder of an example. */
const FILES = {
  "html/motions": ["walk.bvh", "run.bvh"],
  "node/motions": ["idle.bvh", "run.bvh", "walk.bvh"],
  "react/public": ["walk.bvh", "run.bvh"],
  "three/public": ["walk.bvh", "run.bvh", "hero.glb"],
  "vrm/public": ["walk.bvh", "avatar.vrm"],
  "worker/public": ["idle.bvh", "run.bvh", "turn.bvh", "walk.bvh"],
};
/** Number of frames of each motion. */
const FRAMES = 72;

/** Returns the first frames of a fixture. Numbers are rounded to three decimals, to make the file smaller. */
function shortenFixture(name) {
  const text = readFileSync(join(root, "tests", "fixtures", `ada-${name}.bvh`), "utf8");
  const [header, rows] = text.split(/(?<=Frame Time:[^\n]*\n)/);
  const lines = rows.trim().split("\n").slice(0, FRAMES);
  const rounded = lines.map((row) =>
    row
      .trim()
      .split(/\s+/)
      .map((value) => String(Number(Number(value).toFixed(3))))
      .join(" "),
  );
  return `${header.replace(/Frames:\s*\d+/, `Frames: ${rounded.length}`)}${rounded.join("\n")}\n`;
}

/** Returns a character in T-pose as a GLB, with the bone names of Mixamo. */
async function buildHero() {
  const { model } = character("mixamo");
  return glbOf(model);
}

/** Returns an avatar in the format VRM 0: a GLB whose extension "VRM" maps bones to nodes. */
async function buildAvatar() {
  const { model, bones } = character("vrm");
  return editGlb(await glbOf(model), (json) => {
    const nodeOf = (name) => json.nodes.findIndex((node) => node.name === name);
    const humanBones = [...bones].map(([role, { name }]) => ({
      bone: VRM_BONES[role],
      node: nodeOf(name),
      useDefaultValues: true,
    }));
    json.extensionsUsed = [...(json.extensionsUsed ?? []), "VRM"];
    json.extensions = {
      ...json.extensions,
      VRM: {
        specVersion: "0.0",
        meta: { title: "A body of boxes", author: "Kinestitch", licenseName: "CC0" },
        humanoid: { humanBones },
        materialProperties: [],
      },
    };
  });
}

/** Builders of the files that are not motions. */
const MODELS = { "hero.glb": buildHero, "avatar.vrm": buildAvatar };

await runScript(import.meta, async () => {
  for (const [folder, names] of Object.entries(FILES)) {
    const directory = join(root, "examples", folder);
    mkdirSync(directory, { recursive: true });
    for (const name of names)
      writeFileSync(
        join(directory, name),
        name.endsWith(".bvh") ? shortenFixture(name.replace(".bvh", "")) : await MODELS[name](),
      );
  }
});
