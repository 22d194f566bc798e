// The documentation site: links, search, recipes, accessibility and narrow screens.
import { axeOf, expect, test, type Page } from "./test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const dist = join(import.meta.dirname, "..", "..", "www", "dist");
const pages = readdirSync(join(dist, "docs"), { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".html") && path !== "404.html");
const recipes = pages.filter((path) => /^recipes\/(?!index)/.test(path));

/** Collects uncaught errors, error messages of the console, and all messages about the Content Security Policy. */
function collectErrors(page: Page): string[] {
  const found: string[] = [];
  page.on("pageerror", (error) => found.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || /Content Security Policy/.test(message.text())) found.push(message.text());
  });
  return found;
}

test("no page has a dead link within the site, and every page is linked", () => {
  expect(pages.length).toBeGreaterThan(50);
  const ids = new Map<string, Set<string>>();
  const idsOf = (file: string): Set<string> => {
    const known = ids.get(file);
    if (known) return known;
    const found = new Set(
      [...readFileSync(file, "utf8").matchAll(/\s(?:id|name)="([^"]*)"/g)].map(([, id]) => id ?? ""),
    );
    ids.set(file, found);
    return found;
  };
  const dead: string[] = [];
  const linked = new Set<string>();
  for (const path of pages) {
    const text = readFileSync(join(dist, "docs", path), "utf8");
    for (const [, link] of text.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      const url = new URL((link ?? "").replaceAll("&amp;", "&"), `http://site/docs/${path}`);
      if (url.host !== "site" || !url.protocol.startsWith("http")) continue;
      let file = join(dist, decodeURIComponent(url.pathname));
      if (existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
      const anchor = decodeURIComponent(url.hash.slice(1));
      linked.add(file);
      if (!existsSync(file)) dead.push(`${path}: ${link}`);
      else if (anchor && file.endsWith(".html") && !idsOf(file).has(anchor))
        dead.push(`${path}: ${link} (no such anchor)`);
    }
  }
  expect(dead).toEqual([]);
  expect(pages.filter((path) => !linked.has(join(dist, "docs", path)))).toEqual([]);
});

test("a search for 'stitch' finds the guide and the API reference", async ({ page }) => {
  const errors = collectErrors(page);
  await page.goto("/docs/");
  await page.getByRole("button", { name: "Search" }).first().click();
  await page.locator("#localsearch-input").fill("stitch");
  const results = page.locator("#localsearch-list a");
  await expect(results.first()).toBeVisible();
  const hrefs = () => results.evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? "").join("\n"));
  await expect.poll(hrefs).toContain("/guide/stitch");
  await expect.poll(hrefs).toContain("/api/");
  await results.first().click();
  await expect(page.locator("main h1").first()).toBeVisible();
  expect(errors).toEqual([]);
});

for (const path of recipes) {
  test(`${path}: the recipe runs and shows its result`, async ({ page }) => {
    const errors = collectErrors(page);
    await page.goto(`/docs/${path}`);
    await page.getByRole("button", { name: "Run" }).click();
    await expect(page.getByRole("status").filter({ hasText: "Done in" })).toBeVisible({ timeout: 120_000 });
    await expect(page.locator(".recipe img, .recipe kinestitch-player canvas").first()).toBeVisible();
    expect(errors).toEqual([]);
  });
}

test("a running recipe can be cancelled", async ({ page }) => {
  await page.goto("/docs/recipes/progress.html");
  // The requests for WebAssembly are never answered, so the recipe cannot finish before it is cancelled.
  await page.route("**/*.wasm", () => {});
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Cancelled." })).toBeVisible();
});

/** One page of each kind. */
const samplePages = [
  "index.html",
  "guide/stitch.html",
  "recipes/stitch.html",
  "architecture.html",
  "results/stitch.html",
  "api/kinestitch/functions/stitch.html",
];
for (const scheme of ["light", "dark"] as const) {
  test(`axe-core finds no serious violation on sample pages, ${scheme}`, async ({ browser, baseURL }) => {
    const context = await browser.newContext({ baseURL, colorScheme: scheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    for (const path of samplePages) {
      await page.goto(`/docs/${path}`);
      await expect(page.locator("h1").first()).toBeVisible();
      // Only colours differ between the themes.
      const axe = scheme === "light" ? axeOf(page) : axeOf(page).withRules(["color-contrast"]);
      const { violations } = await axe.analyze();
      const seriousViolations = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      expect(
        seriousViolations.map(
          ({ id, nodes }) => `${path}: ${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`,
        ),
      ).toEqual([]);
    }
    await context.close();
  });
}

test("sample pages are not wider than a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const path of samplePages) {
    await page.goto(`/docs/${path}`);
    await expect(page.locator("h1").first()).toBeVisible();
    // Scripts, fonts and players that load after the text can make the page wider.
    await page.waitForLoadState("networkidle");
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(390);
  }
});

test("the demo and the documentation link to each other", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("link", { name: "Documentation" }).click();
  await expect(page).toHaveURL(/\/docs\/$/);
  await page.getByRole("link", { name: "Demo" }).first().click();
  await expect(page.locator("main.stage")).toBeVisible();
});
