// First load: the demo plays, no request leaves the origin, the policy is strict, the main thread stays responsive.
import { expect, type Page, test } from "@playwright/test";
import { dropFixtures, exportFile, frame, open } from "./page";

// These tests watch motions that play by themselves; playwright.config.mjs switches that off.
test.use({ contextOptions: { reducedMotion: "no-preference" } });

interface Load {
  url: string;
  body: Buffer;
}

/** Collects the files that the page loads from now on. */
function collectLoads(page: Page): Promise<Load>[] {
  const loads: Promise<Load>[] = [];
  page.on("response", (response) => {
    const url = response.url();
    const load = response.body().then(
      (body) => ({ url, body }),
      () => ({ url, body: Buffer.alloc(0) }),
    );
    if (response.ok()) loads.push(load);
  });
  return loads;
}

/** Returns the compressed sizes of the files that the page requested before it set a performance mark. The worker, which
 * the page starts after these marks, requests the wasm module and its own scripts. */
async function sizesBefore(
  page: Page,
  loads: readonly Promise<Load>[],
  mark: string,
): Promise<{ url: string; size: number }[]> {
  const urls = await page.evaluate((name) => {
    const [{ startTime: drawn }] = performance.getEntriesByName(name);
    const resources = performance.getEntriesByType("resource").filter(({ startTime }) => startTime <= drawn);
    return [location.href, ...resources.map(({ name }) => name)].map((url) => url.split("#")[0]);
  }, mark);
  const { gzipSync } = await import("node:zlib");
  const early = (await Promise.all(loads)).filter(({ url }) => urls.includes(url.split("#")[0]));
  // Level 9, as servers use it: files are a tenth larger with Node's default, level 6.
  return early.map(({ url, body }) => ({ url, size: gzipSync(body, { level: 9 }).length }));
}

test("the demo plays when the page opens, and no request goes to another origin", async ({ page, baseURL }) => {
  const foreignRequests: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(`${baseURL}/`) && !/^(blob|data):/.test(request.url()))
      foreignRequests.push(request.url());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  await open(page);
  await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
  const before = await frame(page);
  await expect.poll(() => frame(page)).not.toBe(before);
  await expect(page.locator("canvas").first()).toBeVisible();
  await expect(page.getByText("Nothing is uploaded")).toBeVisible();
  await page.goto("/docs-example.html");
  await expect(page.locator("kinestitch-player").first()).toBeVisible();
  await page.waitForLoadState("networkidle");
  expect(foreignRequests).toEqual([]);
  expect(errors).toEqual([]);
});

test("the open page works offline", async ({ page, context }) => {
  await open(page);
  await context.setOffline(true);
  await dropFixtures(page, "ada-run", "bo-walk");
  const { bytes } = await exportFile(page, () => page.keyboard.press("Control+s"));
  expect(bytes.toString("utf8", 0, 9)).toBe("HIERARCHY");
});

test("pages have the strict policy, as a header and in their HTML", async ({ page }) => {
  for (const path of ["/", "/docs-example.html", "/lscore.html", "/bench.html"]) {
    const response = await page.goto(path);
    const inPage = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute("content");
    for (const policy of [response?.headers()["content-security-policy"] ?? "", inPage ?? ""]) {
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("connect-src 'self'");
      expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|https?:|\*/);
    }
  }
});

test("the demo moves before the wasm module arrives, from at most 300 KB, and the page says when editing begins", async ({
  page,
}) => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\.wasm$/, async (route) => {
    await held;
    await route.continue();
  });
  const loads = collectLoads(page);
  await page.goto("/");
  const message = page.getByText("Editing begins when it is here.");
  await expect(message).toBeVisible();
  // The 3D view has replaced the 2D canvas.
  await expect(page.getByRole("img", { name: "The motion as a moving figure" })).toBeVisible();
  const before = await frame(page);
  await expect.poll(() => frame(page)).not.toBe(before);
  const files = await sizesBefore(page, loads, "kinestitch-view-drawn");
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  console.log(`until the figure moves: ${(bytes / 1000).toFixed(0)} KB compressed, in ${files.length} files`);
  expect(bytes).toBeLessThan(300_000);
  release();
  await expect(message).toBeHidden();
  await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
});

test("the demo moves on the 2D canvas after 150 KB compressed", async ({ page }) => {
  const loads = collectLoads(page);
  await open(page);
  const files = await sizesBefore(page, loads, "kinestitch-drawn");
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  console.log(`until the first drawing: ${(bytes / 1000).toFixed(0)} KB compressed, in ${files.length} files`);
  expect(bytes).toBeLessThan(150_000);
});

test("with reduced motion, the demo and the user's files are paused", async ({ browser, baseURL }) => {
  const page = await browser.newPage({ reducedMotion: "reduce", baseURL });
  await open(page);
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await dropFixtures(page, "ada-run", "bo-walk");
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await page.close();
});
