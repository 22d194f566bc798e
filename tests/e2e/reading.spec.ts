// How a BVH file is read: the guesses under the clip's name, corrections, several bodies, contents that were left out.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "./test";
import { blockOf, drop, exportDialog, open, openExportDialog, waitUntilSettled } from "./page";

const cases = join(import.meta.dirname, "..", "fixtures", "cases");

test("the reading of a BVH file is shown with its reasons, and can be corrected", async ({ page }) => {
  await open(page);
  await drop(page, [{ name: "two-people.bvh", text: readFileSync(join(cases, "two-people.bvh"), "utf8") }]);
  await expect(blockOf(page, "two-people")).toBeVisible();
  await waitUntilSettled(page);
  const card = page.locator(".card", { hasText: "two-people" });
  await expect(card.locator(".facts")).toContainText("cm, Y up");
  await card.getByText("How the file is read").click();
  await expect(card.locator(".reading li").first()).toContainText("tip to tip");
  await card.getByText("Left out").click();
  await expect(card).toContainText("a second body", { ignoreCase: true });

  await card.getByLabel("Unit of two-people").selectOption("inch");
  await expect(card.locator(".facts")).toContainText("inch, Y up");
  await card.getByLabel("Unit of two-people").selectOption("");
  await expect(card.locator(".facts")).toContainText("cm, Y up");
  await card.getByLabel("Body of two-people").selectOption("P2_Hips");
  await expect(card).toContainText("P1_Hips");
});

test("the result can be exported as FBX", async ({ page }) => {
  await open(page);
  await openExportDialog(page);
  await exportDialog(page).getByLabel("Format").selectOption("fbx");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    exportDialog(page).getByRole("button", { name: "Export", exact: true }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/\.fbx$/);
  const bytes = readFileSync(await download.path());
  expect(bytes.subarray(0, 18).toString("latin1")).toBe("Kaydara FBX Binary");
});
