// As many clips as a document may hold, and many more: the page stays responsive.
import { expect, test } from "@playwright/test";
import { waitUntilSettled, blockNames, open, storeWork, textOf } from "./page";

/** Measures the longest block of the page's thread since the page was opened, in milliseconds, as `window.longest`. */
const measureLongestBlock = () => {
  let last = performance.now();
  Object.assign(window, { longest: 0 });
  setInterval(() => {
    const now = performance.now();
    Object.assign(window, { longest: Math.max((window as unknown as { longest: number }).longest, now - last) });
    last = now;
  }, 10);
};

test("10,000 dropped files: the first 500 are read, a message says so, and the page responds", async ({ page }) => {
  test.slow();
  await page.addInitScript(measureLongestBlock);
  await open(page);
  await page.evaluate((text) => {
    const transfer = new DataTransfer();
    const [head = "", rows = ""] = text.split(/(?<=Frame Time:.*\n)/);
    const short = `${head.replace(/Frames:\s*\d+/, "Frames: 12") + rows.split("\n").slice(0, 12).join("\n")}\n`;
    for (let i = 0; i < 10_000; i++) transfer.items.add(new File([short], `clip${i}.bvh`));
    document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, textOf("ada-walk"));
  await expect(page.locator(".notice.error")).toContainText("500 of 10000 files were added");
  await expect.poll(() => blockNames(page), { timeout: 300_000 }).toHaveLength(500);
  // The page responds to a click while it reads.
  await page.getByRole("button", { name: "Remove clip0", exact: true }).click();
  await expect(page.getByRole("button", { name: /^Undo/ })).toHaveAttribute("aria-label", "Undo: remove clip0");
  await expect(page.locator("main.stage")).toHaveAttribute("data-state", "settled", { timeout: 300_000 });
  const longest = await page.evaluate(() => (window as unknown as { longest: number }).longest);
  console.log(`longest block of the page: ${Math.round(longest)} ms`);
  expect(longest).toBeLessThan(20_000);
});

test("a stored work of 10,000 items is not shown, and does not block the page", async ({ page }) => {
  await page.goto("/favicon.svg");
  const items = Array.from({ length: 10_000 }, (_, i) => ({ id: `i${i}`, source: "a", color: i % 8 }));
  await storeWork(page, "last", {
    version: 1,
    mode: "stitch",
    documents: { stitch: { items } },
    sources: [{ id: "a", name: "walk", file: "f" }],
  });
  await page.addInitScript(measureLongestBlock);
  await open(page);
  await waitUntilSettled(page);
  await expect(page.getByRole("alertdialog")).toContainText(/more than 500 entries/i);
  expect(await page.evaluate(() => (window as unknown as { longest: number }).longest)).toBeLessThan(20_000);
});
