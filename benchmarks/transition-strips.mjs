// Ten interrupted transitions as strips: each goes to a second clip and is interrupted half-way by one to a third.
//
//     npm run build && node benchmarks/transition-strips.mjs FOLDER
//
// Writes FOLDER/strip-N.svg: every third frame at 60 fps, side view, world space, with ground marks every half metre.
// Blue: first clip; orange: from the first transition; red: from the interrupting one. Thick: left leg.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load, stitch } from "kinestitch";
import { advance, createActor, frame, largestMovement, velocityChange } from "../pkg/test/transitions-support.mjs";

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: node benchmarks/transition-strips.mjs FOLDER");

const STORIES = [
  ["ada-walk", "ada-run", "ada-idle", "inertialize"],
  ["ada-walk", "ada-idle", "ada-walk", "inertialize"],
  ["ada-run", "ada-idle", "ada-run", "inertialize"],
  ["ada-run", "ada-walk", "ada-turn", "inertialize"],
  ["ada-idle", "ada-run", "ada-walk", "inertialize"],
  ["ada-turn", "ada-walk", "ada-idle", "inertialize"],
  ["ada-walk", "ada-run", "ada-idle", "auto"],
  ["ada-run", "ada-idle", "ada-walk", "auto"],
  ["ada-idle", "ada-walk", "ada-run", "auto"],
  ["ada-walk", "ada-turn", "ada-run", "auto"],
];
/** Pixels per metre, frames per figure, and distance of the figures in pixels. */
const [SCALE, FRAME_STEP, FIGURE_DISTANCE] = [110, 3, 62];
const LIMBS = [
  ["Hips", "Spine2", "Head"],
  ["Spine2", "LeftArm", "LeftForeArm", "LeftHand"],
  ["Spine2", "RightArm", "RightForeArm", "RightHand"],
  ["Hips", "RightUpLeg", "RightLeg", "RightFoot", "RightToe"],
  ["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe"],
];

/** Plays one transition and its interruption. */
async function playStory([first, second, third, method], wait) {
  const character = await createActor(
    "mixamo",
    [first, second, third].filter((name, i, all) => all.indexOf(name) === i),
    { load, stitch },
  );
  const { transitions, clips } = character;
  await transitions.prepare(Object.values(clips), method === "auto" ? { ahead: 0.15 } : {});
  transitions.transitionTo(clips[first]);
  const firstStart = advance(character, 0.8 + wait);
  const transition = transitions.transitionTo(clips[second], { method, within: 0.25 });
  // Interrupted half-way, however long it has waited.
  for (let i = 0; i < 30 && transition.state === "waiting"; i++) frame(character);
  const secondStart = advance(character, 0.13);
  const interruption = transitions.transitionTo(clips[third], { method, within: 0.25 });
  advance(character, 0.9);
  return { character, firstStart, secondStart, joins: [transition.join, interruption.join] };
}

/** Draws the strip as SVG. */
function drawStrip({ character, firstStart, secondStart, joins }, title) {
  const roles = [...character.bones.keys()];
  const from = Math.max(0, firstStart - 18);
  const shownFrames = [];
  for (let at = from; at < Math.min(character.frames.length, secondStart + 48); at += FRAME_STEP) shownFrames.push(at);
  const parts = shownFrames.map((at, i) => {
    const { positions } = character.frames[at];
    const hips = positions[roles.indexOf("Hips")];
    const point = (role) => {
      const { x, y, z } = positions[roles.indexOf(role)];
      const forward = z - hips.z + (x - hips.x) * 0.35;
      return `${(FIGURE_DISTANCE * (i + 1) + forward * SCALE).toFixed(1)} ${(230 - y * SCALE).toFixed(1)}`;
    };
    const colour = at < firstStart ? "#2f6fde" : at < secondStart ? "#d97a0b" : "#c92a2a";
    const lines = LIMBS.map(
      (limb, k) =>
        `<path d="M${limb.map(point).join("L")}" stroke-width="${k === 4 ? 4 : 2}" fill="none" stroke="${colour}"/>`,
    );
    // Ground marks move with the ground: a planted foot keeps its distance to them.
    const marks = [];
    for (let mark = Math.ceil((hips.z - 0.28) / 0.1); mark * 0.1 < hips.z + 0.28; mark++) {
      const x = FIGURE_DISTANCE * (i + 1) + (mark * 0.1 - hips.z) * SCALE;
      marks.push(`M${x.toFixed(1)} 232v${mark % 5 === 0 ? 10 : 4}`);
    }
    return `${lines.join("")}<path d="${marks.join("")}" stroke="#888"/>`;
  });
  const width = FIGURE_DISTANCE * (shownFrames.length + 1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 260" width="${width}" height="260"><rect width="100%" height="100%" fill="#fff"/><text x="6" y="14" font-size="12" font-family="sans-serif">${title}: ${joins.map((join) => (typeof join === "string" ? join : `${join.method ?? ""} ${join.gap ?? ""} ${join.gapMethod ?? ""}`)).join(" → ")}</text>${parts.join("")}</svg>`;
}

mkdirSync(folder, { recursive: true });
for (const [number, story] of STORIES.entries()) {
  const result = await playStory(story, 0.07 * number);
  const { character, firstStart, secondStart } = result;
  const largest = (measure, from, to) =>
    Math.max(...Array.from({ length: to - from }, (_, i) => measure(character, from + i))) * 100;
  const beside = [
    largest(largestMovement, firstStart - 20, firstStart),
    largest(velocityChange, firstStart - 20, firstStart),
  ];
  console.log(
    `${number} ${story.join(" ")}: ${[firstStart, secondStart].map((at) => `${(largestMovement(character, at) * 100).toFixed(1)} cm, change ${(velocityChange(character, at) * 100).toFixed(2)}`).join("; ")}; before ${beside.map((value) => value.toFixed(2)).join(", ")}; most after ${largest(largestMovement, firstStart, character.frames.length).toFixed(1)}, ${largest(velocityChange, firstStart, character.frames.length).toFixed(2)}`,
  );
  writeFileSync(join(folder, `strip-${number}.svg`), drawStrip(result, story.slice(0, 3).join(" → ")));
}
