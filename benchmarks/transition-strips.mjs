// Ten interrupted transitions as strips: each goes to a second clip and is interrupted half-way by one to a third.
//
//     npm run build && node benchmarks/transition-strips.mjs FOLDER
//
// Writes FOLDER/strip-N.svg: every second frame at 60 fps, side view, world space, with ground marks every half metre.
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
const [SCALE, EVERY, APART] = [110, 3, 62];
const LIMBS = [
  ["Hips", "Spine2", "Head"],
  ["Spine2", "LeftArm", "LeftForeArm", "LeftHand"],
  ["Spine2", "RightArm", "RightForeArm", "RightHand"],
  ["Hips", "RightUpLeg", "RightLeg", "RightFoot", "RightToe"],
  ["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe"],
];

/** Plays one transition and its interruption. */
async function played([first, second, third, method], wait) {
  const of = await createActor(
    "mixamo",
    [first, second, third].filter((name, i, all) => all.indexOf(name) === i),
    { load, stitch },
  );
  const { transitions, clips } = of;
  await transitions.prepare(Object.values(clips), method === "auto" ? { ahead: 0.15 } : {});
  transitions.transitionTo(clips[first]);
  const one = advance(of, 0.8 + wait);
  const into = transitions.transitionTo(clips[second], { method, within: 0.25 });
  // Interrupted half-way, however long it has waited.
  for (let i = 0; i < 30 && into.state === "waiting"; i++) frame(of);
  const two = advance(of, 0.13);
  const last = transitions.transitionTo(clips[third], { method, within: 0.25 });
  advance(of, 0.9);
  return { of, one, two, joins: [into.join, last.join] };
}

/** Draws the strip as SVG. */
function strip({ of, one, two, joins }, title) {
  const roles = [...of.bones.keys()];
  const from = Math.max(0, one - 18);
  const shown = [];
  for (let at = from; at < Math.min(of.frames.length, two + 48); at += EVERY) shown.push(at);
  const parts = shown.map((at, i) => {
    const { positions } = of.frames[at];
    const hips = positions[roles.indexOf("Hips")];
    const point = (role) => {
      const { x, y, z } = positions[roles.indexOf(role)];
      const forward = z - hips.z + (x - hips.x) * 0.35;
      return `${(APART * (i + 1) + forward * SCALE).toFixed(1)} ${(230 - y * SCALE).toFixed(1)}`;
    };
    const colour = at < one ? "#2f6fde" : at < two ? "#d97a0b" : "#c92a2a";
    const lines = LIMBS.map(
      (limb, k) =>
        `<path d="M${limb.map(point).join("L")}" stroke-width="${k === 4 ? 4 : 2}" fill="none" stroke="${colour}"/>`,
    );
    // Ground marks move with the ground: a planted foot keeps its distance to them.
    const marks = [];
    for (let mark = Math.ceil((hips.z - 0.28) / 0.1); mark * 0.1 < hips.z + 0.28; mark++) {
      const x = APART * (i + 1) + (mark * 0.1 - hips.z) * SCALE;
      marks.push(`M${x.toFixed(1)} 232v${mark % 5 === 0 ? 10 : 4}`);
    }
    return `${lines.join("")}<path d="${marks.join("")}" stroke="#888"/>`;
  });
  const width = APART * (shown.length + 1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 260" width="${width}" height="260"><rect width="100%" height="100%" fill="#fff"/><text x="6" y="14" font-size="12" font-family="sans-serif">${title}: ${joins.map((join) => (typeof join === "string" ? join : `${join.method ?? ""} ${join.gap ?? ""} ${join.gapMethod ?? ""}`)).join(" → ")}</text>${parts.join("")}</svg>`;
}

mkdirSync(folder, { recursive: true });
for (const [number, story] of STORIES.entries()) {
  const result = await played(story, 0.07 * number);
  const { of, one, two } = result;
  const most = (measure, from, to) =>
    Math.max(...Array.from({ length: to - from }, (_, i) => measure(of, from + i))) * 100;
  const beside = [most(largestMovement, one - 20, one), most(velocityChange, one - 20, one)];
  console.log(
    `${number} ${story.join(" ")}: ${[one, two].map((at) => `${(largestMovement(of, at) * 100).toFixed(1)} cm, change ${(velocityChange(of, at) * 100).toFixed(2)}`).join("; ")}; before ${beside.map((value) => value.toFixed(2)).join(", ")}; most after ${most(largestMovement, one, of.frames.length).toFixed(1)}, ${most(velocityChange, one, of.frames.length).toFixed(2)}`,
  );
  writeFileSync(join(folder, `strip-${number}.svg`), strip(result, story.slice(0, 3).join(" → ")));
}
