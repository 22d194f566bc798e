// Jumps of the pose in ten interrupted transitions: the character changes from a first to a second clip, and during
// this transition a second transition, to a third clip, begins. For comparison, the same values are printed for the
// frames before the first transition. The transitions are also drawn.
//
//     npm run build && node research/benchmarks/transition-strips.mjs FOLDER
//
// Prints for each: the movement of the fastest bone, cm per frame, and the largest change of a bone's velocity, cm per
// frame², in the first frame after each of the two requests; the largest values in the 20 frames before the first
// request; and the largest values of all frames after it.
//
// Writes FOLDER/strip-N.svg: every third frame at 60 fps, oblique side view, relative to the hips; heights in world
// space. Short ground marks every 10 cm and long ones every 50 cm. Blue: first clip; orange: from the first request;
// red: from the second request. Thick: left leg.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load, stitch } from "kinestitch";
import { advance, createActor, frame, largestMovement, velocityChange } from "../../pkg/test/transitions-support.mjs";

const [folder] = process.argv.slice(2);
if (!folder) throw new Error("usage: node research/benchmarks/transition-strips.mjs FOLDER");

/** First, second and third clip, and the method of both transitions. */
const SCENARIOS = [
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
/** Pixels per metre; number of frames from one figure to the next; distance between figures, pixels. */
const [SCALE, FRAME_STEP, FIGURE_DISTANCE] = [110, 3, 62];
const LIMBS = [
  ["Hips", "Spine2", "Head"],
  ["Spine2", "LeftArm", "LeftForeArm", "LeftHand"],
  ["Spine2", "RightArm", "RightForeArm", "RightHand"],
  ["Hips", "RightUpLeg", "RightLeg", "RightFoot", "RightToe"],
  ["Hips", "LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe"],
];

/**
 * Plays one transition and its interruption. `delay`: additional time in the first clip, seconds, so that transitions
 * begin at different phases of a step. Returns the character with its frames, the frames of both requests, and both
 * joins.
 */
async function playScenario([first, second, third, method], delay) {
  const character = await createActor(
    "mixamo",
    [first, second, third].filter((name, i, all) => all.indexOf(name) === i),
    { load, stitch },
  );
  const { transitions, clips } = character;
  await transitions.prepare(Object.values(clips), method === "auto" ? { ahead: 0.15 } : {});
  transitions.transitionTo(clips[first]);
  const firstRequest = advance(character, 0.8 + delay);
  const transition = transitions.transitionTo(clips[second], { method, within: 0.25 });
  // The interruption comes 0.13 s after the model has left the first clip, however long the transition has waited.
  for (let i = 0; i < 30 && transition.state === "waiting"; i++) frame(character);
  const secondRequest = advance(character, 0.13);
  const interruption = transitions.transitionTo(clips[third], { method, within: 0.25 });
  advance(character, 0.9);
  return { character, firstRequest, secondRequest, joins: [transition.join, interruption.join] };
}

/** Projects a point horizontally in the oblique side view, metres. */
const project = ({ x, z }) => z + x * 0.35;

/** Draws the strip as SVG. */
function drawStrip({ character, firstRequest, secondRequest, joins }, title) {
  const roles = [...character.bones.keys()];
  const from = Math.max(0, firstRequest - 18);
  const to = Math.min(character.frames.length, secondRequest + 48);
  const shownFrames = [];
  for (let at = from; at < to; at += FRAME_STEP) shownFrames.push(at);
  const parts = shownFrames.map((at, i) => {
    const { positions } = character.frames[at];
    const hips = project(positions[roles.indexOf("Hips")]);
    const toPixels = (projected) => (FIGURE_DISTANCE * (i + 1) + (projected - hips) * SCALE).toFixed(1);
    const point = (role) => {
      const position = positions[roles.indexOf(role)];
      return `${toPixels(project(position))} ${(230 - position.y * SCALE).toFixed(1)}`;
    };
    const colour = at < firstRequest ? "#2f6fde" : at < secondRequest ? "#d97a0b" : "#c92a2a";
    const lines = LIMBS.map(
      (limb, k) =>
        `<path d="M${limb.map(point).join("L")}" stroke-width="${k === 4 ? 4 : 2}" fill="none" stroke="${colour}"/>`,
    );
    // Ground marks move with the ground: a planted foot keeps its distance to them.
    const marks = [];
    for (let mark = Math.ceil((hips - 0.28) / 0.1); mark * 0.1 < hips + 0.28; mark++)
      marks.push(`M${toPixels(mark * 0.1)} 232v${mark % 5 === 0 ? 10 : 4}`);
    return `${lines.join("")}<path d="${marks.join("")}" stroke="#888"/>`;
  });
  const width = FIGURE_DISTANCE * (shownFrames.length + 1);
  const joinNames = joins.map((join) =>
    typeof join === "string" ? join : `${join.method ?? ""} ${join.gap ?? ""} ${join.gapMethod ?? ""}`,
  );
  const caption = `${title}: ${joinNames.join(" → ")}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 260" width="${width}" height="260">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    `<text x="6" y="14" font-size="12" font-family="sans-serif">${caption}</text>${parts.join("")}</svg>`,
  ].join("");
}

mkdirSync(folder, { recursive: true });
for (const [number, scenario] of SCENARIOS.entries()) {
  const result = await playScenario(scenario, 0.07 * number);
  const { character, firstRequest, secondRequest } = result;
  /** Largest values between two frames: movement, cm per frame, and change of velocity, cm per frame². */
  const largest = (from, to) =>
    [largestMovement, velocityChange].map(
      (measure) => Math.max(...Array.from({ length: to - from }, (_, i) => measure(character, from + i))) * 100,
    );
  const atRequests = [firstRequest, secondRequest].map((at) => {
    const [movement, change] = largest(at, at + 1);
    return `${movement.toFixed(1)} cm, change ${change.toFixed(2)}`;
  });
  const before = largest(firstRequest - 20, firstRequest).map((value) => value.toFixed(2));
  const [movementAfter, changeAfter] = largest(firstRequest, character.frames.length);
  const after = `${movementAfter.toFixed(1)}, ${changeAfter.toFixed(2)}`;
  console.log(
    `${number} ${scenario.join(" ")}: ${atRequests.join("; ")}; before ${before.join(", ")}; most after ${after}`,
  );
  writeFileSync(join(folder, `strip-${number}.svg`), drawStrip(result, scenario.slice(0, 3).join(" → ")));
}
