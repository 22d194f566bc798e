// "Automatic": the page opens with a plain blend, fetches the networks while idle, and improves the result in place.
import { expect, test, type Page } from "@playwright/test";
import { answered, dropFixtures, frames, noWeights, open } from "./page";

test.describe.configure({ timeout: 180_000 });

/** A first visit, with the page's default settings. */
test.use({ storageState: { cookies: [], origins: [] } });

const words = (page: Page) => page.locator(".way-words").first();
const ways = (page: Page) => page.locator(".ways").first().locator(".way");

/** Waits until the chosen ways are shown. */
async function improved(page: Page): Promise<void> {
  await expect(page.getByRole("button", { name: /^After/ })).toHaveAttribute("aria-pressed", "true");
  await expect(words(page)).toContainText(/Best of \d+ ways/);
  await answered(page);
}

test("the result improves in place; before and after; another way is taken, and undone", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("radio", { name: /Automatic/ })).toBeChecked();
  await improved(page);
  await expect(page.locator(".figures thead th").first()).toBeAttached();

  await expect(ways(page)).toHaveCount(6);
  await expect(ways(page).first()).toHaveAttribute("aria-pressed", "true");
  const chosen = await words(page).textContent();
  await ways(page).nth(2).hover();
  await expect(page.locator(".way-line").first()).toContainText(/Foot skate .* mm, peak jerk/);
  await ways(page).nth(2).click();
  await expect(words(page)).toContainText("Yours");
  expect(await words(page).textContent()).not.toBe(chosen);
  // The others stay available.
  await expect(ways(page)).toHaveCount(6);
  await answered(page);
  await page.keyboard.press("Control+z");
  await expect(words(page)).toHaveText(chosen ?? "");
  await page.keyboard.press("Control+Shift+z");
  await expect(words(page)).toContainText("Yours");
  await page.getByRole("button", { name: "Back to automatic" }).click();
  await expect(words(page)).toHaveText(chosen ?? "");

  await page.getByRole("button", { name: /^Before/ }).click();
  await expect(words(page)).toContainText("momentum blend");
});

test("everything by hand for one seam: new frames by a filler, and back", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-jog", "ada-walk");
  await improved(page);
  const before = await frames(page);
  await page.getByLabel("Set seam 1 by hand").click();
  const card = page.locator("#panel-seams .hand");
  await card.getByLabel("Clips meet").selectOption("keep");
  await card.getByLabel("Between them").selectOption("gap");
  await card.getByLabel("New frames").fill("40");
  await page.keyboard.press("Enter");
  await card.getByLabel("Made by").selectOption("hermite");
  await expect(words(page)).toContainText("Whole clips; 40 new frames between, by spline");
  await answered(page);
  expect(await frames(page)).toBeGreaterThan(before);
  await page.getByRole("button", { name: "Back to automatic" }).click();
  await expect.poll(() => frames(page)).toBe(before);
});

test("the moving figures move", async ({ page }) => {
  await open(page);
  await improved(page);
  const mini = page.locator(".mini").nth(1);
  await mini.scrollIntoViewIfNeeded();
  const picture = (): Promise<string> => mini.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  const first = await picture();
  await expect.poll(picture).not.toBe(first);
});

test("nothing is fetched unasked where data is saved, or the switch is off", async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, "connection", { value: { saveData: true } }));
  const fetched: string[] = [];
  page.on("request", (request) => {
    if (/judge|live_bg|safetensors/.test(request.url())) fetched.push(request.url());
  });
  await open(page);
  await page.waitForLoadState("networkidle");
  await answered(page);
  expect(fetched).toEqual([]);
  await page.getByRole("button", { name: "Improve the result" }).click();
  await improved(page);
  expect(fetched.some((url) => url.includes("judge"))).toBe(true);
});

test("networks join the ways when they are asked for", async ({ page }) => {
  test.skip(noWeights, "models/ holds no weights of this layout");
  await open(page);
  await improved(page);
  const [plain] = /\d+(?= ways)/.exec((await words(page).textContent()) ?? "") ?? [];
  await page.getByRole("button", { name: /Try networks, too \(\d/ }).click();
  await expect
    .poll(async () => Number(/\d+(?= ways)/.exec((await words(page).textContent()) ?? "")?.[0]))
    .toBeGreaterThan(Number(plain));
});
