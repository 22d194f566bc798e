// Refinement by network: fetched on demand, compared with the motion before, and a fallback if it cannot be fetched.
import { expect, test, type Page } from "./test";
import {
  waitUntilSettled,
  openManualSettings,
  dropFixtures,
  frame,
  frames,
  hasNoRefiner,
  runOnCpu,
  open,
  pause,
} from "./page";

const refine = (page: Page) => page.getByRole("radio", { name: /Refined by network/ });
const inertialize = (page: Page) => page.getByRole("radio", { name: /Inertialization/ });
const automatic = (page: Page) => page.getByRole("radio", { name: /Automatic/ });
const chooseRefinement = async (page: Page): Promise<void> => {
  await openManualSettings(page);
  await refine(page).check();
};
const progress = (page: Page) =>
  page.locator(".by-hand .network").getByRole("progressbar", { name: "Fetching the network" });
const figures = (page: Page) => page.locator("#panel-seams .figures").first();
const heads = (page: Page) => figures(page).locator("thead th");

/** Returns the rows of the comparison in which the refined result is worse. */
const rowsThatAreWorse = (page: Page): Promise<string[]> =>
  page.locator("#panel-seams .figures tbody tr").evaluateAll((rows) =>
    rows.flatMap((row) => {
      const [before, after] = [...row.querySelectorAll("td")].map(({ textContent }) => {
        const [, number, unit] = /([\d.]+) (\S+)/.exec(textContent ?? "") ?? [];
        return Number(number) * (unit?.startsWith("km") ? 1000 : 1);
      });
      return after <= before ? [] : [row.textContent ?? ""];
    }),
  );

// All of these run the network, on machines that may be busy.
test.describe.configure({ timeout: 180_000 });
test.skip(hasNoRefiner, "models/ holds no weights of this layout");

/** Waits until the displayed result is refined. */
const waitUntilRefined = async (page: Page): Promise<void> => {
  await expect(page.getByRole("button", { name: /^After/ })).toHaveAttribute("aria-pressed", "true", {
    timeout: 40_000,
  });
  await expect(page.locator(".edited.refined").first()).toBeVisible();
};

/** Records the requests of the network's files. */
function recordFetches(page: Page): string[] {
  const seen: string[] = [];
  page.on("request", (request) => {
    if (/\.safetensors$|networks[^/]*\.(js|wasm)$/.test(request.url())) seen.push(request.url());
  });
  return seen;
}

/** Delays the download of the weights. Returns a function that ends the delay. */
async function delayWeights(page: Page): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/*.safetensors", async (route) => {
    await released;
    await route.continue().catch(() => undefined);
  });
  return release;
}

test.beforeEach(({ page }) => runOnCpu(page));

test("choosing the network fetches it with progress; seams, curves and timeline show its result", async ({ page }) => {
  const seen = recordFetches(page);
  await open(page);
  await dropFixtures(page, "ada-run", "ada-walk");
  await pause(page);
  expect(seen).toEqual([]);
  await expect(page.locator(".by-hand .network")).toContainText(/Downloaded once when you choose it: \d.* MB/);
  const whole = await frames(page);

  const release = await delayWeights(page);
  await chooseRefinement(page);
  await expect(progress(page)).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "network" })).toBeVisible();
  await expect(heads(page)).toHaveCount(0);
  release();
  await waitUntilRefined(page);
  expect(seen.some((url) => url.endsWith(".safetensors"))).toBe(true);
  await expect.poll(() => frames(page)).toBe(whole);

  await expect(heads(page)).toHaveText(["Inertialize", "Refined"]);
  await expect(figures(page).locator("tbody td").filter({ hasText: /\d/ })).toHaveCount(4);
  expect(await rowsThatAreWorse(page)).toEqual([]);
  await expect(page.locator("#panel-seams")).toContainText(/frames \d+ to \d+ changed by the network/);
  await expect(page.locator("#panel-seams")).toContainText(/the path of the network would drift by [\d.]+ cm/);
  await expect(page.locator(".curve-head")).toContainText("Changed by the network");
  await expect(page.locator(".curve-head")).toContainText("Inertialize");

  await page.locator(".network .small-print summary").click();
  await expect(page.locator(".network .small-print")).toContainText(/About the network: .*(any use|commercial)/);
  await expect(page.locator(".network .small-print .figures").first()).toContainText("Foot skate");
  await expect(page.locator("#network-device-used")).toContainText("Runs on the processor");
});

test("before and after are compared by button, by key, and side by side at the same frame", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await pause(page);
  await chooseRefinement(page);
  await waitUntilRefined(page);
  await page.getByRole("button", { name: "Go to seam 1" }).click();
  const seamFrame = Number(/frame (\d+)/.exec((await page.locator(".flag").getAttribute("title")) ?? "")?.[1]);
  await expect.poll(() => frame(page)).toBe(seamFrame);
  await page.getByRole("button", { name: /^Before/ }).click();
  await expect(page.locator(".edited.refined")).toHaveCount(0);
  await expect(page.locator(".edited")).toHaveCount(1);
  await waitUntilSettled(page);
  await expect.poll(() => frame(page)).toBe(seamFrame);
  await page.keyboard.press("x");
  await waitUntilRefined(page);
  await waitUntilSettled(page);
  await expect.poll(() => frame(page)).toBe(seamFrame);
  await page.keyboard.press("v");
  await expect(page.locator(".side-name")).toHaveText([/Before\s+Inertialization/, /After\s+Refined by network/]);
  await page.keyboard.press("r");
  await expect(inertialize(page)).toBeChecked();
  await page.keyboard.press("Control+z");
  await expect(refine(page)).toBeChecked();
});

test("a fetched network is cached: the next visit does not fetch it again", async ({ page }) => {
  await open(page);
  await chooseRefinement(page);
  await waitUntilRefined(page);
  const seen = recordFetches(page);
  await page.reload();
  await chooseRefinement(page);
  await waitUntilRefined(page);
  expect(seen.filter((url) => url.endsWith(".safetensors"))).toEqual([]);
  await dropFixtures(page, "ada-run", "ada-walk");
  await waitUntilRefined(page);
});

test("a download can be cancelled, and everything stays unchanged", async ({ page }) => {
  await open(page);
  const before = await figures(page).textContent();
  const release = await delayWeights(page);
  await chooseRefinement(page);
  await page.locator(".by-hand .network").getByRole("button", { name: "Cancel" }).click();
  await expect(automatic(page)).toBeChecked();
  await expect(progress(page)).toHaveCount(0);
  await expect(page.locator(".problem")).toHaveCount(0);
  await expect(figures(page)).toHaveText(before ?? "");
  release();
  await chooseRefinement(page);
  await waitUntilRefined(page);
});

test("damaged weights are reported, the clips are joined without the network, and the user tries again", async ({
  page,
}) => {
  await open(page);
  await page.route("**/*.safetensors", async (route) => {
    const response = await route.fetch();
    const body = await response.body();
    for (let i = 1000; i < 2000; i++) body[i] ^= 0x55;
    await route.fulfill({ response, body });
  });
  await chooseRefinement(page);
  const alert = page.locator(".by-hand .network").getByRole("alert");
  await expect(alert).toContainText(/weights/);
  await expect(alert).not.toContainText(/undefined|object|panic|unreachable/i);
  await expect(automatic(page)).toBeChecked();
  await expect(page.locator(".flag")).toHaveCount(2);
  await expect(page.locator(".edited")).toHaveCount(2);
  await page.unroute("**/*.safetensors");
  await alert.getByRole("button", { name: "Try again" }).click();
  await waitUntilRefined(page);
});

test("clips of other bodies than people are joined without the network", async ({ page }) => {
  await open(page);
  await chooseRefinement(page);
  await waitUntilRefined(page);
  await dropFixtures(page, "cleo-walk", "cleo-trot");
  await expect(page.locator(".by-hand .network")).toContainText("human bodies only");
  await expect(page.locator(".edited")).toHaveCount(1);
  await expect(page.locator(".edited.refined")).toHaveCount(0);
});
