// Bodies of real files: fingers, absent hands, feet that hang at the root, motions on another floor.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Quaternion, Vector3 } from "three";
import { animateGlb, inbetween, load, stitch } from "kinestitch";
import { toVrma } from "kinestitch/vrm";
import { readAnimation } from "./avatars.mjs";
import { packageFolder, root } from "./support.mjs";

const casePath = (name) => join(root, "tests", "fixtures", "cases", name);
const readCase = (name) => readFileSync(casePath(name));
const fixture = (name) => readFileSync(join(root, "tests", "fixtures", `${name}.bvh`));
const DEGREES = 180 / Math.PI;

/** Returns a function that gives the world position of a role in a frame of a clip. */
function rolePositions(clip) {
  const { joints, rig } = clip.info();
  const positions = clip.positions();
  const index = new Map(joints.map(({ name }, joint) => [name, joint]));
  return (frame, role) => new Vector3().fromArray(positions, (frame * joints.length + index.get(rig[role])) * 3);
}

/** Returns the rotation of a joint relative to its parent in a frame, from rest, degrees. */
function bend(clip, name, frame) {
  const { joints } = clip.info();
  const joint = joints.findIndex((other) => other.name === name);
  const rotation = new Quaternion().fromArray(clip.rotations(), (frame * joints.length + joint) * 4);
  return rotation.angleTo(new Quaternion()) * DEGREES;
}

/** Returns the lowest height of the feet in a range of frames, metres. */
function lowestFoot(clip, from, to) {
  const position = rolePositions(clip);
  let lowest = Infinity;
  for (let frame = from; frame < to; frame++)
    for (const role of ["LeftFoot", "LeftToe", "RightFoot", "RightToe"])
      lowest = Math.min(lowest, position(frame, role).y);
  return lowest;
}

test("fingers are written as 30 bones of a VRM Animation, and bend as in the motion", async () => {
  const clip = await load(readCase("fingers.bvh"));
  const { humanoidTracks } = await readAnimation(await toVrma(clip));
  const fingers = [...humanoidTracks.rotation.keys()].filter((bone) => /Thumb|Index|Middle|Ring|Little/.test(bone));
  assert.equal(fingers.length, 30);
  const { values } = humanoidTracks.rotation.get("leftIndexProximal");
  const expected = bend(clip, "LeftHandIndex1", 60);
  const angle = new Quaternion().fromArray(values, 60 * 4).angleTo(new Quaternion()) * DEGREES;
  assert.ok(expected > 15 && Math.abs(angle - expected) < 0.5, `${angle} degrees, not ${expected}`);
  const again = await load(await toVrma(clip));
  assert.equal(Object.keys(again.info().rig).filter((role) => /Index/.test(role)).length, 6);
});

test("fingers bend on a character with other names as in the motion", async () => {
  const clip = await load(readCase("fingers.bvh"));
  const hero = await load(await animateGlb(readCase("ue-hero.glb"), clip));
  for (const side of ["l", "r"])
    for (const bone of [1, 2, 3]) {
      const expected = bend(clip, `${side === "l" ? "Left" : "Right"}HandIndex${bone}`, 60);
      const found = bend(hero, `index_0${bone}_${side}`, 60);
      assert.ok(Math.abs(found - expected) < 0.5, `index_0${bone}_${side}: ${found} degrees, not ${expected}`);
    }
});

test("a body without hands is written as a VRM Animation, with hands at the ends of its forearms", async () => {
  const clip = await load(readCase("names-freemocap.bvh"));
  assert.equal(clip.info().rig.LeftForeArm, "forearm.L");
  const { humanoidTracks } = await readAnimation(await toVrma(clip));
  assert.ok(humanoidTracks.rotation.has("leftHand"));
});

test("a body with two spine joints is written as a VRM Animation and loaded again", async () => {
  const rows = fixture("ada-walk").toString();
  // Without its middle spine joint, the body has a spine and a chest.
  const clip = await (await load(rows)).withRig({ Spine1: null });
  const again = await load(await toVrma(clip));
  assert.equal(again.info().rig.Spine, "spine");
  assert.equal(again.info().rig.Spine1, "chest");
  const direct = await load(readCase("names-freemocap.bvh"));
  assert.ok((await toVrma(direct)).length > 0);
});

test("moving eyes are written as the gaze of a VRM Animation", async () => {
  const eye = (side, x) =>
    `JOINT ${side}Eye\n{\nOFFSET ${x} 8 8\nCHANNELS 3 Zrotation Yrotation Xrotation\nEnd Site\n{\nOFFSET 0 0 2\n}\n}\n`;
  const text = withJointsBelow(fixture("ada-idle").toString(), "Head", eye("Left", 3) + eye("Right", -3), (frame) => [
    0,
    Math.min(20, frame),
    0,
    0,
    Math.min(20, frame),
    0,
  ]);
  const clip = await load(text);
  assert.equal(clip.info().rig.LeftEye, "LeftEye");
  const { lookAtTrack, humanoidTracks } = await readAnimation(await toVrma(clip));
  assert.ok(![...humanoidTracks.rotation.keys()].some((bone) => /Eye/.test(bone)));
  const angle = new Quaternion().fromArray(lookAtTrack.values, 40 * 4).angleTo(new Quaternion()) * DEGREES;
  assert.ok(Math.abs(angle - 20) < 0.5, `${angle} degrees`);
});

/** Adds joints, with values for each frame, to a BVH text as the last children of a joint. */
function withJointsBelow(text, name, joints, values) {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => line.trim() === `JOINT ${name}`);
  let depth = 0;
  let end = start;
  for (let line = start + 1; line < lines.length; line++) {
    if (lines[line].includes("{")) depth++;
    if (lines[line].includes("}") && --depth === 0) {
      end = line;
      break;
    }
  }
  const channels = (until) =>
    lines.slice(0, until).reduce((sum, line) => sum + Number(/CHANNELS (\d+)/.exec(line)?.[1] ?? 0), 0);
  const column = channels(end);
  const motion = lines.findIndex((line) => line.startsWith("Frame Time"));
  const rows = lines.slice(motion + 1).filter((line) => line.trim());
  const newRows = rows.map((row, frame) => {
    const numbers = row.trim().split(/\s+/);
    numbers.splice(column, 0, ...values(frame));
    return numbers.join(" ");
  });
  return [...lines.slice(0, end), joints, ...lines.slice(end, motion + 1), ...newRows, ""].join("\n");
}

test("clips on two floors are joined on one, and a warning says so", async () => {
  const [walk, low] = [await load(fixture("ada-walk")), await load(readCase("run-hips-at-0.bvh"))];
  for (const clips of [
    [walk, low],
    [low, walk],
  ]) {
    const motion = await stitch(clips, { method: "inertialize" });
    const third = Math.floor(motion.frames / 3);
    const [start, end] = [lowestFoot(motion, 0, third), lowestFoot(motion, 2 * third, motion.frames)];
    assert.ok(Math.abs(start) < 0.06 && Math.abs(end) < 0.06, `${start} and ${end} m`);
    assert.ok(
      motion.warnings.some((warning) => warning.includes("moved up by 9")),
      motion.warnings.join("; "),
    );
  }
  const asInFile = await stitch([walk, low], { method: "inertialize", ground: "asInFile" });
  assert.ok(lowestFoot(asInFile, asInFile.frames - 30, asInFile.frames) < -0.8);
  const filled = await inbetween(
    [
      { clip: walk, frame: 20 },
      { clip: low, frame: 20 },
    ],
    { method: "inertialize" },
  );
  assert.ok(lowestFoot(filled, filled.frames - 1, filled.frames) > -0.05);
  await assert.rejects(stitch([walk, low], { ground: "floor" }), { code: "option" });
});

test("a motion with its hips at 0 stands on the ground of a character, unless its heights are kept", async () => {
  const low = await load(readCase("run-hips-at-0.bvh"));
  const hips = async (options) => {
    const clip = await load(await animateGlb(readCase("hero-plain.glb"), low, options));
    return rolePositions(clip)(10, "Hips").y;
  };
  assert.ok((await hips()) > 0.8, `hips at ${await hips()} m`);
  assert.ok((await hips({ ground: "asInFile" })) < 0.2);
  const folder = mkdtempSync(join(tmpdir(), "kinestitch-"));
  try {
    const output = join(folder, "hero.glb");
    const files = [casePath("run-hips-at-0.bvh"), "--character", casePath("hero-plain.glb"), "-o", output];
    const command = [join(packageFolder, "bin", "kinestitch.js"), "convert", ...files];
    const { stdout } = spawnSync(process.execPath, command, { encoding: "utf8" });
    assert.match(stdout, /moved up by \d+ cm/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const robotPath = [process.env.MOCAP_DATA, join(root, "..", "shared", "data")]
  .filter(Boolean)
  .map((folder) => join(folder, "packs", "RobotExpressive.glb"))
  .find((path) => existsSync(path));
const skip = robotPath ? false : "RobotExpressive.glb is not in MOCAP_DATA or ../shared/data";

test("RobotExpressive maps by names; its feet, which hang at the root, stay where the legs end", { skip }, async () => {
  const [walking, running] = [
    await load(robotPath, { animation: "Walking" }),
    await load(robotPath, { animation: "Running" }),
  ];
  const { rig, kind, warnings } = walking.info();
  assert.equal(kind, "biped");
  assert.deepEqual([rig.LeftUpLeg, rig.LeftLeg, rig.LeftFoot], ["UpperLeg.L", "LowerLeg.L", "Foot.L"]);
  assert.deepEqual([rig.RightArm, rig.RightForeArm], ["UpperArm.R", "LowerArm.R"]);
  assert.ok(!warnings.some((warning) => /shape|no arms/.test(warning)), warnings.join("; "));
  const motion = await stitch([walking, running], { method: "crossfade" });
  const shin = (clip, frame, side) => {
    const position = rolePositions(clip);
    return position(frame, `${side}Leg`).distanceTo(position(frame, `${side}Foot`));
  };
  const ranges = [walking, running].flatMap((clip) =>
    Array.from({ length: clip.frames }, (_, frame) => shin(clip, frame, "Left")),
  );
  for (let frame = 0; frame < motion.frames; frame++) {
    const length = shin(motion, frame, "Left");
    assert.ok(
      length > Math.min(...ranges) - 0.05 && length < Math.max(...ranges) + 0.05,
      `frame ${frame}: ${length} m`,
    );
  }
  const clips = [walking, running].map((clip) => lowestFootOf(clip, 0, clip.frames));
  const lowest = lowestFootOf(motion, 0, motion.frames);
  assert.ok(lowest > Math.min(...clips) - 0.06, `${lowest} m, the clips ${clips.join(" and ")} m`);
  const walk = await load(fixture("ada-walk"));
  const onRobot = await load(await animateGlb(robotPath, walk));
  const position = rolePositions(onRobot);
  const size = position(0, "Head").y;
  assert.ok(size > 2 && size < 6, `the head is ${size} m high`);
  const floor = lowestFootOf(onRobot, 0, onRobot.frames);
  assert.ok(floor > -0.1 && floor < 0.35, `feet at ${floor} m`);
});

/** Returns the lowest height of the feet of a body without toes, metres. */
function lowestFootOf(clip, from, to) {
  const position = rolePositions(clip);
  let lowest = Infinity;
  for (let frame = from; frame < to; frame++)
    for (const role of ["LeftFoot", "RightFoot"]) lowest = Math.min(lowest, position(frame, role).y);
  return lowest;
}
