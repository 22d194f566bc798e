// The bone mapping: shown as detected, corrected, undone.
import { expect, test } from "./test";
import { dropFixtures, open, waitForResult } from "./page";

test("the automatic mapping is shown and can be corrected", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-walk", "bo-jog");
  const panel = page.locator("#panel-mapping");
  await expect(panel.locator(".note")).toHaveText("22 of 22");
  const hand = panel.getByLabel("Hand").first();
  const found = await hand.inputValue();
  expect(found).not.toBe("");

  await hand.selectOption({ label: "not mapped" });
  await expect(panel.locator(".note")).toHaveText("21 of 22");
  await waitForResult(page, 1);
  await panel.getByRole("button", { name: "Restore the inferred mapping" }).click();
  await expect(hand).toHaveValue(found);

  await panel.getByLabel("Clip").selectOption({ label: "bo-jog" });
  // The panel shows the other skeleton a frame later.
  await expect(panel.getByLabel("Hips").locator("option:checked")).toHaveText("pelvis");
  await hand.selectOption({ index: 3 });
  await expect(panel.locator(".map-row.edited")).toHaveCount(1);
  await page.keyboard.press("Control+z");
  await expect(panel.locator(".map-row.edited")).toHaveCount(0);
});
