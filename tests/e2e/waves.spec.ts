// The page that shows a motion as waves of the periodic autoencoder.
import { expect, test } from "./test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { drop, textOf } from "./page";

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "models", "manifest.json"), "utf8"));

test("ten waves of a walk: their hands turn during playback, and another motion has other waves", async ({ page }) => {
  test.skip(
    manifest.networks.every((network: { for: string }) => network.for !== "phases"),
    "models/ holds no periodic autoencoder",
  );
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("/phases.html");
  const hands = page.locator(".waves .hand");
  await expect(hands).toHaveCount(10, { timeout: 30_000 });
  const ends = (): Promise<(string | null)[]> =>
    hands.evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
  const moment = page.getByRole("slider", { name: "Seconds" });
  const shown = async (seconds: number): Promise<(string | null)[]> => {
    await moment.fill(String(seconds));
    return ends();
  };
  const [first, later] = [await shown(1), await shown(1.2)];
  expect(first.filter((end, index) => end !== later[index]).length).toBe(10);
  // A walk has a period of about a second.
  const hertz = async (): Promise<number> =>
    Math.max(...(await page.locator(".waves span").allTextContents()).map(parseFloat));
  await expect.poll(hertz).toBeGreaterThan(0.5);
  await expect(page.locator("#forwards")).toContainText("%");
  await drop(page, [{ name: "mine.bvh", text: textOf("bo-run") }]);
  await expect(page.locator("#status")).toHaveText("mine.bvh");
  await expect.poll(() => shown(1)).not.toEqual(first);
  await drop(page, [{ name: "broken.bvh", text: "no motion" }]);
  await expect(page.locator("#status")).toContainText("could not be shown");
  await page.getByRole("combobox", { name: "Motion" }).selectOption("jog");
  await expect(page.locator("#status")).toHaveText("");
  await page.getByRole("button", { name: "Play" }).click();
  await expect.poll(ends).not.toEqual(await ends());
});
