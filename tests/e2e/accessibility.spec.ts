// Accessibility by axe-core on every page, in both themes; no page wider than its window.
import { axeOf, expect, test } from "./test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { waitUntilSettled, openManualSettings, hasNoRefiner, runOnCpu, open, hasController } from "./page";

/** Every page of the site. */
const PAGES = readdirSync(join(import.meta.dirname, "..", "..", "www", "pages")).filter((name) =>
  name.endsWith(".html"),
);

test("axe-core finds nothing serious in both themes", async ({ page }) => {
  test.slow(); // axe-core checks every page, and the main page in several states
  const checkTheme = async (
    state: string,
    colorScheme: "light" | "dark",
    axe: ReturnType<typeof axeOf>,
  ): Promise<void> => {
    await page.emulateMedia({ colorScheme });
    const { violations } = await axe.analyze();
    const bad = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    const textOf = ({ id, nodes }: (typeof bad)[number]): string =>
      `${state}, ${colorScheme}: ${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`;
    expect(bad.map(textOf)).toEqual([]);
  };
  const check = async (state: string): Promise<void> => {
    await checkTheme(state, "light", axeOf(page));
    // Only colours differ between the themes.
    await checkTheme(state, "dark", axeOf(page).withRules(["color-contrast"]));
  };
  await runOnCpu(page);
  await open(page);
  await check("page");
  if (hasNoRefiner)
    test.info().annotations.push({ type: "skipped", description: "refined: models/ holds no weights of this layout" });
  else {
    await openManualSettings(page);
    await page.getByRole("radio", { name: /Refined by network/ }).check();
    await page.locator(".network .small-print summary").click();
    await expect(page.getByRole("button", { name: /^After/ })).toBeVisible();
    await check("refined");
  }
  await page.getByRole("button", { name: "Where to cut" }).click();
  await expect(page.locator(".best-cut").first()).toBeVisible();
  await check("cuts");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  await check("help");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "In-between" }).click();
  await expect(page.locator("#panel-gaps .figures")).toHaveCount(2);
  await page.locator("#panel-keys .card .name").nth(1).click();
  await check("in-between");
  if (hasController) {
    await page.getByRole("button", { name: "Control", exact: true }).click();
    await expect(page.getByRole("button", { name: "Record" })).toBeEnabled({ timeout: 60_000 });
    await check("control");
  }
  for (const name of PAGES.filter((name) => name !== "index.html")) {
    await page.goto(`/${name}`);
    if (name === "docs-example.html") await expect(page.locator("kinestitch-player canvas").first()).toBeVisible();
    if (name === "inbetween.html") await expect(page.locator(".lane.plain figcaption")).toContainText("cm");
    if (name === "lscore.html") await expect(page.locator("#forward")).toContainText("1.446");
    await check(name);
  }
});

test("no page is wider than its window", async ({ page }) => {
  test.slow(); // every page at three widths
  for (const name of [...PAGES, "index.html#inbetween", ...(hasController ? ["index.html#control"] : [])]) {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/${name}`);
    if (name === "index.html") await expect(page.locator(".flag")).toHaveCount(2);
    if (name === "index.html#inbetween") await expect(page.locator("#panel-gaps .figures")).toHaveCount(2);
    if (name.startsWith("index.html#")) await waitUntilSettled(page);
    // Story pages draw fetched data; waits until nothing is loading.
    await page.waitForLoadState("networkidle");
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      await expect
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: `${name} at ${width}` })
        .toBeLessThanOrEqual(width);
    }
  }
});

test("the theme can be switched and is stored", async ({ browser, baseURL }) => {
  const page = await browser.newPage({ baseURL, colorScheme: "light" });
  await open(page);
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole("button", { name: "Light or dark" }).click();
  await expect.poll(background).not.toBe(light);
  await page.reload();
  await expect(page.locator(".flag")).toHaveCount(2);
  await expect.poll(background).not.toBe(light);
  await page.close();
});

test("nothing in the panels is cut off at the edges", async ({ page }) => {
  for (const width of [1440, 1200, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await open(page);
    const cutOff = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>(".panel-body, .panel-body .card, .panel-body .button")]
        .filter((part) => part.scrollWidth > part.clientWidth + 1)
        .map((part) => `${part.className}: ${part.textContent?.slice(0, 40)}`),
    );
    expect(cutOff, `at ${width}`).toEqual([]);
    const panel = await page.locator("#panel-seams .panel-body").boundingBox();
    const box = await page.locator("#panel-seams .card").first().boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual((panel?.x ?? 0) + (panel?.width ?? 0));
  }
});
