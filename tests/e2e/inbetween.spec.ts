// In-between: keys on the timeline and on the ground, the motion through them, export and Stitch.
import { expect, test, type Page } from "./test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "kinestitch";
import { drop, exportFile, frames, hasNoRefiner, pause, pixelsOfHue, textOf, waitUntilSettled } from "./page";

// Timeouts are long, because in tests the view is rendered in software while other tests run.
test.describe.configure({ timeout: 150_000 });
const LONG_TIMEOUT = { timeout: 60_000 };

/** Opens the mode and waits for the demo's motion. */
async function openMode(page: Page): Promise<void> {
  await page.goto("/#inbetween");
  await expect(page.locator(".key-block")).toHaveCount(3);
  await expect(page.locator("#panel-gaps .figures")).toHaveCount(2);
}

const keyCard = (page: Page, index: number) => page.locator("#panel-keys .card").nth(index);
const groundPoseOf = async (page: Page, index: number) => ({
  x: Number(await keyCard(page, index).getByLabel("Position, metres to the right").inputValue()),
  z: Number(await keyCard(page, index).getByLabel("Position, metres towards you").inputValue()),
  heading: Number(await keyCard(page, index).getByLabel("Heading, degrees").inputValue()),
});

/** Exports the motion of the current keys: until it is solved, the page exports the motion before it. */
async function exportMotion(page: Page) {
  await waitUntilSettled(page);
  const { bytes } = await exportFile(page, () => page.keyboard.press("Control+s"));
  return load(bytes);
}

type Motion = Awaited<ReturnType<typeof load>>;
type Numbers = readonly number[];

/** Returns the product of two quaternions x, y, z, w: the rotation `b`, then `a`. */
const multiply = ([ax = 0, ay = 0, az = 0, aw = 0]: Numbers, [bx = 0, by = 0, bz = 0, bw = 0]: Numbers): Numbers => [
  aw * bx + ax * bw + ay * bz - az * by,
  aw * by - ax * bz + ay * bw + az * bx,
  aw * bz + ax * by - ay * bx + az * bw,
  aw * bw - ax * bx - ay * by - az * bz,
];

const maxDifference = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((max, value, i) => Math.max(max, Math.abs(value - (b[i] ?? NaN))), 0);

/**
 * Compares frames `from` to `to` (excluded) of a clip with the result from frame `start` on. The clip is first moved
 * and turned on the ground, so that its root in frame `from` is where it is in frame `start` of the result.
 *
 * @returns `placed`, `turned`: this movement, metres (largest component), and rotation about the vertical, radians.
 * `position`, `rotation`: largest difference that remains in any joint and frame, metres and components of quaternions.
 */
function compareKey(result: Motion, start: number, clip: Motion, from: number, to: number) {
  const joints = clip.info().joints.length;
  const readerOf = (values: Float32Array, size: 3 | 4) => (frame: number, joint: number) =>
    Array.from(values.subarray((frame * joints + joint) * size, (frame * joints + joint + 1) * size));
  const [position, rotation] = [readerOf(result.positions(), 3), readerOf(result.rotations(), 4)];
  const [clipPosition, clipRotation] = [readerOf(clip.positions(), 3), readerOf(clip.rotations(), 4)];
  const [x = 0, y = 0, z = 0, w = 0] = clipRotation(from, 0);
  const turn = multiply(rotation(start, 0), [-x, -y, -z, w]);
  const turned = 2 * Math.atan2(turn[1] ?? NaN, turn[3] ?? NaN);
  const [origin, clipOrigin] = [position(start, 0), clipPosition(from, 0)];
  const place = ([x = 0, y = 0, z = 0]: Numbers): Numbers => {
    const [dx, dz] = [x - (clipOrigin[0] ?? 0), z - (clipOrigin[2] ?? 0)];
    return [
      (origin[0] ?? 0) + Math.cos(turned) * dx + Math.sin(turned) * dz,
      y,
      (origin[2] ?? 0) + Math.cos(turned) * dz - Math.sin(turned) * dx,
    ];
  };
  const differences = { placed: maxDifference(origin, clipOrigin), turned, position: 0, rotation: 0 };
  for (let frame = 0; frame < to - from; frame++)
    for (let joint = 0; joint < joints; joint++) {
      const clipPlace = place(clipPosition(from + frame, joint));
      differences.position = Math.max(differences.position, maxDifference(clipPlace, position(start + frame, joint)));
      const clipTurn = clipRotation(from + frame, joint);
      const wanted = joint === 0 ? multiply(turn, clipTurn) : clipTurn;
      const actual = rotation(start + frame, joint);
      // q and −q are the same rotation.
      const sign = wanted.reduce((sum, value, i) => sum + value * (actual[i] ?? NaN), 0) < 0 ? -1 : 1;
      const rotationDifference = maxDifference(
        wanted,
        actual.map((value) => sign * value),
      );
      differences.rotation = Math.max(differences.rotation, rotationDifference);
    }
  return differences;
}

test("the demo is computed when the mode opens; the result equals the keys in each of their frames", async ({
  page,
}) => {
  await openMode(page);
  await pause(page);
  const result = await exportMotion(page);
  expect(result.frames).toBe(await frames(page));
  expect(result.frames).toBe(69);
  // The keys of www/modes/inbetween/demo.ts. The numbers of exported BVH files are rounded.
  for (const [start, name, from, to] of [
    [0, "ada-walk", 20, 36],
    [32, "ada-turn", 40, 41],
    [45, "ada-jog", 22, 46],
  ] as const) {
    const { placed, turned, position, rotation } = compareKey(result, start, await load(textOf(name)), from, to);
    expect(position, name).toBeLessThan(1e-3);
    expect(rotation, name).toBeLessThan(1e-3);
    // The first key keeps its ground pose; the others are placed where the motion leads.
    if (start === 0) expect(Math.max(placed, Math.abs(turned))).toBeLessThan(1e-3);
  }
});

test("a key is moved and turned by keyboard; the motion follows, and undo reverts it", async ({ page }) => {
  await openMode(page);
  await pause(page);
  await page.keyboard.press("Home");
  await page.keyboard.press("3"); // from above: ground positions are picture positions
  const before = await groundPoseOf(page, 2);
  const otherKey = await groundPoseOf(page, 1);
  const original = await exportMotion(page);
  await keyCard(page, 2).locator(".name").click();
  for (let i = 0; i < 4; i++) await page.keyboard.press("Control+ArrowRight");
  await expect.poll(async () => (await groundPoseOf(page, 2)).x).toBeCloseTo(before.x + 0.2, 1);
  await page.keyboard.press("q");
  await expect.poll(async () => (await groundPoseOf(page, 2)).heading).not.toBe(before.heading);
  const moved = await exportMotion(page);
  expect((await groundPoseOf(page, 1)).x).toBeCloseTo(otherKey.x, 1);
  expect(moved.frames).toBe(original.frames);
  expect(maxDifference(moved.positions(), original.positions())).toBeGreaterThan(0.15);
  // Quick presses are one undo step, slow ones are several: undoes until the key is back.
  await expect
    .poll(async () => {
      await page.keyboard.press("Control+z");
      return (await groundPoseOf(page, 2)).x;
    }, LONG_TIMEOUT)
    .toBeCloseTo(before.x, 1);
});

test("a ghost is dragged by the pointer, and the motion follows while it is held", async ({ page }) => {
  await openMode(page);
  await pause(page);
  await keyCard(page, 0).locator(".name").click();
  await page.keyboard.press("Home");
  await page.getByRole("button", { name: "Follow" }).click();
  await page.keyboard.press("3");
  const stage = await page.locator(".stage-canvas").boundingBox();
  if (!stage) throw new Error("no stage");
  const before = await groundPoseOf(page, 0);
  const figures = page.locator("#panel-gaps .figures").first();
  const first = await figures.textContent();
  // At the first frame the camera looks down at the first key in the middle of the picture.
  const [x, y] = [stage.x + stage.width / 2, stage.y + stage.height / 2];
  // The camera needs a moment to arrive.
  await expect
    .poll(async () => {
      await page.mouse.move(x, y + 1);
      await page.mouse.move(x, y);
      return page.locator(".stage-canvas.can-drag").count();
    }, LONG_TIMEOUT)
    .toBe(1);
  await page.mouse.down();
  await page.mouse.move(x + 60, y, { steps: 4 });
  await expect(figures).not.toHaveText(first ?? "");
  await page.mouse.up();
  await expect
    .poll(async () => {
      const after = await groundPoseOf(page, 0);
      return Math.hypot(after.x - before.x, after.z - before.z);
    })
    .toBeGreaterThan(0.1);
  await page.keyboard.press("Control+z");
  await expect.poll(async () => (await groundPoseOf(page, 0)).x, LONG_TIMEOUT).toBeCloseTo(before.x, 1);
});

test("gaps are lengthened and keys are moved in time, by pointer and by keyboard", async ({ page }) => {
  await openMode(page);
  await pause(page);
  const whole = await frames(page);
  const handle = page.getByRole("slider", { name: "Frames between keys 1 and 2" });
  const gap = Number(await handle.getAttribute("aria-valuenow"));
  await handle.focus();
  await page.keyboard.press("Shift+ArrowRight");
  await expect.poll(() => frames(page), LONG_TIMEOUT).toBe(whole + 10);
  const box = await handle.boundingBox();
  if (!box) throw new Error("no handle");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x - 80, box.y + box.height / 2, { steps: 5 });
  await page.mouse.up();
  await expect.poll(async () => Number(await handle.getAttribute("aria-valuenow"))).toBeLessThan(gap + 10);
  await expect
    .poll(async () => {
      await page.keyboard.press("Control+z");
      return frames(page);
    }, LONG_TIMEOUT)
    .toBe(whole);
  // Moving a key later changes the gaps on both its sides.
  const nextGap = Number(
    await page.getByRole("slider", { name: "Frames between keys 2 and 3" }).getAttribute("aria-valuenow"),
  );
  await keyCard(page, 1).locator(".name").click();
  for (let i = 0; i < 3; i++) await page.keyboard.press("Alt+ArrowRight");
  await expect(handle).toHaveAttribute("aria-valuenow", String(gap + 3));
  // The facts are those of the computed motion.
  const facts = page.locator("#panel-gaps .facts");
  await expect(facts.nth(0)).toContainText(`${gap + 3} frames generated`, LONG_TIMEOUT);
  await expect(facts.nth(1)).toContainText(`${nextGap - 3} frames generated`);
  expect(await frames(page)).toBe(whole);
});

test("a key's frame and the method are changed, and keys are added and removed", async ({ page }) => {
  await openMode(page);
  await pause(page);
  const figures = page.locator("#panel-gaps .figures").first();
  const before = await figures.textContent();
  await keyCard(page, 1).getByLabel("Frame of the clip").fill("90");
  await expect(figures).not.toHaveText(before ?? "");
  // The curves compare the chosen method with interpolation, unless interpolation itself is chosen.
  await page.getByRole("radio", { name: /^Interpolation/ }).check();
  await expect(page.locator(".curve-head")).not.toContainText("Interpolation");
  await page.getByRole("radio", { name: /^Spline/ }).check();
  await expect(page.locator(".curve-head")).toContainText("Interpolation");
  await page.getByRole("button", { name: "Add pose" }).click();
  await expect(page.locator(".key-block")).toHaveCount(4);
  await expect(page.locator("#panel-gaps .figures")).toHaveCount(3);
  await page.keyboard.press("Delete");
  await expect(page.locator(".key-block")).toHaveCount(3);
});

test.describe("on a first visit", () => {
  test.use({ storageState: { cookies: [], origins: [] } });

  test("opens with Automatic: improves the result in place, describes each gap, and another method is chosen", async ({
    page,
  }) => {
    await openMode(page);
    await expect(page.getByRole("radio", { name: /^Automatic/ })).toBeChecked();
    const cards = page.locator("#panel-gaps .card");
    await expect(cards.first().locator(".trial-summary")).toContainText(
      /Method: \w+.*Best of \d+ methods/,
      LONG_TIMEOUT,
    );
    await expect(page.getByRole("group", { name: "Displayed motion (X)" })).toContainText("After Automatic");
    await pause(page);
    const result = await exportMotion(page);
    expect(result.frames).toBe(await frames(page));
    // After an edit, all methods are tried again. The last key ends the second gap.
    const trials = cards.nth(1).locator("details tbody");
    const trialsBefore = (await trials.textContent()) ?? "";
    expect(trialsBefore).toContain("mm");
    await keyCard(page, 2).locator(".name").click();
    await page.keyboard.press("Control+ArrowRight");
    await expect(trials).not.toHaveText(trialsBefore, LONG_TIMEOUT);
    await expect(cards.nth(1).locator(".trial-summary")).toContainText(/Best of \d+ methods/);
    await cards.first().getByText("All tried methods, the most natural first").click();
    const methods = cards.first().locator("details .link");
    expect(await methods.count()).toBeGreaterThan(2);
    const other = (await methods.nth(1).textContent()) ?? "";
    await methods.nth(1).click();
    await expect(page.getByRole("radio", { name: new RegExp(`^${other}`) })).toBeChecked();
    await expect(page.locator(".trial-summary")).toHaveCount(0, LONG_TIMEOUT);
    await page.keyboard.press("Control+z");
    await expect(page.getByRole("radio", { name: /^Automatic/ })).toBeChecked();
    await expect(page.locator(".trial-summary")).toHaveCount(2, LONG_TIMEOUT);
  });

  test("networks are tried after the user requests them", async ({ page }) => {
    test.skip(hasNoRefiner, "models/ holds no weights of this layout");
    await openMode(page);
    const description = page.locator("#panel-gaps .trial-summary").first();
    const count = async (): Promise<number> =>
      Number(/\d+(?= methods)/.exec((await description.textContent()) ?? "")?.[0]);
    await expect(description).toContainText(/Best of \d+ methods/, LONG_TIMEOUT);
    const initialCount = await count();
    await page.getByRole("button", { name: /Also try networks \(\d/ }).click();
    await expect.poll(count, LONG_TIMEOUT).toBeGreaterThan(initialCount);
  });
});

test("a network gives several motions: three are shown side by side, and one is chosen", async ({ page }) => {
  const { networks } = JSON.parse(
    readFileSync(join(import.meta.dirname, "..", "..", "models", "manifest.json"), "utf8"),
  );
  test.skip(
    networks.every(({ name }: { name: string }) => name !== "manifold"),
    "models/ holds no network with variants",
  );
  await openMode(page);
  await pause(page);
  // The colours of the second and the third variant; see www/modes/inbetween/scene.ts.
  const [secondColor, thirdColor] = ["#5fae8b", "#a779c9"];
  for (const color of [secondColor, thirdColor]) expect(await pixelsOfHue(page, color)).toBeLessThan(100);
  await page.getByRole("radio", { name: /^Variants/ }).click();
  const variants = page.getByRole("group", { name: "Motions", exact: true });
  await expect(variants.getByRole("button")).toHaveCount(4, LONG_TIMEOUT);
  await expect(page.locator("#panel-gaps .figures").first()).toContainText("Variants", LONG_TIMEOUT);
  const first = await exportMotion(page);
  for (const color of [secondColor, thirdColor])
    await expect.poll(() => pixelsOfHue(page, color), LONG_TIMEOUT).toBeGreaterThan(500);
  const second = variants.getByRole("button", { name: "Motion 2" });
  await second.click();
  await expect(second).toHaveAttribute("aria-pressed", "true");
  // The chosen variant is drawn as the result, in the colours of the keys.
  await expect.poll(() => pixelsOfHue(page, secondColor), LONG_TIMEOUT).toBeLessThan(100);
  expect(await pixelsOfHue(page, thirdColor)).toBeGreaterThan(500);
  const largestDifference = async (): Promise<number> =>
    maxDifference(first.positions(), (await exportMotion(page)).positions());
  await expect.poll(largestDifference, LONG_TIMEOUT).toBeGreaterThan(0.01);
  await page.keyboard.press("Control+z");
  await expect(variants.getByRole("button", { name: "Motion 1" })).toHaveAttribute("aria-pressed", "true");
});

test("the motion is exported as BVH and GLB, and sent to Stitch", async ({ page }) => {
  await openMode(page);
  await pause(page);
  const bvh = await exportFile(page, () => page.getByRole("button", { name: "BVH", exact: true }).click());
  expect(bvh.bytes.toString("utf8", 0, 9)).toBe("HIERARCHY");
  const glb = await exportFile(page, () => page.getByRole("button", { name: "GLB", exact: true }).click());
  expect(glb.bytes.toString("latin1", 0, 4)).toBe("glTF");
  const frameCount = await frames(page);
  await page.getByRole("button", { name: "Send to Stitch" }).click();
  await expect(page.locator(".block-name")).toHaveCount(1);
  await expect.poll(() => frames(page)).toBe(frameCount);
  await page.getByRole("button", { name: "In-between" }).click();
  await expect(page.locator(".key-block")).toHaveCount(3);
});

test("the user's files replace the demo", async ({ page }) => {
  await openMode(page);
  await drop(page, [
    { name: "run.bvh", text: textOf("ada-run") },
    { name: "bo.bvh", text: textOf("bo-walk") },
  ]);
  await expect(page.locator(".key-block")).toHaveCount(2);
  await expect(page.locator("#panel-gaps .figures")).toHaveCount(1);
});
