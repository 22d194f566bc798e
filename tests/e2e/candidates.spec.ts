// The mode "In-between", motions to choose from: listed, previewed, chosen, undone; by pointer and by keyboard.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, type Page } from "./test";
import { load } from "kinestitch";
import { drop, exportFile, frames, runOnCpu, pause, textOf, waitUntilSettled } from "./page";

/** Timeout of steps that run networks, sufficient on slow machines. */
const LONG_TIMEOUT = { timeout: 60_000 };
const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "models", "manifest.json"), "utf8")) as {
  networks: { name: string }[];
};
const hasDcmoe = manifest.networks.some(({ name }) => name === "dcmoe");
const hasJudge = manifest.networks.some(({ name }) => name === "judge");

async function openMode(page: Page): Promise<void> {
  await runOnCpu(page);
  await page.goto("/#inbetween");
  await expect(page.locator(".key-block")).toHaveCount(3, LONG_TIMEOUT);
  await drop(page, [{ name: "walk.bvh", text: textOf("ada-walk") }]);
  await expect(page.locator(".key-block")).toHaveCount(2, LONG_TIMEOUT);
  await expect(page.locator("#panel-gaps .figures")).toHaveCount(1, LONG_TIMEOUT);
  await waitUntilSettled(page);
  await pause(page);
}

const panel = (page: Page) => page.locator("#panel-candidates");
const list = (page: Page) => panel(page).getByRole("list", { name: "Motions" }).getByRole("listitem");

/** Exports the motion. Returns the smallest distance of its root from a point on the ground, metres. */
async function distanceTo(page: Page, [x, z]: readonly [x: number, z: number]): Promise<number> {
  const { bytes } = await exportFile(page, () => page.keyboard.press("Control+s"));
  const clip = await load(bytes);
  const positions = clip.positions();
  const stride = clip.info().joints.length * 3;
  const distances = Array.from({ length: clip.frames }, (_, frame) =>
    Math.hypot((positions[frame * stride] ?? NaN) - x, (positions[frame * stride + 2] ?? NaN) - z),
  );
  return Math.min(...distances);
}

test("nothing is offered if the site has no network for it", async ({ page }) => {
  test.skip(hasDcmoe, "this site ships one");
  await openMode(page);
  await expect(panel(page)).toHaveCount(hasJudge ? 1 : 0);
  await expect(page.getByRole("radio", { name: /^Along a path/ })).toHaveCount(0);
});

test.describe("if the site has a network for it", () => {
  test.skip(!hasDcmoe, "this site ships none");
  test.setTimeout(180_000);

  test("motions of all methods are listed and ranked; one is chosen by pointer, and undone", async ({ page }) => {
    await openMode(page);
    const before = await frames(page);
    await panel(page).getByRole("button", { name: "Find motions" }).click();
    await expect(list(page)).toHaveCount(7, LONG_TIMEOUT);
    const third = list(page).nth(2);
    await third.hover();
    await expect(third).toHaveClass(/selected/);
    const frameCount = Number(/(\d+) frames?/.exec((await third.textContent()) ?? "")?.[1]);
    await expect(panel(page)).toContainText("Motions by every available method, the most natural first");
    const button = third.getByRole("button", { name: /^3: / });
    const name = /^3: (.+)$/.exec(((await button.textContent()) ?? "").trim())?.[1];
    await button.click();
    // Each of the two keys is one frame.
    await expect.poll(() => frames(page), LONG_TIMEOUT).toBe(frameCount + 2);
    await expect(page.getByRole("radio", { name: new RegExp(`^${name}`) })).toBeChecked();
    await page.keyboard.press("Control+z");
    await expect.poll(() => frames(page), LONG_TIMEOUT).toBe(before);
  });

  test("by keyboard: filters, similar motions, and choosing one", async ({ page }) => {
    await openMode(page);
    await page.keyboard.press("Alt+w");
    await expect(list(page)).toHaveCount(7, LONG_TIMEOUT);
    const fast = panel(page).getByRole("button", { name: "Fast", exact: true });
    await fast.press("Enter");
    await expect(fast).toHaveAttribute("aria-pressed", "true");
    await expect(list(page).first()).toContainText("fast", LONG_TIMEOUT);
    const texts = async (): Promise<string> => (await list(page).allTextContents()).join();
    const before = await texts();
    await panel(page).getByRole("button", { name: "More motions like motion 1" }).press("Enter");
    // The end of the search changes the list, and ends the preview. Alt+Enter uses the previewed motion, so this waits.
    await expect.poll(texts, LONG_TIMEOUT).not.toBe(before);
    await list(page).first().getByRole("button", { name: /^1: / }).focus();
    await page.keyboard.press("Alt+Enter");
    await expect(page.getByRole("radio", { name: /^Along a path/ })).toBeChecked(LONG_TIMEOUT);
  });

  test("a path is entered on the ground or as numbers, and the candidates follow it", async ({ page }) => {
    await openMode(page);
    const point = [1.2, 1] as const;
    expect(await distanceTo(page, point)).toBeGreaterThan(1);
    await page.keyboard.press("3"); // from above: ground positions are picture positions
    await panel(page).getByRole("button", { name: "Draw on the ground" }).click();
    const line = panel(page).getByLabel("Path on the ground");
    // Dispatches events, because a click must be short, and on a slow machine Playwright's mouse holds the button too
    // long. The point may be added a moment after the press.
    const press = () =>
      page.locator(".stage-canvas").evaluate((stage) => {
        const { left, top, width, height } = stage.getBoundingClientRect();
        const init = {
          clientX: left + width * 0.75,
          clientY: top + height * 0.35,
          button: 0,
          isPrimary: true,
          pointerId: 1,
        };
        for (const type of ["pointerdown", "pointerup"]) stage.dispatchEvent(new PointerEvent(type, init));
      });
    await expect(async () => {
      await press();
      await expect(line).not.toHaveValue("", { timeout: 5_000 });
    }).toPass(LONG_TIMEOUT);
    const back = panel(page).getByRole("button", { name: "Remove last point" });
    await expect(async () => {
      if (await back.isVisible()) await back.click();
      await expect(line).toHaveValue("", { timeout: 2_000 });
    }).toPass(LONG_TIMEOUT);
    await expect(line).toHaveValue("");
    await line.fill(point.join());
    await line.press("Enter");
    await panel(page).getByRole("button", { name: "Find motions" }).click();
    await expect(list(page).first()).toBeVisible(LONG_TIMEOUT);
    // The first and the last of them.
    for (const candidate of [list(page).first(), list(page).last()]) {
      const frameCount = Number(/(\d+) frames?/.exec((await candidate.textContent()) ?? "")?.[1]);
      await candidate.getByRole("button", { name: /^\d: / }).click();
      await expect(page.getByRole("radio", { name: /^Along a path/ })).toBeChecked(LONG_TIMEOUT);
      await expect.poll(() => frames(page), LONG_TIMEOUT).toBe(frameCount + 2);
      await waitUntilSettled(page);
      expect(await distanceTo(page, point)).toBeLessThan(0.4);
    }
  });
});
