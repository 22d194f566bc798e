// Stitch: opened files become one motion, which is compared and exported.
import { expect, test } from "./test";
import { load } from "kinestitch";
import { defaultBlend } from "kinestitch/ui";
import {
  openManualSettings,
  dropFixtures,
  exportFile,
  frame,
  frames,
  open,
  pause,
  waitForResult,
  textOf,
} from "./page";

test("two dropped files become one motion, saved as BVH and GLB", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-walk", "ada-run");
  const shown = await frames(page);

  const bvh = await exportFile(page, () => page.getByRole("button", { name: "BVH", exact: true }).click());
  // Files that are dropped together are sorted by name.
  expect(bvh.name).toBe("ada-run+ada-walk.bvh");
  const reread = await load(bvh.bytes);
  const first = await load(textOf("ada-run"));
  expect(reread.frames).toBe(shown);
  expect(reread.info().joints.map((joint) => joint.name)).toEqual(first.info().joints.map((joint) => joint.name));

  const glb = await exportFile(page, () => page.keyboard.press("Control+Shift+S"));
  expect(glb.name).toMatch(/\.glb$/);
  expect(glb.bytes.toString("latin1", 0, 4)).toBe("glTF");
  expect(glb.bytes.readUInt32LE(8)).toBe(glb.bytes.length);
});

test("clips of different characters can be stitched", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-walk", "bo-jog");
  await expect(page.locator(".seam-number")).toHaveText(["1"]);
});

test("method and options change the result; two methods are shown side by side and plotted", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-jog", "ada-walk");
  const figures = page.locator("#panel-seams .figures").first();
  await waitForResult(page, 1);
  // A crossfade overlaps the clips' ends, so the result is shorter. The figures of the seam are not compared: those of
  // both methods may round to the same values.
  const before = await frames(page);
  await openManualSettings(page);
  await page.getByRole("radio", { name: /Crossfade/ }).check();
  await expect.poll(() => frames(page)).toBeLessThan(before);
  const edited = page.locator(".edited").first();
  const width = (await edited.boundingBox())?.width ?? 0;
  await page.getByLabel("Blend length in seconds").fill("1.33");
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await edited.boundingBox())?.width ?? 0).toBeGreaterThan(width * 1.3);

  await page.getByRole("radio", { name: "Side by side" }).check();
  await expect(page.locator(".side-name")).toHaveText([/A\s+Crossfade/, /B\s+Inertialization/]);
  await expect(figures.locator("thead th")).toHaveText([/A · Crossfade/, /B · Inertialize/]);
  await expect(page.locator(".plot canvas")).toHaveCount(2);
  await page.locator("canvas").first().focus();
  await page.keyboard.press("x");
  await expect(page.getByRole("button", { name: /^B\s/ })).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("x");
  await expect(page.getByRole("button", { name: /^A\s/ })).toHaveAttribute("aria-pressed", "true");
});

test("the blend length is disabled, with a reason, where no shown result depends on it", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-jog", "ada-walk");
  await openManualSettings(page);
  const lengths = [page.getByLabel("Blend length", { exact: true }), page.getByLabel("Blend length in seconds")];
  const note = page.locator("#blend-note");
  await page.getByRole("radio", { name: /Crossfade/ }).check();
  for (const length of lengths) await expect(length).toBeEnabled();
  await expect(note).toBeEmpty();
  await page.getByRole("radio", { name: /L-score transition/ }).check();
  for (const length of lengths) await expect(length).toBeDisabled();
  await expect(note).toHaveText('"L-score transition" has its own blend length.');
  // The compared result depends on it.
  await page.getByRole("radio", { name: "Side by side" }).check();
  await page.getByLabel("B is").selectOption({ label: "Crossfade" });
  for (const length of lengths) await expect(length).toBeEnabled();
  await expect(note).toHaveText('"L-score transition" has its own blend length; this one is for "Crossfade".');
});

test("a transition that is set by hand has the default blend length of the package", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-jog", "ada-walk");
  await page.getByLabel("Set seam 1 by hand").click();
  const card = page.locator("#panel-seams .hand");
  const transition = card.getByLabel("Between them");
  await transition.selectOption({ label: "L-score transition" });
  await expect(page.locator("#panel-seams .trial-summary")).toContainText("shortest smooth transition");
  await transition.selectOption({ label: "Crossfade" });
  await expect(card.getByLabel("Blend length")).toHaveValue(defaultBlend.toFixed(2));
  await expect(page.locator("#panel-seams .trial-summary")).toContainText(
    `crossfade over ${defaultBlend.toFixed(2)} s`,
  );
});

test("the playhead jumps to seams and loops around them", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "ada-walk");
  await pause(page);
  await page.getByRole("button", { name: "Go to seam 1" }).click();
  await expect.poll(() => frame(page)).toBeGreaterThan(10);
  // The page states the measured frames of a seam: a second on each side.
  const seamFrame = Number(/frame (\d+)/.exec((await page.locator(".flag").getAttribute("title")) ?? "")?.[1]);
  await expect(page.locator(".measured")).toHaveAttribute(
    "title",
    new RegExp(`frames ${seamFrame - 30} to ${seamFrame + 29}$`),
  );
  await expect(page.locator("#panel-seams")).toContainText(
    `Measured over frames ${seamFrame - 30} to ${seamFrame + 29}`,
  );
  await page.getByRole("button", { name: "Loop around seam 1" }).click();
  await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
  await expect(page.locator(".ruler .range")).toBeVisible();
  await page.getByRole("button", { name: "Stop looping the seam" }).click();
  await expect(page.locator(".ruler .range")).toHaveCount(0);
});
