// Writes the motions and models of the examples (except game) from the fixtures and from the character of the tests:
//
//     node scripts/example-files.mjs
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

/** Returns the first frames of a fixture, with numbers rounded to three decimals: a third of the size. */
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

/** Bone names of VRM by the names of our roles, without sides. */
const VRM_BONES = {
  Hips: "hips",
  Spine: "spine",
  Spine1: "chest",
  Spine2: "upperChest",
  Neck: "neck",
  Head: "head",
  Shoulder: "Shoulder",
  Arm: "UpperArm",
  ForeArm: "LowerArm",
  Hand: "Hand",
  UpLeg: "UpperLeg",
  Leg: "LowerLeg",
  Foot: "Foot",
  Toe: "Toes",
};

/** Adds the extension "VRM" (version 0), which maps bones to roles, to a GLB. */
function toVrm(glb, names) {
  const bytes = Buffer.from(glb);
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.toString("utf8", 20, 20 + length));
  const humanBones = Object.entries(names).flatMap(([fullRole, name]) => {
    const [, side, role] = /^(Left|Right)?(.*)$/.exec(fullRole);
    const bone = VRM_BONES[role];
    const node = json.nodes.findIndex((jsonNode) => jsonNode.name === name);
    return bone && node >= 0 ? [{ bone: side ? side.toLowerCase() + bone : bone, node, useDefaultValues: true }] : [];
  });
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
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, " ")]);
  const header = Buffer.from(bytes.subarray(0, 20));
  header.writeUInt32LE(padded.length, 12);
  const buffers = bytes.subarray(20 + length);
  header.writeUInt32LE(20 + padded.length + buffers.length, 8);
  return Buffer.concat([header, padded, buffers]);
}

async function buildModel(name) {
  const { model, bones } = character(name === "hero.glb" ? "mixamo" : "vrm");
  const glb = await glbOf(model);
  return name === "hero.glb"
    ? Buffer.from(glb)
    : toVrm(glb, Object.fromEntries([...bones].map(([role, bone]) => [role, bone.name])));
}

await runScript(import.meta, async () => {
  for (const [folder, names] of Object.entries(FILES)) {
    const directory = join(root, "examples", folder);
    mkdirSync(directory, { recursive: true });
    for (const name of names)
      writeFileSync(
        join(directory, name),
        name.endsWith(".bvh") ? shortenFixture(name.replace(".bvh", "")) : await buildModel(name),
      );
  }
});
