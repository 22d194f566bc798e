// Long files do not block the page: all slow work runs in the worker.
import { chromium, expect, test } from "@playwright/test";
import { frames, open, textOf } from "./page";

/**
 * Limit of the page's longest task, as a fraction of the total time, so that it is independent of the machine's speed.
 * If the work ran on the page's thread, its task would take most of that time.
 */
const MAX_FRACTION = 0.1;

test("a motion of 15 minutes is read and stitched in the worker, and the page is never blocked for long", async ({
  launchOptions,
  baseURL,
}) => {
  // WebGL is switched off: in tests the CPU emulates it, which causes pauses.
  const browser = await chromium.launch({
    ...launchOptions,
    args: [...(launchOptions.args ?? []), "--disable-3d-apis"],
  });
  try {
    const page = await browser.newPage({ baseURL });
    await open(page);
    const [head = "", rows = ""] = textOf("ada-walk").split(/(?<=Frame Time:.*\n)/);
    const frameCount = Number(/Frames:\s*(\d+)/.exec(head)?.[1]);
    // 15 minutes at 30 frames per second.
    const repetitions = Math.ceil(27_000 / frameCount);
    await page.evaluate(
      ({ head, rows, repetitions, shortClip }) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([head, ...Array<string>(repetitions).fill(rows)], "long.bvh"));
        transfer.items.add(new File([shortClip], "short.bvh"));
        Object.assign(window, { transfer, stalls: [] });
      },
      {
        head: head.replace(/Frames:\s*\d+/, `Frames: ${frameCount * repetitions}`),
        rows,
        repetitions,
        shortClip: textOf("ada-run"),
      },
    );
    const started = await page.evaluate(() => {
      const { stalls, transfer } = window as unknown as { stalls: number[]; transfer: DataTransfer };
      new PerformanceObserver((list) => stalls.push(...list.getEntries().map((entry) => entry.duration))).observe({
        type: "longtask",
      });
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
      return performance.now();
    });
    await expect.poll(() => frames(page), { timeout: 120_000 }).toBeGreaterThan(frameCount * repetitions);
    await expect(page.locator(".flag")).toHaveCount(1);
    const { stalls, ended } = await page.evaluate(() => ({
      stalls: (window as unknown as { stalls: number[] }).stalls,
      ended: performance.now(),
    }));
    console.log(
      `tasks over 50 ms (the aim is none): ${stalls.map(Math.round).join(", ") || "none"}; ` +
        `total ${Math.round(ended - started)} ms`,
    );
    expect(Math.max(0, ...stalls)).toBeLessThan(MAX_FRACTION * (ended - started));
  } finally {
    await browser.close();
  }
});
