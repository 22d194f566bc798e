// Writes the motions and models of the examples, from the fixtures and the tests' character: `node
// scripts/example-files.mjs`.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { character, glbOf } from "../pkg/test/rigs.mjs";
import { root, script } from "./shell.mjs";

/** Folder of each example with its files. */
const FILES = {
  "html/motions": ["walk.bvh", "run.bvh"],
  "node/motions": ["idle.bvh", "run.bvh", "walk.bvh"],
  "react/public": ["walk.bvh", "run.bvh"],
  "three/public": ["walk.bvh", "run.bvh", "hero.glb"],
  "vrm/public": ["walk.bvh", "avatar.vrm"],
  "worker/public": ["idle.bvh", "run.bvh", "turn.bvh", "walk.bvh"],
};
/** Frames kept of each motion. */
const FRAMES = 72;

/** The beginning of a fixture with shortened numbers: a third of the size. */
function motion(name) {
  const text = readFileSync(join(root, "tests", "fixtures", `ada-${name}.bvh`), "utf8");
  const [head, rows] = text.split(/(?<=Frame Time:[^\n]*\n)/);
  const kept = rows.trim().split("\n").slice(0, FRAMES);
  const short = kept.map((row) =>
    row
      .trim()
      .split(/\s+/)
      .map((value) => String(Number(Number(value).toFixed(3))))
      .join(" "),
  );
  return `${head.replace(/Frames:\s*\d+/, `Frames: ${short.length}`)}${short.join("\n")}\n`;
}

/** VRM's bone names by ours. */
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

/** Adds VRM's description of bones to a GLB (VRM 0). */
function vrm(glb, names) {
  const bytes = Buffer.from(glb);
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.toString("utf8", 20, 20 + length));
  const humanBones = Object.entries(names).flatMap(([role, name]) => {
    const [, side, part] = /^(Left|Right)?(.*)$/.exec(role);
    const bone = VRM_BONES[part];
    const node = json.nodes.findIndex((other) => other.name === name);
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
  const head = Buffer.from(bytes.subarray(0, 20));
  head.writeUInt32LE(padded.length, 12);
  const rest = bytes.subarray(20 + length);
  head.writeUInt32LE(20 + padded.length + rest.length, 8);
  return Buffer.concat([head, padded, rest]);
}

async function model(name) {
  const made = character(name === "hero.glb" ? "mixamo" : "vrm");
  const glb = await glbOf(made.model);
  return name === "hero.glb"
    ? Buffer.from(glb)
    : vrm(glb, Object.fromEntries([...made.bones].map(([role, bone]) => [role, bone.name])));
}

await script(import.meta, async () => {
  for (const [folder, names] of Object.entries(FILES)) {
    const place = join(root, "examples", folder);
    mkdirSync(place, { recursive: true });
    for (const name of names)
      writeFileSync(join(place, name), name.endsWith(".bvh") ? motion(name.replace(".bvh", "")) : await model(name));
  }
});
