// Mirror, Loop and Clean on a clip of the timeline, and undo.
import { expect, test } from "./test";
import { blockNames, drop, dropFixtures, open, pause, textOf, waitForResult } from "./page";

test.beforeEach(async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "ada-walk");
  await pause(page);
});

test("a clip is mirrored, and trimmed to a loop; undo restores the original clip", async ({ page }) => {
  const card = (name: string) => page.locator(".card").filter({ hasText: name }).first();
  await card("ada-run").getByRole("button", { name: "Mirror" }).click();
  await expect.poll(() => blockNames(page)).toEqual(["ada-run mirrored", "ada-walk"]);
  await waitForResult(page, 1);

  await card("ada-walk").getByRole("button", { name: "Loop", exact: true }).click();
  await expect.poll(() => blockNames(page)).toEqual(["ada-run mirrored", "ada-walk loop"]);
  await waitForResult(page, 1);

  await page.keyboard.press("Control+z");
  await expect.poll(() => blockNames(page)).toEqual(["ada-run mirrored", "ada-walk"]);
  await page.keyboard.press("Control+z");
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "ada-walk"]);
  await page.keyboard.press("Control+Shift+z");
  await expect.poll(() => blockNames(page)).toEqual(["ada-run mirrored", "ada-walk"]);
});

test("a noisy clip is cleaned, the changes are listed, and undo restores it", async ({ page }) => {
  const text = textOf("ada-walk");
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => line.startsWith("Frame Time")) + 1;
  const [x, ...rest] = (lines[first + 60] ?? "").trim().split(/\s+/);
  lines[first + 60] = [Number(x) + 40, ...rest].join(" ");
  await drop(page, [{ name: "spike.bvh", text: lines.join("\n") }]);
  await pause(page);
  await page.locator(".card").filter({ hasText: "spike" }).first().getByRole("button", { name: "Clean" }).click();
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "ada-walk", "spike cleaned"]);
  await expect(page.getByText(/spike of 40 cm filled/)).toBeVisible();
  await page.keyboard.press("Control+z");
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "ada-walk", "spike"]);
});
