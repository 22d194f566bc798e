// `test` for pages that show motions. Files whose tests measure the browser itself import Playwright's own `test`.
import AxeBuilder from "@axe-core/playwright";
import { test as plainTest, type Page } from "@playwright/test";

export { expect, type Locator, type Page } from "@playwright/test";

/**
 * Ten animation frames per second instead of sixty: the processor draws all pictures, and needs about 50 ms for each.
 * While a motion plays, pages are therefore hardly smoother without this limit, but take all of the processor.
 */
function limitFrameRate(): void {
  const FRAME_MS = 100;
  const callbacks = new Map<number, FrameRequestCallback>();
  let lastId = 0;
  let isScheduled = false;
  const runFrame = (): void => {
    isScheduled = false;
    const now = performance.now();
    // Callbacks that these callbacks request have higher ids, and wait for the next frame.
    const lastOfFrame = lastId;
    for (const [id, callback] of callbacks) {
      if (id > lastOfFrame) break;
      callbacks.delete(id);
      try {
        callback(now);
      } catch (error) {
        reportError(error);
      }
    }
  };
  window.requestAnimationFrame = (callback) => {
    if (!isScheduled) setTimeout(runFrame, FRAME_MS);
    isScheduled = true;
    callbacks.set(++lastId, callback);
    return lastId;
  };
  window.cancelAnimationFrame = (id) => void callbacks.delete(id);
}

export const test = plainTest.extend({
  context: async ({ context }, use) => {
    await context.addInitScript(limitFrameRate);
    await use(context);
  },
});

/**
 * Returns axe-core for a page, set to report violations only, which takes a third of the time. "Legacy mode" cannot
 * check frames of other origins, which no page has, and otherwise a blank page is opened for each analysis.
 */
export const axeOf = (page: Page): AxeBuilder =>
  new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).setLegacyMode();
