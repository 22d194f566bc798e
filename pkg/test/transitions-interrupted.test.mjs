// Requests that replace a waiting transition do not extend its wait. After an interruption, the velocities of bones
// change no more from frame to frame than in the clips themselves, also while a locked foot steps to its new place.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { init, load, stitch } from "kinestitch";
import { advance, createActor, FPS, frame, velocityChange } from "./transitions-support.mjs";

/** Clips played in turn; the transition to the second clip is interrupted by a transition to the third. */
const SEQUENCES = [
  ["ada-walk", "ada-run", "ada-idle"],
  ["ada-run", "ada-idle", "ada-walk"],
  ["ada-idle", "ada-walk", "ada-run"],
  ["ada-walk", "ada-turn", "ada-run"],
];

/** Returns the largest change of velocity from a frame on, cm per frame. */
const largestChange = (character, from) =>
  Math.max(...Array.from({ length: character.frames.length - from }, (_, i) => velocityChange(character, from + i))) *
  100;

/** Returns the largest change of velocity in clips that are played alone, cm per frame. */
async function changeInClips(names) {
  const changes = [];
  for (const name of names) {
    const character = await createActor("mixamo", [name]);
    character.transitions.transitionTo(character.clips[name]);
    advance(character, 1.5);
    changes.push(largestChange(character, 2));
  }
  return Math.max(...changes);
}

/** Leaves time for computed joins. */
const OPTIONS = { within: 0.25, arriveWithin: 1.5 };

// Without a judge "auto" takes the smoothest joins; a judge may prefer one that is more natural but less smooth.
const folder = mkdtempSync(join(tmpdir(), "kinestitch-no-judge-"));
before(async () => {
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ version: 2, networks: [] }));
  await init({ networks: { models: folder } });
});
after(() => rmSync(folder, { recursive: true }));

describe("interrupted transitions by auto", () => {
  for (const [number, [first, second, third]] of SEQUENCES.entries())
    it(`from ${first} to ${second}, interrupted by ${third}, are smooth`, async (test) => {
      const character = await createActor("mixamo", [first, second, third], { load, stitch });
      const { transitions, clips } = character;
      await transitions.prepare(Object.values(clips), { ahead: 0.15 });
      transitions.transitionTo(clips[first]);
      // Each sequence leaves the first clip at another time, and so in another phase of the gait.
      const start = advance(character, 1.22 + 0.07 * number);
      const secondTransition = transitions.transitionTo(clips[second], OPTIONS);
      for (let i = 0; i < 30 && secondTransition.state === "waiting"; i++) frame(character);
      assert.equal(secondTransition.state, "crossing");
      advance(character, 0.13);
      const thirdTransition = transitions.transitionTo(clips[third], OPTIONS);
      advance(character, 2);
      assert.equal(thirdTransition.state, "over");
      const [change, clipChange] = [largestChange(character, start), await changeInClips([first, second, third])];
      test.diagnostic(`change of velocity ${change.toFixed(2)} cm a frame, in the clips ${clipChange.toFixed(2)}`);
      assert.ok(change <= clipChange * 1.1, `${change} cm a frame, in the clips ${clipChange}`);
    });
});

for (const seconds of [0.1, 0.2])
  it(`requests for another clip every ${seconds} s, within 0.25 s, start transitions`, async () => {
    const names = ["ada-walk", "ada-run", "ada-idle", "ada-turn"];
    const character = await createActor("mixamo", names);
    const { transitions, clips } = character;
    transitions.transitionTo(clips["ada-walk"]);
    advance(character, 0.5);
    const startTimes = [0];
    transitions.addEventListener("started", () => startTimes.push((character.frames.length - start) / FPS));
    const start = character.frames.length;
    for (let request = 0; request < 3 / seconds; request++) {
      transitions.transitionTo(clips[names[(request + 1) % names.length]], { within: 0.25 });
      advance(character, seconds);
    }
    const waits = startTimes.slice(1).map((time, i) => time - startTimes[i]);
    assert.ok(waits.length > 5, `${waits.length} transitions`);
    // A transition starts at most 0.25 s after the first request since the last start.
    assert.ok(Math.max(...waits) < 0.25 + seconds + 2 / FPS, waits.map((wait) => wait.toFixed(2)).join(" "));
  });
