// Control: steering a character, if the site has a controller; the recording is exported as a clip and sent to Stitch.
import { expect, test, type Page } from "./test";
import { load } from "kinestitch";
import {
  dropFixtures,
  exportFile,
  open,
  waitForResult,
  waitUntilSettled,
  hasController,
  hasDog,
  readStoredWork,
  textOf,
} from "./page";

// These tests watch motions that play by themselves; playwright.config.mjs switches that off.
test.use({ contextOptions: { reducedMotion: "no-preference" } });

async function openMode(page: Page): Promise<void> {
  await page.goto("/#control");
  await expect(page.getByRole("button", { name: "Record" })).toBeEnabled({ timeout: 60_000 });
}

/** Exports the recording as BVH. */
async function exportRecording(page: Page): Promise<Buffer> {
  const { bytes } = await exportFile(page, () => page.getByRole("button", { name: "BVH", exact: true }).click());
  return bytes;
}

/** Exports the recording. Returns the root's position in each frame, metres. */
async function recordedPositions(page: Page): Promise<[x: number, y: number, z: number][]> {
  const clip = await load(await exportRecording(page));
  expect(clip.frames).toBeGreaterThan(1);
  const positions = clip.positions();
  const stride = clip.info().joints.length * 3;
  return Array.from({ length: clip.frames }, (_, frame) => {
    const [x = NaN, y = NaN, z = NaN] = positions.subarray(frame * stride, frame * stride + 3);
    return [x, y, z];
  });
}

/** Ends the recording and exports it. Returns the root's position in each frame, metres. */
async function stopRecording(page: Page): ReturnType<typeof recordedPositions> {
  await page.getByRole("button", { name: /^Stop,/ }).click();
  return recordedPositions(page);
}

/** Waits until the recording is four seconds long, and ends it. Returns the root's position in each frame, metres. */
async function stopAfterFourSeconds(page: Page): ReturnType<typeof recordedPositions> {
  await expect(page.getByRole("button", { name: /^Stop, ([4-9]|\d\d+) s/ })).toBeVisible({ timeout: 60_000 });
  return stopRecording(page);
}

/** Returns the largest distance on the ground from the first position, metres. */
function largestDistance(positions: readonly (readonly [x: number, y: number, z: number])[]): number {
  const [[x0, , z0] = [NaN, NaN, NaN]] = positions;
  return Math.max(...positions.map(([x, , z]) => Math.hypot(x - x0, z - z0)));
}

/** Distance on the ground within which a standing character shifts its weight, metres. */
const STANDING = 0.1;

test("the mode is absent if the site has no network for it", async ({ page }) => {
  test.skip(hasController, "models/ holds a controller");
  await page.goto("/#control");
  await expect(page.getByRole("button", { name: "Stitch", exact: true })).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("button", { name: "Control", exact: true })).toHaveCount(0);
});

test.describe("with a network", () => {
  test.skip(!hasController, "models/ holds no controller");

  test("the character walks by itself until the user steers it", async ({ page }) => {
    await openMode(page);
    const walkButton = page.getByRole("button", { name: "Demo walk" });
    await expect(walkButton).toHaveAttribute("aria-pressed", "true");
    const recordButton = page.getByRole("button", { name: "Record", exact: true });
    await recordButton.click();
    expect(largestDistance(await stopAfterFourSeconds(page))).toBeGreaterThan(1);
    await page.keyboard.down("w");
    await expect(walkButton).toHaveAttribute("aria-pressed", "false");
    await page.keyboard.up("w");
    await recordButton.click();
    // It needs up to two seconds to stand still.
    const steered = await stopAfterFourSeconds(page);
    expect(largestDistance(steered.slice(steered.length / 2))).toBeLessThan(STANDING);
    await page.keyboard.press("o");
    await expect(walkButton).toHaveAttribute("aria-pressed", "true");
    await recordButton.click();
    expect(largestDistance(await stopAfterFourSeconds(page))).toBeGreaterThan(1);
  });

  test("a slider sets the amount of variation, a button chooses another variation, and both are stored", async ({
    page,
  }) => {
    await openMode(page);
    const [noise, otherVariation] = [
      page.getByLabel("Variation"),
      page.getByRole("button", { name: "Another variation" }),
    ];
    await expect(otherVariation).toBeDisabled();
    await noise.fill("0.5");
    await expect(otherVariation).toBeEnabled();
    await otherVariation.click();
    await expect(otherVariation).toHaveAttribute("title", /variation 2/);
    // Settings are stored a moment after the last change.
    await expect.poll(async () => JSON.stringify(await readStoredWork(page))).toContain('"noise":0.5');
    await expect.poll(async () => JSON.stringify(await readStoredWork(page))).toMatch(/"seed":[1-9]/);
    await page.reload();
    await expect(noise).toHaveValue("0.5", { timeout: 60_000 });
    await expect(otherVariation).toHaveAttribute("title", /variation 2/);
  });

  test("with reduced motion, the character stands", async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await openMode(page);
    await expect(page.getByRole("button", { name: "Demo walk" })).toHaveAttribute("aria-pressed", "false");
    await page.getByRole("button", { name: "Record", exact: true }).click();
    const positions = await stopAfterFourSeconds(page);
    expect(largestDistance(positions)).toBeLessThan(0.3); // a step at the start
    expect(largestDistance(positions.slice(positions.length / 2))).toBeLessThan(STANDING);
  });

  test("the key W steers; the recording is exported and sent to Stitch", async ({ page }) => {
    // Without the demo walk, so that only the key moves the character.
    await page.emulateMedia({ reducedMotion: "reduce" });
    await openMode(page);
    await page.keyboard.press("r");
    await page.keyboard.down("w");
    await expect(page.getByRole("button", { name: /^Stop, ([3-9]|\d\d+) s/ })).toBeVisible({ timeout: 60_000 });
    await page.keyboard.up("w");
    await page.keyboard.press("r");
    await expect(page.getByText(/^Recorded/)).toBeVisible();
    expect(largestDistance(await recordedPositions(page))).toBeGreaterThan(1);
    await page.getByRole("button", { name: "Send to Stitch" }).click();
    await expect(page.locator(".block-name")).toHaveCount(1);
  });

  test("the character climbs stairs that the user chooses, and the choice is stored", async ({ page }) => {
    await openMode(page);
    const ground = page.getByLabel("Ground", { exact: true });
    await ground.selectOption({ label: "Stairs" });
    await page.getByRole("button", { name: "Record" }).click();
    await page.keyboard.down("w");
    await expect(page.getByRole("button", { name: /^Stop, ([6-9]|\d\d+) s/ })).toBeVisible({ timeout: 90_000 });
    await page.keyboard.up("w");
    const heights = (await stopRecording(page)).map(([, y]) => y);
    // Eight stairs of 16 cm; in six seconds at 1.3 m/s the character reaches the top.
    expect(Math.max(...heights) - (heights[0] ?? 0)).toBeGreaterThan(1);
    await expect.poll(async () => JSON.stringify(await readStoredWork(page))).toContain('"ground":"stairs"');
    await page.reload();
    await expect(ground).toHaveValue("stairs", { timeout: 60_000 });
    await expect(page.getByRole("alert")).toHaveCount(0);
  });

  test("the character jumps when the user presses J", async ({ page }) => {
    await openMode(page);
    await page.getByRole("button", { name: "Demo walk" }).click();
    await page.getByRole("button", { name: "Record" }).click();
    await expect(page.getByRole("button", { name: /^Stop, ([1-9]|\d\d+) s/ })).toBeVisible({ timeout: 60_000 });
    await page.keyboard.press("j");
    const heights = (await stopAfterFourSeconds(page)).map(([, y]) => y);
    expect(Math.max(...heights) - (heights[0] ?? 0)).toBeGreaterThan(0.15);
  });

  test("the key J is ignored during a pause: the character does not jump afterwards", async ({ page }) => {
    await openMode(page);
    await page.getByRole("button", { name: "Demo walk" }).click();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.keyboard.press("j");
    // A recording ends the pause.
    await page.getByRole("button", { name: "Record" }).click();
    const heights = (await stopAfterFourSeconds(page)).map(([, y]) => y);
    // The lowest frames of a walk are no measure: a jump is seen by how far the hips rise.
    expect(Math.max(...heights) - (heights[0] ?? 0)).toBeLessThan(0.1);
  });

  test("the user's skeleton is steered, and the recording has it; the choice is stored", async ({ page }) => {
    await open(page);
    await dropFixtures(page, "ada-walk", "bo-run");
    await waitForResult(page, 1);
    await page.getByRole("button", { name: "Control", exact: true }).click();
    await expect(page.getByRole("button", { name: "Record" })).toBeEnabled({ timeout: 60_000 });
    const body = page.getByLabel("Body", { exact: true });
    await body.selectOption({ label: "bo-run" });
    // Not the button: it is disabled only when the page is drawn again, and until then the key R would be ignored.
    await waitUntilSettled(page);
    await page.keyboard.press("r");
    await page.keyboard.down("w");
    await expect(page.getByRole("button", { name: /^Stop, ([2-9]|\d\d+) s/ })).toBeVisible({ timeout: 60_000 });
    await page.keyboard.up("w");
    await page.keyboard.press("r");
    const names = (text: string): string[] => [...text.matchAll(/(?:ROOT|JOINT) (\S+)/g)].map(([, name]) => name ?? "");
    expect(names((await exportRecording(page)).toString())).toEqual(names(textOf("bo-run")));
    // The work is stored a moment after the last change.
    const isStored = async (): Promise<boolean> =>
      (await readStoredWork(page)).some(({ kept }) => kept?.documents?.control?.bodies?.biped !== undefined);
    await expect.poll(isStored).toBe(true);
    await page.reload();
    await expect(page.getByLabel("Body", { exact: true }).locator("option:checked")).toHaveText("bo-run", {
      timeout: 60_000,
    });
  });

  test("the dog is steered on the user's four-legged skeleton", async ({ page }) => {
    test.skip(!hasDog, "models/ holds no dog");
    await open(page);
    await dropFixtures(page, "cleo-walk");
    await page.getByRole("button", { name: "Control", exact: true }).click();
    await expect(page.getByRole("button", { name: "Record" })).toBeEnabled({ timeout: 60_000 });
    const options = page.getByLabel("Body", { exact: true }).locator("option");
    // Only clips of people are offered for people.
    await expect(options.filter({ hasText: "cleo-walk" })).toHaveCount(0);
    await page.getByLabel("Dog").check();
    await expect(options).toHaveText(["its own", "cleo-walk"]);
    await page.getByLabel("Body", { exact: true }).selectOption({ label: "cleo-walk" });
    // The character on stage is larger than the network's dog, so it walks faster.
    await expect(page.locator("#panel-motion")).toContainText("1.1 m/s", { timeout: 60_000 });
    await page.getByRole("button", { name: "Record" }).click();
    const stop = page.getByRole("button", { name: /^Stop, ([2-9]|\d\d+) s/ });
    await expect(stop).toBeVisible({ timeout: 60_000 });
    await stop.click();
    expect((await exportRecording(page)).toString()).toContain("HindPawL");
    await expect(page.getByRole("alert")).toHaveCount(0);
  });

  test("the character walks to a clicked point; the help lists the keys of this mode", async ({ page }) => {
    await openMode(page);
    const stage = await page.locator(".stage-canvas").boundingBox();
    if (!stage) throw new Error("no stage");
    const walkButton = page.getByRole("button", { name: "Demo walk" });
    await expect(walkButton).toHaveAttribute("aria-pressed", "true");
    // The camera is set to its first view a moment after the character appears: after a second, it stays.
    await page.keyboard.press("r");
    await expect(page.getByRole("button", { name: /^Stop, ([1-9]|\d\d+) s/ })).toBeVisible({ timeout: 60_000 });
    await page.keyboard.press("r");
    await page.keyboard.press("3"); // from above: the character, which the camera follows, is in the middle
    await page.getByRole("button", { name: "Record", exact: true }).click();
    const [x, y] = [stage.x + stage.width / 2, stage.y + stage.height / 2];
    await page.mouse.click(x + stage.width * 0.4, y);
    await expect(walkButton).toHaveAttribute("aria-pressed", "false");
    // The ring at the point can be dragged. The character arrives when the ring is below it.
    await expect
      .poll(
        async () => {
          await page.mouse.move(x, y + 1);
          await page.mouse.move(x, y);
          return page.locator(".stage-canvas.can-drag").count();
        },
        { timeout: 60_000 },
      )
      .toBe(1);
    expect(largestDistance(await stopRecording(page))).toBeGreaterThan(0.7);
    await page.getByRole("button", { name: "Record", exact: true }).click();
    const arrived = await stopAfterFourSeconds(page);
    expect(largestDistance(arrived.slice(arrived.length / 2))).toBeLessThan(STANDING);
    await page.keyboard.press("?");
    await expect(page.getByRole("dialog")).toContainText("Away from the camera");
    await expect(page.getByRole("dialog")).not.toContainText("One frame back");
  });
});
