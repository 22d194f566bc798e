// Editing on the timeline, by pointer and by keyboard, and undo.
import { expect, test } from "./test";
import {
  blockNames,
  blockOf,
  dropFixtures,
  frames,
  open,
  pause,
  waitForResult,
  waitUntilSettled,
  trimEnd,
  trimStart,
} from "./page";

test.beforeEach(async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "ada-walk");
  await pause(page);
});

test("drag an end to trim, drag a clip to reorder, undo and redo both", async ({ page }) => {
  const whole = await frames(page);
  const end = await trimEnd(page, "ada-run").boundingBox();
  if (!end) throw new Error("no handle");
  await page.mouse.move(end.x + end.width / 2, end.y + end.height / 2);
  await page.mouse.down();
  await page.mouse.move(end.x - 100, end.y + end.height / 2, { steps: 5 });
  await page.mouse.up();
  await expect.poll(() => frames(page)).toBeLessThan(whole - 10);
  // The result of an earlier step of the drag may be shown.
  await waitUntilSettled(page);
  const trimmed = Number(await trimEnd(page, "ada-run").getAttribute("aria-valuenow"));

  const second = await blockOf(page, "ada-walk").boundingBox();
  const first = await blockOf(page, "ada-run").boundingBox();
  if (!second || !first) throw new Error("no blocks");
  await page.mouse.move(second.x + second.width / 2, second.y + second.height / 2);
  await page.mouse.down();
  await page.mouse.move(first.x + 5, first.y + 10, { steps: 8 });
  await page.mouse.up();
  await expect.poll(() => blockNames(page)).toEqual(["ada-walk", "ada-run"]);

  await page.keyboard.press("Control+z");
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "ada-walk"]);
  await page.keyboard.press("Control+z");
  await expect.poll(() => frames(page)).toBe(whole);
  await page.keyboard.press("Control+Shift+z");
  await expect(trimEnd(page, "ada-run")).toHaveAttribute("aria-valuenow", String(trimmed));
  await page.keyboard.press("Control+Shift+z");
  await expect.poll(() => blockNames(page)).toEqual(["ada-walk", "ada-run"]);
});

test("trim, reorder, duplicate and remove by keys, and undo", async ({ page }) => {
  const start = trimStart(page, "ada-walk");
  await start.focus();
  await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(start).toHaveAttribute("aria-valuenow", "12");
  await page.keyboard.press("Alt+ArrowLeft");
  await expect.poll(() => blockNames(page)).toEqual(["ada-walk", "ada-run"]);
  await page.keyboard.press("Shift+d");
  await waitForResult(page, 2);
  await page.keyboard.press("Delete");
  await waitForResult(page, 1);
  await expect.poll(() => blockNames(page)).toEqual(["ada-walk", "ada-run"]);
  await page.getByRole("slider", { name: "Playhead" }).focus();
  await page.keyboard.press("Home");
  for (let i = 0; i < 2; i++) await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.press("ArrowDown"); // selects the first clip
  await page.keyboard.press("i");
  // The playhead is 20 frames after the start of the trimmed clip.
  await expect(start).toHaveAttribute("aria-valuenow", "32");

  await page.keyboard.press("Control+z");
  await expect(start).toHaveAttribute("aria-valuenow", "12");
  await page.keyboard.press("Control+z");
  await expect.poll(() => blockNames(page)).toEqual(["ada-walk", "ada-walk", "ada-run"]);
  await page.keyboard.press("Control+z");
  await expect.poll(() => blockNames(page)).toEqual(["ada-walk", "ada-run"]);
  await page.keyboard.press("Control+z");
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "ada-walk"]);
  await expect(start).toHaveAttribute("aria-valuenow", "12");
  // This test's first two key presses are one undo step if less than a second lay between them (www/core/history.ts),
  // else two: then the loop undoes twice.
  await expect(async () => {
    await page.keyboard.press("Control+z");
    await expect(start).toHaveAttribute("aria-valuenow", "1", { timeout: 2_000 });
  }).toPass();
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "ada-walk"]);
});

test("trims are entered as numbers, and reset to the whole clip", async ({ page }) => {
  const card = page.locator(".card", { hasText: "ada-walk" }).first();
  await card.getByLabel("Last frame used").fill("60");
  await page.keyboard.press("Enter");
  await expect(trimEnd(page, "ada-walk")).toHaveAttribute("aria-valuenow", "60");
  await card.getByLabel("First frame used").fill("58");
  await page.keyboard.press("Enter");
  // A clip keeps at least the ten frames that stitching needs.
  await expect(card.getByLabel("First frame used")).toHaveValue("51");
  await card.getByRole("button", { name: "Whole clip" }).click();
  await expect(trimStart(page, "ada-walk")).toHaveAttribute("aria-valuenow", "1");
  const end = trimEnd(page, "ada-walk");
  await expect(end).toHaveAttribute("aria-valuenow", String(await end.getAttribute("aria-valuemax")));
});

test("undo restores a removed clip; an empty timeline tells the user what to do", async ({ page }) => {
  await page.getByRole("button", { name: "Remove ada-run" }).click();
  await waitForResult(page, 0);
  await page.getByRole("button", { name: "Remove ada-walk" }).click();
  await expect(page.getByText("Drop two or more motion files here")).toBeVisible();
  await page.getByRole("button", { name: /^Undo/ }).click();
  await page.getByRole("button", { name: /^Undo/ }).click();
  await waitForResult(page, 1);
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "ada-walk"]);
});
