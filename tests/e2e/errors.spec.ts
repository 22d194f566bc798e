// Invalid files: a readable error beside them, and everything else unchanged.
import { expect, test, type Page } from "./test";
import {
  blockNames,
  openManualSettings,
  drop,
  dropFixtures,
  fixture,
  frames,
  open,
  waitForResult,
  textOf,
} from "./page";

const card = (page: Page, name: string) => page.locator(".card", { hasText: name });

test("invalid files stay listed with their error and its location; the others play", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-walk", "ada-run");
  await drop(page, [
    { name: "notes.bvh", text: "this is no motion\n" },
    { name: "empty.bvh", text: "" },
    { name: "cut.bvh", text: textOf("ada-jog").slice(0, 900) },
    { name: "skeleton.bvh", text: textOf("ada-jog").replace(/Frames:[^]*$/, "Frames: 0\nFrame Time: 0.033\n") },
  ]);
  for (const name of ["notes", "empty", "cut", "skeleton"]) {
    await expect(card(page, name).getByRole("alert")).toBeVisible();
    await expect(card(page, name).getByRole("alert")).not.toContainText(/undefined|object|panic|unreachable/i);
  }
  await expect(card(page, "notes").getByRole("alert")).toContainText(/line 1/i);
  await waitForResult(page, 1);
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "ada-walk"]);

  // Replacing the file, and removing it; both can be undone.
  await card(page, "notes").locator("input[type=file]").setInputFiles(fixture("ada-turn"));
  await waitForResult(page, 2);
  await card(page, "empty").getByRole("button", { name: "Remove", exact: true }).click();
  await expect(card(page, "empty")).toHaveCount(0);
  await page.keyboard.press("Control+z");
  await expect(card(page, "empty")).toHaveCount(1);
});

test("reading can be cancelled and started again", async ({ page }) => {
  await page.route("**/*.wasm", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 2500));
    await route.continue();
  });
  await page.goto("/");
  await expect(page.getByRole("progressbar").first()).toBeVisible();
  await card(page, "Ada walks").getByRole("button", { name: "Cancel" }).click();
  await expect(card(page, "Ada walks").getByRole("alert")).toContainText("cancelled");
  await waitForResult(page, 1);
  await card(page, "Ada walks").getByRole("button", { name: "Read the file" }).click();
  await waitForResult(page, 2);
});

test("a clip that is too short is left out and reported; the others are stitched", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-walk", "ada-run");
  const [head = "", rows = ""] = textOf("ada-jog").split(/(?<=Frame Time:.*\n)/);
  await drop(page, [
    {
      name: "six.bvh",
      text: `${head.replace(/Frames:\s*\d+/, "Frames: 6") + rows.split("\n").slice(0, 6).join("\n")}\n`,
    },
  ]);
  await expect(card(page, "six").getByRole("alert")).toContainText("Too short");
  await waitForResult(page, 1);
  const whole = await frames(page);
  await openManualSettings(page);
  await page.getByRole("radio", { name: /Crossfade/ }).check();
  await waitForResult(page, 1);
  // A crossfade overlaps the two long clips by 20 frames; the short clip adds none.
  await expect.poll(() => frames(page)).toBe(whole - 20);
  await page.getByRole("button", { name: "Remove ada-walk" }).click();
  await page.getByRole("button", { name: "Remove ada-run" }).click();
  // A single clip is shown unchanged.
  await expect.poll(() => frames(page)).toBe(6);
});

test("the page works in a browser with an invalid language", async ({ page }) => {
  await page.addInitScript(() =>
    Object.defineProperty(Navigator.prototype, "language", { get: () => "C", configurable: true }),
  );
  await open(page);
  await expect(page.locator(".plot canvas")).toHaveCount(2);
});
