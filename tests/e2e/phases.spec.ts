// Foot phases below the timeline, their picture, and cuts at similar phases.
import { expect, type Locator, test } from "./test";
import { openManualSettings, exportFile, frame, frames, open, pause } from "./page";

// In tests the view is rendered in software, while other tests run.
test.describe.configure({ timeout: 150_000 });

test.beforeEach(async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Phases" }).click();
  await expect(page.locator(".phase-picture svg")).toBeVisible();
});

test("the contacts of both feet are drawn, clicks and drags move the playhead, and the picture can be saved", async ({
  page,
}) => {
  await pause(page);
  await expect(page.locator(".phase-picture .fit")).toHaveCount(2);
  const box = await page.locator(".phase-picture").boundingBox();
  if (!box) throw new Error("the picture has no box");
  const frameCount = await frames(page);
  for (const fraction of [0.5, 0.9]) {
    // The margins of the plot are 110 pixels on the left and 12 on the right (pkg/src/core/phases-svg.ts).
    await page.mouse.click(box.x + 110 + fraction * (box.width - 122), box.y + 40);
    await expect.poll(async () => Math.abs((await frame(page)) - fraction * frameCount)).toBeLessThanOrEqual(2);
  }
  // A single seam is drawn wider.
  const before = await page.locator(".phase-picture .fit").first().getAttribute("d");
  await page.getByLabel("Displayed range").selectOption({ label: "Seam 1" });
  await expect.poll(() => page.locator(".phase-picture .fit").first().getAttribute("d")).not.toBe(before);
  // The names of the limbs are not part of the plot, and a drag into the right margin stays in the displayed range.
  const first = await frame(page);
  await page.mouse.click(box.x + 20, box.y + 40);
  // The displayed frame is written when the view is drawn.
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  expect(await frame(page)).toBe(first);
  await page.mouse.move(box.x + 110 + 0.5 * (box.width - 122), box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 4, box.y + 40);
  await page.mouse.up();
  const playhead = page.locator(".phase-plot .plot-playhead");
  await expect(playhead).toBeVisible();
  const heightOf = async (element: Locator): Promise<number> => (await element.boundingBox())?.height ?? 0;
  expect(await heightOf(playhead)).toBeCloseTo(await heightOf(page.locator(".phase-picture")), 0);
  const { name, bytes } = await exportFile(page, () => page.getByRole("button", { name: "SVG" }).click());
  expect(name).toMatch(/phases\.svg$/);
  expect(bytes.toString()).toMatch(/^<svg xmlns=[\s\S]*LeftFoot[\s\S]*<\/svg>\s*$/);
});

test("on request, clips are cut at similar phases of their feet", async ({ page }) => {
  const whole = await frames(page);
  await openManualSettings(page);
  await page.getByRole("radio", { name: /Inertialization/ }).check();
  await page.getByLabel("Clips meet", { exact: true }).selectOption("phase");
  await expect(page.locator("#panel-seams")).toContainText(/Cut from \d+ to \d+/);
  await expect.poll(() => frames(page)).toBeLessThan(whole);
  await page.getByLabel("Clips meet", { exact: true }).selectOption("keep");
  await expect.poll(() => frames(page)).toBe(whole);
});
