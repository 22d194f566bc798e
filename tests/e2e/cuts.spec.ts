// Where to cut: the map of cuts, choosing a cut, the best cuts; stitching at the best cut; the page that explains it.
import { expect, test } from "./test";
import { openManualSettings, dropFixtures, frames, open, pause } from "./page";

test.describe("the map of cuts", () => {
  test.beforeEach(async ({ page }) => {
    await open(page);
    await dropFixtures(page, "ada-walk", "ada-jog");
    await pause(page);
    await page.getByRole("button", { name: "Where to cut" }).click();
    await expect(page.locator(".best-cut")).toHaveCount(5);
  });

  test("pointing at the map describes the cut, and a click applies and plays it", async ({ page }) => {
    const map = page.getByRole("application", { name: /Map of cuts/ });
    const box = await map.boundingBox();
    if (!box) throw new Error("no map");
    const whole = await frames(page);
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.7);
    await expect(page.locator("#cut-facts")).toContainText("Cut at cursor");
    await page.mouse.click(box.x + box.width * 0.3, box.y + box.height * 0.7);
    await expect.poll(() => frames(page)).toBeLessThan(whole - 20);
    await expect(page.getByRole("radio", { name: /L-score transition/ })).toBeChecked();
    await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
    await expect(page.locator("#panel-seams")).toContainText(/Cut from \d+ to \d+ with \d+ frames? between/);
    await page.keyboard.press("Control+z");
    await expect.poll(() => frames(page)).toBe(whole);
  });

  test("keys move on the map, and buttons choose the best cuts", async ({ page }) => {
    const map = page.getByRole("application", { name: /Map of cuts/ });
    const facts = page.locator("#cut-facts");
    const last = Number((await facts.textContent())?.match(/(\d+) → 1\b/)?.[1]);
    await map.focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press("Shift+ArrowUp");
    await page.keyboard.press("ArrowRight");
    await expect(facts).toContainText(`${last - 30} → 2`);
    await page.keyboard.press("Enter");
    await expect(page.locator("#panel-seams")).toContainText(`Cut from ${last - 30} to 2`);
    const best = page.locator(".best-cut").first();
    const [, from, to] =
      ((await best.getAttribute("aria-label")) ?? "").match(/at frame (\d+), land on frame (\d+)/) ?? [];
    await best.click();
    await expect(page.locator("#panel-seams")).toContainText(`Cut from ${from} to ${to}`);
  });

  test("on request, stitching chooses the best cuts", async ({ page }) => {
    const whole = await frames(page);
    await openManualSettings(page);
    await page.getByRole("radio", { name: /Inertialization/ }).check();
    await page.getByLabel("Clips meet", { exact: true }).selectOption("best");
    await expect(page.locator("#panel-seams")).toContainText(/Cut from \d+ to \d+; L-score/);
    await expect.poll(() => frames(page)).toBeLessThan(whole);
  });
});

test("the story shows the paper's three circles and their injected frames", async ({ page }) => {
  await page.goto("/lscore.html");
  await expect(page.locator("#forward")).toContainText("1.446");
  await expect(page.locator("#forward")).toContainText("3 frames");
  await expect(page.locator("#backward")).toContainText("2.157");
  await expect(page.locator("#backward")).toContainText("10 frames");
  await page.getByRole("slider", { name: "Frames to inject" }).fill("7");
  await expect(page.locator("#forward")).toContainText("7 frames");
  await page.getByRole("button", { name: "Show the best number" }).click();
  await expect(page.locator("#forward")).toContainText("3 frames");
});
