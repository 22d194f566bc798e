// The pages that explain in-betweening and the judge.
import { expect, test } from "./test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "models", "manifest.json"), "utf8"));

test("interpolation is shown first; after it is fetched, the network is nearer to the removed motion", async ({
  page,
}) => {
  test.skip(
    manifest.networks.every((network: { for: string }) => network.for !== "inbetween"),
    "models/ holds no network that fills gaps",
  );
  test.setTimeout(150_000);
  await page.goto("/inbetween.html");
  const lane = (kind: string) => page.locator(`.lane.${kind}`);
  const errorOf = async (kind: string): Promise<number> =>
    Number(/([\d.]+) cm/.exec((await lane(kind).locator("figcaption").textContent()) ?? "")?.[1]);
  await expect(lane("plain").locator("figcaption")).toContainText("cm");
  await expect(lane("network").locator("figcaption")).toContainText("not fetched");
  await page.getByRole("button", { name: /^Fetch the network/ }).click();
  await expect(lane("network").locator("figcaption")).toContainText("cm", { timeout: 60_000 });
  await expect.poll(async () => (await errorOf("network")) < (await errorOf("plain"))).toBe(true);
  await expect(page.locator("#changes-text")).toContainText(/largest change is in \w+, in frame \d+ of the gap: \d+°/);
  await expect(page.locator("#plot .curve")).toHaveCount(2, { timeout: 60_000 });
  // Both lanes end like the recording.
  const ends = await page
    .locator(".lane .row .known:last-child .left")
    .evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
  expect(new Set(ends).size).toBe(1);
  const before = await errorOf("plain");
  await page.getByRole("slider", { name: "Removed frames" }).fill("60");
  await expect.poll(() => errorOf("plain"), { timeout: 60_000 }).not.toBe(before);
});

test("the manifold network shows eight motions", async ({ page }) => {
  const isShipped = manifest.networks.some((network: { name: string }) => network.name === "manifold");
  test.setTimeout(150_000);
  await page.goto("/inbetween.html");
  const variants = page.locator(".lane.variants");
  if (!isShipped) return expect(variants).toBeHidden();
  await page.getByRole("button", { name: /^Fetch this network/ }).click();
  await expect(variants.locator("figcaption")).toContainText("cm from each other", { timeout: 60_000 });
  await expect(variants.locator(".figure")).toHaveCount(8);
  const figures = await variants
    .locator(".figure .trunk")
    .evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
  expect(new Set(figures).size).toBe(1); // in the first frame, which is known, all are equal
  // Sliders move the point on the manifold: the legs follow between the keys, which stay.
  const pushed = page.locator(".lane.pushed");
  const sliders = page.locator("#components").getByRole("slider");
  await expect(sliders).toHaveCount(3, { timeout: 60_000 });
  const caption = pushed.locator("figcaption span");
  await expect(caption).toHaveText(/^0\.0 cm on average/);
  const poses = (): Promise<(string | null)[]> =>
    pushed.locator(".row .left").evaluateAll((paths) => paths.map((path) => path.getAttribute("d")));
  const before = await poses();
  await sliders.first().fill("4");
  await expect(caption).toHaveText(/^(?!0\.0)[\d.]+ cm on average/, { timeout: 60_000 });
  const after = await poses();
  // Five poses of the unmodified motion, then five of the modified one.
  expect(before).toHaveLength(10);
  expect(before.slice(5)).toEqual(before.slice(0, 5));
  expect(after.slice(0, 6)).toEqual(before.slice(0, 6));
  expect(after.at(-1)).toBe(before.at(-1));
  expect(after[7]).not.toBe(before[7]);
});

test("the page about the judge lists joins in the order of their scores, and plots the curves of two", async ({
  page,
}) => {
  test.setTimeout(150_000);
  await page.goto("/judge.html");
  const joins = page.locator(".judged-trial");
  await expect(page.locator("#status")).toContainText(/\d+ joins in \d+ ms/, { timeout: 60_000 });
  const scores = (await joins.locator("b").allTextContents()).map(Number);
  expect(scores.length).toBeGreaterThan(5);
  expect(scores).toEqual(scores.toSorted((a, b) => a - b));
  await expect(page.locator("#plot .curve")).toHaveCount(2, { timeout: 60_000 });
  await joins.first().click();
  await expect(page.locator("#plot .curve")).toHaveCount(1);
  await expect(page.locator("#scores tbody tr")).not.toHaveCount(0);
  await page.locator("#pair").selectOption({ index: 1 });
  await expect
    .poll(async () => (await joins.locator("b").allTextContents()).join())
    .not.toBe(scores.map((score) => score.toFixed(2)).join());
});
