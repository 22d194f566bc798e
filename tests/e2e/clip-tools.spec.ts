// Mirror and Loop on a clip of the timeline, and undo.
import { expect, test } from "./test";
import { blockNames, dropFixtures, open, pause, waitForResult } from "./page";

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
