// Requests from sticks, goals and paths: arithmetic, without a page.
import { expect, test } from "@playwright/test";
import {
  poseBeside,
  stickToInput,
  DemoPath,
  deflection,
  STAND_STILL,
  goalToInput,
} from "../../www/modes/control/steering";

const close = (actual: readonly number[], expected: readonly number[]): void =>
  actual.forEach((value, i) => expect(value).toBeCloseTo(expected[i] ?? NaN, 5));

test("a stick's direction is relative to the camera", () => {
  const directionOf = (right: number, forward: number, heading: number) =>
    stickToInput({ right, forward }, heading, 2).direction;
  // A camera looking along +z has +x on its left.
  close(directionOf(0, 1, 0), [0, 1]);
  close(directionOf(1, 0, 0), [-1, 0]);
  // A camera looking along +x has +z on its right.
  close(directionOf(0, 1, Math.PI / 2), [1, 0]);
  close(directionOf(1, 0, Math.PI / 2), [0, 1]);
  expect(stickToInput({ right: 0.1, forward: 0.05 }, 0, 2)).toEqual(STAND_STILL);
  expect(stickToInput({ right: 0, forward: 1 }, 0, 2).speed).toBe(2);
  expect(deflection({ right: 1, forward: 1 })).toBe(1);
  expect(deflection({ right: 0.5, forward: 0 })).toBeGreaterThan(0.3);
});

test("a goal is approached slowly, and the character stands there in the requested heading", () => {
  const goal = { x: 3, z: 0, heading: 1 };
  expect(goalToInput({ x: 0, z: 0 }, goal, 2)).toEqual({ direction: [3, 0], speed: 2 });
  const near = goalToInput({ x: 2.5, z: 0 }, goal, 2);
  expect(near.speed).toBeLessThan(1);
  expect(near.facing).toBe(1);
  expect(goalToInput({ x: 2.9, z: 0 }, goal, 2)).toEqual({ direction: [0, 0], speed: 0, facing: 1 });
});

test("a follower walks at the left of the leader, and behind it", () => {
  // Looking along +z, +x is on the left.
  const { x, z } = poseBeside({ x: 0, z: 0, heading: 0 });
  expect(x).toBeGreaterThan(0.5);
  expect(z).toBeLessThan(0);
});

test("the demo path is a figure of eight with stops, for every character", () => {
  for (const agility of [0.5, 3]) {
    const path = new DemoPath([3, 1.5]); // half length and half width, metres
    const position = { x: 0, z: 0 };
    const velocity = [0, 0] as [number, number];
    let [minX, maxX, maxDistance, stoppedFrames] = [0, 0, 0, 0];
    // One minute at 60 frames per second. The velocity approaches the requested one, faster with more agility.
    for (let frame = 0; frame < 60 * 60; frame++) {
      const request = path.next(position, 1.2, 2, 1 / 60);
      const length = Math.hypot(...request.direction) || 1;
      for (const axis of [0, 1] as const)
        velocity[axis] +=
          ((request.direction[axis] / length) * request.speed - velocity[axis]) * (1 - Math.exp(-agility / 10));
      position.x += velocity[0] / 60;
      position.z += velocity[1] / 60;
      [minX, maxX, maxDistance] = [
        Math.min(minX, position.x),
        Math.max(maxX, position.x),
        Math.max(maxDistance, Math.hypot(position.x, position.z)),
      ];
      if (request.speed === 0) stoppedFrames++;
    }
    expect(minX).toBeLessThan(-2);
    expect(maxX).toBeGreaterThan(2);
    expect(maxDistance).toBeLessThan(5);
    expect(stoppedFrames).toBeGreaterThan(90);
  }
});
