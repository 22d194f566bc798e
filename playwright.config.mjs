// End-to-end tests of the built site (tests/e2e), in the Chromium that scripts/chrome.mjs finds.
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { defineConfig } from "@playwright/test";
import { browser } from "./scripts/chrome.mjs";

/** A port nobody listens on. */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "localhost", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

// Chosen once: Playwright's workers read this file again, with the environment of the first reading.
process.env.KINESTITCH_TEST_PORT ??= String(await freePort());
const port = Number(process.env.KINESTITCH_TEST_PORT);
const { args } = JSON.parse(readFileSync(new URL("webdriver.json", import.meta.url), "utf8"))["goog:chromeOptions"];

export default defineConfig({
  testDir: "tests/e2e",
  outputDir: "test-results",
  forbidOnly: true,
  workers: 1, // the graphics card is the processor: pages beside each other starve
  // Far beyond what any step takes: a busy machine shall not fail what it does slowly.
  timeout: 180_000,
  expect: { timeout: 45_000 },
  // On machines that nobody watches a test may fail once; the closing lines of `npm test` name it.
  retries: process.env.CI ? 1 : 0,
  reporter: [["list"]],
  use: {
    baseURL: `http://localhost:${port}`,
    headless: true,
    viewport: { width: 1440, height: 900 },
    // Results change by themselves where the page fetches what "Automatic" needs: tests/e2e/automatic.spec.ts looks at that.
    storageState: {
      cookies: [],
      origins: [
        {
          origin: `http://localhost:${port}`,
          localStorage: [{ name: "kinestitch-settings", value: JSON.stringify({ improve: false }) }],
        },
      ],
    },
    trace: "retain-on-failure",
    launchOptions: { executablePath: browser().CHROME, args: args.filter((arg) => !arg.startsWith("--headless")) },
  },
  webServer: {
    command: `node scripts/serve.mjs --port ${port}`,
    url: `http://localhost:${port}`,
    reuseExistingServer: false,
  },
});
