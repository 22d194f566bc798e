// In-between: keys on the timeline and on the ground, the motion through them, export and Stitch.
import { expect, test, type Page } from "@playwright/test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "kinestitch";
import { drop, exportFile, frames, hasNoRefiner, pause, textOf } from "./page";

// In tests the view is rendered in software, while other tests run.
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

async function exportMotion(page: Page) {
  const { bytes } = await exportFile(page, () => page.keyboard.press("Control+s"));
  return load(bytes);
}

test("the demo is computed when the mode opens; the result equals the keys in each of their frames", async ({
  page,
}) => {
  await openMode(page);
  await pause(page);
  const result = await exportMotion(page);
  expect(result.frames).toBe(await frames(page));
  const walk = await load(textOf("ada-walk"));
  const joints = walk.info().joints.length;
  // The first key is frames 20 to 35 of its clip (from 0), and keeps its ground pose. The page's clips are rounded.
  const [resultPositions, walkPositions] = [result.positions(), walk.positions()];
  for (let i = 0; i < 16 * joints * 3; i++)
    expect(Math.abs((resultPositions[i] ?? NaN) - (walkPositions[20 * joints * 3 + i] ?? NaN))).toBeLessThan(5e-4);
  const last = (await load(textOf("ada-jog"))).rotations();
  const resultRotations = result.rotations();
  // The last frame of the result is frame 45 of the last key's clip: all joints have its rotations, except the root,
  // whose heading comes from the key's ground pose. Absolute values, because q and −q are the same rotation.
  const end = (result.frames - 1) * joints * 4;
  for (let i = 4; i < joints * 4; i++)
    expect(
      Math.abs(Math.abs(resultRotations[end + i] ?? NaN) - Math.abs(last[45 * joints * 4 + i] ?? NaN)),
    ).toBeLessThan(1e-3);
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
  const largestDifference = moved
    .positions()
    .reduce((max, value, i) => Math.max(max, Math.abs(value - (original.positions()[i] ?? 0))), 0);
  expect(largestDifference).toBeGreaterThan(0.15);
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
  const after = await groundPoseOf(page, 0);
  expect(Math.hypot(after.x - before.x, after.z - before.z)).toBeGreaterThan(0.1);
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
  await keyCard(page, 1).locator(".name").click();
  for (let i = 0; i < 3; i++) await page.keyboard.press("Alt+ArrowRight");
  await expect(handle).toHaveAttribute("aria-valuenow", String(gap + 3));
  await expect.poll(() => frames(page)).toBe(whole);
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
    await expect(cards.first().locator(".way-words")).toContainText(/Made by \w+.*Best of \d+ methods/, LONG_TIMEOUT);
    await expect(page.getByRole("group", { name: "Displayed motion (X)" })).toContainText("After Automatic");
    await pause(page);
    const result = await exportMotion(page);
    expect(result.frames).toBe(await frames(page));
    // After an edit, all methods are tried again.
    await keyCard(page, 2).locator(".name").click();
    await page.keyboard.press("Control+ArrowRight");
    await expect(cards.first().locator(".way-words")).toContainText(/Best of \d+ methods/, LONG_TIMEOUT);
    await cards.first().getByText("All methods, the most natural first").click();
    const methods = cards.first().locator("details .link");
    expect(await methods.count()).toBeGreaterThan(2);
    const other = (await methods.nth(1).textContent()) ?? "";
    await methods.nth(1).click();
    await expect(page.getByRole("radio", { name: new RegExp(`^${other}`) })).toBeChecked();
    await expect(page.locator(".way-words")).toHaveCount(0, LONG_TIMEOUT);
    await page.keyboard.press("Control+z");
    await expect(page.getByRole("radio", { name: /^Automatic/ })).toBeChecked();
    await expect(page.locator(".way-words")).toHaveCount(2, LONG_TIMEOUT);
  });

  test("networks are tried after the user requests them", async ({ page }) => {
    test.skip(hasNoRefiner, "models/ holds no weights of this layout");
    await openMode(page);
    const description = page.locator("#panel-gaps .way-words").first();
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
  await page.getByRole("radio", { name: /^Variants/ }).click();
  const variants = page.getByRole("group", { name: "Motions", exact: true });
  await expect(variants.getByRole("button")).toHaveCount(4, LONG_TIMEOUT);
  await expect(page.locator("#panel-gaps .figures").first()).toContainText("Variants", LONG_TIMEOUT);
  const first = await exportMotion(page);
  const second = variants.getByRole("button", { name: "Motion 2" });
  await second.click();
  await expect(second).toHaveAttribute("aria-pressed", "true");
  const largestDifference = async (): Promise<number> => {
    const positions = (await exportMotion(page)).positions();
    return first.positions().reduce((max, value, i) => Math.max(max, Math.abs(value - (positions[i] ?? NaN))), 0);
  };
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
