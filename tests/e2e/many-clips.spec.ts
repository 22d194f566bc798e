// A document holds at most 500 clips. Dropping or storing 10,000 gives a message, and does not block the page.
import { expect, test } from "./test";
import { waitUntilSettled, blockNames, open, storeWork, textOf } from "./page";

/** Measures the longest time for which the page's thread was blocked, milliseconds, as `window.longestStall`. */
const measureLongestStall = () => {
  let last = performance.now();
  Object.assign(window, { longestStall: 0 });
  setInterval(() => {
    const now = performance.now();
    const { longestStall } = window as unknown as { longestStall: number };
    Object.assign(window, { longestStall: Math.max(longestStall, now - last) });
    last = now;
  }, 10);
};

test("10,000 dropped files: the first 500 are read, a message says so, and the page responds", async ({ page }) => {
  test.slow();
  await page.addInitScript(measureLongestStall);
  await open(page);
  await page.evaluate((text) => {
    const transfer = new DataTransfer();
    const [head = "", rows = ""] = text.split(/(?<=Frame Time:.*\n)/);
    // Each file has only 12 frames, because 500 files are read.
    const clip = `${head.replace(/Frames:\s*\d+/, "Frames: 12") + rows.split("\n").slice(0, 12).join("\n")}\n`;
    for (let i = 0; i < 10_000; i++) transfer.items.add(new File([clip], `clip${i}.bvh`));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, textOf("ada-walk"));
  await expect(page.locator(".notice.error")).toContainText("500 of 10000 motions were added");
  await expect.poll(() => blockNames(page), { timeout: 300_000 }).toHaveLength(500);
  // The page responds to a click while it reads.
  await page.getByRole("button", { name: "Remove clip0", exact: true }).click();
  await expect(page.getByRole("button", { name: /^Undo/ })).toHaveAttribute("aria-label", "Undo: remove clip0");
  await expect(page.locator("main.stage")).toHaveAttribute("data-state", "settled", { timeout: 300_000 });
  const longestStall = await page.evaluate(() => (window as unknown as { longestStall: number }).longestStall);
  console.log(`the page was blocked for at most ${Math.round(longestStall)} ms`);
  expect(longestStall).toBeLessThan(20_000);
});

test("stored work with 10,000 items is rejected with a message, and does not block the page", async ({ page }) => {
  // Storage belongs to the origin, so any file of the site gives access to it; this one runs no script.
  await page.goto("/favicon.svg");
  const items = Array.from({ length: 10_000 }, (_, i) => ({ id: `i${i}`, source: "a", color: i % 8 }));
  await storeWork(page, "last", {
    version: 1,
    mode: "stitch",
    documents: { stitch: { items } },
    sources: [{ id: "a", name: "walk", file: "f" }],
  });
  await page.addInitScript(measureLongestStall);
  await open(page);
  await waitUntilSettled(page);
  await expect(page.getByRole("alertdialog")).toContainText(/more than 500 entries/i);
  expect(await page.evaluate(() => (window as unknown as { longestStall: number }).longestStall)).toBeLessThan(20_000);
});
