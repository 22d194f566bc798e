// "Automatic": the page opens with a plain blend, fetches the networks while idle, and improves the result in place.
import { expect, test, type Page } from "./test";
import { waitUntilSettled, dropFixtures, frames, hasNoRefiner, open, waitForResult } from "./page";

// As on a first visit: the default storage state (playwright.config.mjs) switches off the automatic improvement.
test.use({ storageState: { cookies: [], origins: [] } });

const joinText = (page: Page) => page.locator(".trial-summary").first();
const joins = (page: Page) => page.locator(".join-trials").first().locator(".join-trial");

/** Waits until the automatically chosen joins are shown. */
async function waitForAutomaticJoins(page: Page): Promise<void> {
  await expect(page.getByRole("button", { name: /^After/ })).toHaveAttribute("aria-pressed", "true");
  await expect(joinText(page)).toContainText(/Best of \d+ joins/);
  await waitUntilSettled(page);
}

test("the result is improved in place and compared with the first one; another join is chosen, and undone", async ({
  page,
}) => {
  await open(page);
  await expect(page.getByRole("radio", { name: /Automatic/ })).toBeChecked();
  await waitForAutomaticJoins(page);
  await expect(page.locator(".figures thead th").first()).toBeAttached();

  await expect(joins(page)).toHaveCount(6);
  await expect(joins(page).first()).toHaveAttribute("aria-pressed", "true");
  const chosen = await joinText(page).textContent();
  const third = await joins(page).nth(2).getAttribute("title");
  await joins(page).nth(2).hover();
  await expect(page.locator(".trial-facts").first()).toContainText(/Foot skate .* mm, peak jerk/);
  await joins(page).nth(2).click();
  await expect(joinText(page)).toContainText(`${third}. Your choice`);
  // The other joins stay available.
  await expect(joins(page)).toHaveCount(6);
  await waitUntilSettled(page);
  await page.keyboard.press("Control+z");
  await expect(joinText(page)).toHaveText(chosen ?? "");
  await page.keyboard.press("Control+Shift+z");
  await expect(joinText(page)).toContainText("Your choice");
  await page.getByRole("button", { name: "Back to automatic" }).click();
  await expect(joinText(page)).toHaveText(chosen ?? "");

  await page.getByRole("button", { name: /^Before/ }).click();
  await expect(joinText(page)).toContainText("inertialization over");
  await expect(joins(page)).toHaveCount(0);
});

test("one seam is set manually to generated frames, and back to automatic", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-jog", "ada-walk");
  await waitForAutomaticJoins(page);
  const initialFrames = await frames(page);
  await page.getByLabel("Set seam 1 by hand").click();
  const card = page.locator("#panel-seams .hand");
  await card.getByLabel("Clips meet").selectOption("keep");
  await card.getByLabel("Between them").selectOption("gap");
  await card.getByLabel("New frames").fill("40");
  await page.keyboard.press("Enter");
  await card.getByLabel("Made by").selectOption("hermite");
  await expect(joinText(page)).toContainText("Whole clips; 40 new frames between, by spline");
  await waitUntilSettled(page);
  expect(await frames(page)).toBeGreaterThan(initialFrames);
  await page.getByRole("button", { name: "Back to automatic" }).click();
  await expect.poll(() => frames(page)).toBe(initialFrames);
});

test("the small figures of the joins are animated", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await open(page);
  await waitForAutomaticJoins(page);
  const mini = page.locator(".mini").nth(1);
  await mini.scrollIntoViewIfNeeded();
  const picture = (): Promise<string> => mini.evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  // Without animation there are at most two pictures: the empty canvas, and the figure.
  const pictures = new Set<string>();
  await expect.poll(async () => pictures.add(await picture()).size).toBeGreaterThan(2);
});

/** Waits until a download that "Automatic" makes while the page is idle would have begun, and checks that it has not. */
async function expectNoDownload(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await waitUntilSettled(page);
  // Idle callbacks run in the order in which they are requested. The page shows their effect in the next frame.
  await page.evaluate(
    () =>
      new Promise((drawn) =>
        requestIdleCallback(() => requestAnimationFrame(() => requestAnimationFrame(() => drawn(undefined)))),
      ),
  );
  // The button is absent during a download and afterwards.
  await expect(page.getByRole("button", { name: "Improve the result" })).toBeVisible();
}

/** Collects the requests for files of "Automatic". */
function collectRequests(page: Page): string[] {
  const fetched: string[] = [];
  page.on("request", (request) => {
    if (/judge|safetensors/.test(request.url())) fetched.push(request.url());
  });
  return fetched;
}

test("with automatic improvement switched off, nothing is fetched until it is switched on", async ({ page }) => {
  await page.addInitScript(() => (localStorage["kinestitch-settings"] ??= JSON.stringify({ improve: false })));
  const fetched = collectRequests(page);
  const improve = page.getByRole("switch", { name: /^Improve results automatically/ });
  const isOff = async (): Promise<void> => {
    await expectNoDownload(page);
    await expect(improve).not.toBeChecked();
    await expect(page.locator("footer")).toContainText("does not download anything by itself");
  };
  await open(page);
  await isOff();
  expect(fetched).toEqual([]);
  await improve.check();
  await waitForAutomaticJoins(page);
  expect(fetched.some((url) => url.includes("judge"))).toBe(true);
  // The setting is stored. The page now has the files in its cache, and does not use them either.
  await improve.uncheck();
  await page.reload();
  await waitForResult(page, 2);
  await isOff();
  await expect(joinText(page)).not.toContainText("Best of");
});

test("if the browser saves data, nothing is fetched before the user requests it", async ({ page }) => {
  await page.addInitScript(() => Object.defineProperty(navigator, "connection", { value: { saveData: true } }));
  const fetched = collectRequests(page);
  await open(page);
  await expectNoDownload(page);
  expect(fetched).toEqual([]);
  await page.getByRole("button", { name: "Improve the result" }).click();
  await waitForAutomaticJoins(page);
  expect(fetched.some((url) => url.includes("judge"))).toBe(true);
});

test("networks are tried after the user requests them", async ({ page }) => {
  test.skip(hasNoRefiner, "models/ holds no weights of this layout");
  await open(page);
  await waitForAutomaticJoins(page);
  const [joinCount] = /\d+(?= joins)/.exec((await joinText(page).textContent()) ?? "") ?? [];
  await page.getByRole("button", { name: /Also try networks \(\d/ }).click();
  await expect
    .poll(async () => Number(/\d+(?= joins)/.exec((await joinText(page).textContent()) ?? "")?.[0]))
    .toBeGreaterThan(Number(joinCount));
});
