// The page in Firefox and WebKit, if installed: the demo is stitched and plays, without errors.
import { expect, test } from "@playwright/test";
import { engines, until } from "../../scripts/engines.mjs";

interface Engine {
  missing: string | undefined;
  start(): Promise<{
    open(
      url: string,
    ): Promise<{ pageErrors: string[]; evaluate(text: string): Promise<unknown>; close(): Promise<void> }>;
    close(): Promise<void>;
  }>;
}

/**
 * Expression that collects the errors of a page from now on, because WebDriver reports none. Notifications of a
 * ResizeObserver that come a frame later are no errors of the page.
 */
const collectErrors = `(() => {
  const errors = (window.uncaughtErrors = []);
  addEventListener("error", ({ message }) => /^ResizeObserver loop/.test(message) || errors.push(message));
  addEventListener("unhandledrejection", ({ reason }) => errors.push(String(reason)));
  return true;
})()`;

for (const [name, { missing, start }] of Object.entries(engines as Record<string, Engine>)) {
  test(`${name} stitches and plays the demo`, async ({ baseURL }) => {
    if (missing) console.log(`skipped: ${missing}`);
    test.skip(missing !== undefined, missing);
    test.setTimeout(120_000);
    const browser = await start();
    try {
      const page = await browser.open(`${baseURL}/`);
      await page.evaluate(collectErrors);
      await until(page, `document.querySelectorAll(".flag").length === 2`, 60_000);
      const frame = `Number(document.querySelector("#frame").value)`;
      const before = await page.evaluate(frame);
      await until(page, `${frame} !== ${before}`, 10_000);
      expect(await page.evaluate(`document.querySelector("canvas") !== null`)).toBe(true);
      expect(page.pageErrors).toEqual([]);
      expect(await page.evaluate("window.uncaughtErrors")).toEqual([]);
      // Errors are indeed collected.
      await page.evaluate(
        `setTimeout(() => Promise.reject("a rejection")) && setTimeout(() => { throw Error("an error"); }) > 0`,
      );
      await until(page, "window.uncaughtErrors.length === 2", 10_000);
      await page.close();
    } finally {
      await browser.close();
    }
  });
}
