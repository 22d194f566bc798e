// The player element, on the page of examples.
import { expect, test, type Locator, type Page } from "@playwright/test";
import { character, glbOf } from "../../pkg/test/rigs.mjs";

// These tests watch motions that play by themselves; playwright.config.mjs switches that off.
test.use({ contextOptions: { reducedMotion: "no-preference" } });

const player = (page: Page, index: number) => page.locator("kinestitch-player").nth(index);
const frameOf = (page: Page, index: number) =>
  player(page, index).evaluate((element) => (element as HTMLElement & { frame: number }).frame);

/** Pauses the first player, and waits until its last frame is drawn. Returns the picture. */
async function pausedPicture(page: Page, figure: Locator): Promise<Buffer> {
  await player(page, 0).evaluate((element) => (element as HTMLElement & { pause(): void }).pause());
  let picture = await figure.screenshot();
  const isStill = async (): Promise<boolean> => {
    const previous = picture;
    picture = await figure.screenshot();
    return picture.equals(previous);
  };
  await expect.poll(isStill).toBe(true);
  return picture;
}

test("players play, load when visible, share one worker, and respond to keys", async ({ page }) => {
  await page.setViewportSize({ width: 900, height: 420 });
  const motions: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith(".bvh")) motions.push(request.url().split("/").pop() ?? "");
  });
  await page.goto("/docs-example.html");
  await expect(player(page, 0).locator("canvas")).toBeVisible();
  await expect.poll(() => frameOf(page, 0)).toBeGreaterThan(0);
  expect(motions).toEqual(["ada-walk.bvh"]);

  await player(page, 2).scrollIntoViewIfNeeded();
  await expect(player(page, 2).locator("canvas")).toBeVisible();
  expect(motions.sort()).toEqual(["ada-run.bvh", "ada-walk.bvh", "bo-turn.bvh"]);
  expect(page.workers()).toHaveLength(1);

  // The third does not start by itself; its button and keys work.
  const play = player(page, 2).getByRole("button", { name: "Play" });
  await expect(play).toBeEnabled();
  const figure = player(page, 2).locator("canvas");
  await figure.focus();
  await page.keyboard.press(".");
  await expect.poll(() => frameOf(page, 2)).toBe(1);
  await page.keyboard.press("Space");
  const pauseButton = player(page, 2).getByRole("button", { name: "Pause" });
  await expect(pauseButton).toBeVisible();
  // A key that steps pauses too, with the event.
  await player(page, 2).evaluate((element) =>
    element.addEventListener("pause", () => (element.dataset["pauses"] = "1"), { once: true }),
  );
  await page.keyboard.press(",");
  await expect(player(page, 2)).toHaveAttribute("data-pauses", "1");
  await page.keyboard.press("Space");
  await expect(pauseButton).toBeVisible();
  await player(page, 2).getByRole("slider", { name: "Frame" }).fill("30");
  await expect.poll(() => frameOf(page, 2)).toBe(30);
});

test("changes of view and label apply to a player that shows a motion", async ({ page }) => {
  await page.goto("/docs-example.html");
  const figure = player(page, 0).locator("canvas");
  await expect(figure).toBeVisible();
  await expect.poll(() => frameOf(page, 0)).toBeGreaterThan(0);
  const before = await pausedPicture(page, figure);
  await player(page, 0).evaluate((element) => {
    element.setAttribute("view", "top");
    element.setAttribute("label", "A walk from above");
  });
  for (const labelled of [player(page, 0), figure])
    await expect(labelled).toHaveAttribute("aria-label", "A walk from above");
  await expect.poll(async () => (await figure.screenshot()).equals(before)).toBe(false);
});

test("a paused player is drawn again when its lost WebGL context is restored", async ({ page }) => {
  await page.goto("/docs-example.html");
  const figure = player(page, 0).locator("canvas");
  await expect(figure).toBeVisible();
  await expect.poll(() => frameOf(page, 0)).toBeGreaterThan(0);
  const before = await pausedPicture(page, figure);
  const loss = await figure.evaluateHandle(async (canvas: HTMLCanvasElement) => {
    const extension = canvas.getContext("webgl2")?.getExtension("WEBGL_lose_context");
    const isLost = new Promise((lost) => canvas.addEventListener("webglcontextlost", lost, { once: true }));
    extension?.loseContext();
    await isLost;
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    return extension;
  });
  await expect.poll(async () => (await figure.screenshot()).equals(before)).toBe(false);
  await loss.evaluate((extension) => extension?.restoreContext());
  await expect.poll(async () => (await figure.screenshot()).equals(before)).toBe(true);
});

test("a file that cannot be shown is reported", async ({ page }) => {
  await page.goto("/docs-example.html");
  await player(page, 0).evaluate((element) => element.setAttribute("src", "nowhere.bvh"));
  await expect(player(page, 0).getByRole("status")).toContainText("cannot be shown");
});

test("a player shows a character, and fetches the code for it only then", async ({ page }) => {
  await page.route("**/hero.glb", async (route) =>
    route.fulfill({ body: Buffer.from(await glbOf(character("vrm").model)), contentType: "model/gltf-binary" }),
  );
  const wasm: string[] = [];
  page.on("request", (request) => void (request.url().endsWith(".wasm") && wasm.push(request.url())));
  await page.goto("/docs-example.html");
  await expect(player(page, 0).locator("canvas")).toBeVisible();
  await expect.poll(() => frameOf(page, 0)).toBeGreaterThan(0);
  const initialCount = wasm.length;
  await player(page, 0).evaluate((element) => {
    (element as HTMLElement & { pause(): void }).pause();
    element.dataset["loads"] = "0";
    element.addEventListener("load", () => (element.dataset["loads"] = "1"));
  });
  await player(page, 0).evaluate((element) => element.setAttribute("character", "hero.glb"));
  await expect(player(page, 0)).toHaveAttribute("data-loads", "1", { timeout: 30_000 });
  expect(wasm.length).toBe(initialCount + 1);
  await player(page, 0).evaluate((element) => element.setAttribute("character", "nowhere.glb"));
  await expect(player(page, 0).getByRole("status")).toContainText("cannot be shown");
});
