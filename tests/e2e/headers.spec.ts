// The headers of our own server (scripts/headers.mjs): they are sent, and every page works with them.
import { expect, test, type Page } from "./test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const PAGES = [
  "/",
  "/open.html",
  "/open",
  "/lscore.html",
  "/judge.html",
  "/inbetween.html",
  "/phases.html",
  "/bench.html",
  "/docs-example.html",
  "/docs/",
  "/docs/guide/stitch.html",
  "/docs/api/",
];

/** Collects uncaught errors, error messages of the console, and all messages about policies. */
function collectErrors(page: Page): string[] {
  const found: string[] = [];
  page.on("pageerror", (error) => found.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || /Permissions-Policy|Content Security Policy/.test(message.text()))
      found.push(message.text());
  });
  return found;
}

for (const path of PAGES) {
  test(`${path} works under its headers`, async ({ page }) => {
    const errors = collectErrors(page);
    const response = await page.goto(path);
    const headers = response?.headers() ?? {};
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(headers["content-security-policy"]).not.toMatch(/script-src[^;]*('unsafe-inline'|'unsafe-eval')/);
    expect(headers["cross-origin-opener-policy"]).toBe("same-origin");
    expect(headers["permissions-policy"]).toContain("camera=()");
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["referrer-policy"]).toBe("no-referrer");
    if (!path.startsWith("/docs/"))
      expect(headers["content-security-policy"]).toContain("require-trusted-types-for 'script'");
    await expect(page.locator("h1, kinestitch-player").first()).toBeVisible();
    await page.waitForLoadState("networkidle");
    expect(errors).toEqual([]);
  });
}

test("a page refuses text that is assigned as markup", async ({ page }) => {
  await page.goto("/");
  await expect(page.locator("main.stage")).toBeVisible();
  const error = await page.evaluate(() => {
    try {
      document.createElement("div").innerHTML = "<b>text</b>";
      return "";
    } catch (error) {
      return String(error);
    }
  });
  expect(error).toContain("TrustedHTML");
});

test("no page of another site can show this page in a frame", async ({ page, baseURL }) => {
  await page.route("http://other.example/", (route) =>
    route.fulfill({ contentType: "text/html", body: `<iframe src="${baseURL}/"></iframe>` }),
  );
  await page.goto("http://other.example/");
  await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/);
});

test("the built site contains a headers file for hosts that read one", async () => {
  const text = readFileSync(join(import.meta.dirname, "..", "..", "www", "dist", "_headers"), "utf8");
  for (const path of ["/*", "/open.html", "/open", "/docs/*"]) expect(text.split("\n")).toContain(path);
  expect(text).toContain("  Cross-Origin-Opener-Policy: same-origin");
});
