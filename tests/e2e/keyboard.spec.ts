// Keyboard: playback, views, the dialog of keys; text fields handle keys themselves.
import { expect, test } from "./test";
import { frame, frames, open, pause } from "./page";

test("playback by keyboard: play, step and jump", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await open(page);
  await page.keyboard.press("Space");
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await page.keyboard.press("Home");
  await expect.poll(() => frame(page)).toBe(1);
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+ArrowRight");
  await expect.poll(() => frame(page)).toBe(12);
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => frame(page)).toBe(11);
  await page.keyboard.press("End");
  await expect.poll(() => frame(page)).toBe(await frames(page));
  await page.keyboard.press("n");
  const seam = await page.locator(".flag").first().getAttribute("title");
  await expect.poll(() => frame(page)).toBe(Number(/frame (\d+)/.exec(seam ?? "")?.[1]));
});

test("the dialog lists the keys and closes by a key; single keys can be switched off", async ({ page }) => {
  await open(page);
  await pause(page);
  const ghosts = page.getByRole("button", { name: "Ghosts" });
  await expect(ghosts).toHaveAttribute("aria-pressed", "true");
  for (const pressed of ["false", "true"]) {
    await page.keyboard.press("g");
    await expect(ghosts).toHaveAttribute("aria-pressed", pressed);
  }
  await page.keyboard.press("Home");
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keys" });
  await expect(dialog).toBeVisible();
  await expect(dialog.getByText("Play or pause")).toBeVisible();
  await dialog.getByRole("switch").click();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await page.keyboard.press("g");
  // Keys without a letter still run commands. When this one is shown, "g" would be shown too.
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => frame(page)).toBe(2);
  await expect(ghosts).toHaveAttribute("aria-pressed", "true");
});

test("typing a number in a field is not a command", async ({ page }) => {
  await open(page);
  await pause(page);
  const speed = page.locator(".speed-field select");
  const playhead = page.getByRole("slider", { name: "Playhead" });
  await page.keyboard.press(".");
  await expect(speed).toHaveValue("1.5");
  const field = page.locator("#frame");
  await field.selectText();
  await page.keyboard.type("19.6");
  await page.keyboard.press("Enter");
  // The playhead, because a focused field shows what was typed.
  await expect(playhead).toHaveAttribute("aria-valuenow", "20");
  await expect(speed).toHaveValue("1.5");
  await field.selectText();
  await page.keyboard.type("30");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Tab");
  await expect(playhead).toHaveAttribute("aria-valuenow", "31");
});

test("keys run commands while a radio button or a slider is focused, unless it uses them itself", async ({ page }) => {
  await open(page);
  await pause(page);
  const ghosts = page.getByRole("button", { name: "Ghosts" });
  for (const [selector, pressed] of [
    ["[name=compare]:checked", "false"],
    ["#max-cut", "true"],
  ]) {
    await page.locator(selector).focus();
    await page.keyboard.press("g");
    await expect(ghosts).toHaveAttribute("aria-pressed", pressed);
  }
  const maxCut = await page.locator("#max-cut").inputValue();
  await page.keyboard.press("ArrowLeft");
  await expect(page.locator("#max-cut")).not.toHaveValue(maxCut);
});
