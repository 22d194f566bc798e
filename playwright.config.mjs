// End-to-end tests of the built site (tests/e2e), in the Chromium that scripts/chrome.mjs finds.
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { defineConfig } from "@playwright/test";
import { browserEnv } from "./scripts/chrome.mjs";

/** Returns a free port. */
function findFreePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "localhost", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

// Chosen once: Playwright's workers load this file again, and inherit the environment.
process.env.KINESTITCH_TEST_PORT ??= String(await findFreePort());
const port = Number(process.env.KINESTITCH_TEST_PORT);
const { args } = JSON.parse(readFileSync(new URL("webdriver.json", import.meta.url), "utf8"))["goog:chromeOptions"];
const { HEADLESS_SHELL, CHROME } = browserEnv();

export default defineConfig({
  testDir: "tests/e2e",
  outputDir: "test-results",
  forbidOnly: true,
  workers: 1, // the processor also emulates the graphics card: parallel pages would slow each other down
  // Much longer than any step takes, so that tests do not fail on a busy machine.
  timeout: 180_000,
  expect: { timeout: 45_000 },
  // On CI, a test may fail once; the summary of `npm test` names it.
  retries: process.env.CI ? 1 : 0,
  reporter: [["list"]],
  use: {
    baseURL: `http://localhost:${port}`,
    headless: true,
    viewport: { width: 1440, height: 900 },
    // A quarter of the pixels in each direction: the processor draws all pictures.
    deviceScaleFactor: 0.25,
    // Motions do not play by themselves: the processor, which emulates the graphics card, would draw them all the time.
    // Tests of automatic playback ask for "no-preference".
    contextOptions: { reducedMotion: "reduce" },
    // With `improve`, the page loads networks for "Automatic" and then changes results by itself. Only
    // tests/e2e/automatic.spec.ts tests this.
    storageState: {
      cookies: [],
      origins: [
        {
          origin: `http://localhost:${port}`,
          localStorage: [{ name: "kinestitch-settings", value: JSON.stringify({ improve: false }) }],
        },
      ],
    },
    // A trace takes a fifth of the time of a test. Locally: npx playwright test NAME --trace on.
    trace: "on-first-retry",
    launchOptions: {
      executablePath: HEADLESS_SHELL ?? CHROME,
      // Without antialiasing, the processor needs a sixth less time to draw.
      args: [...args.filter((arg) => !arg.startsWith("--headless")), "--webgl-antialiasing-mode=none"],
    },
  },
  webServer: {
    command: `node scripts/serve.mjs --port ${port}`,
    url: `http://localhost:${port}`,
    reuseExistingServer: false,
  },
});
