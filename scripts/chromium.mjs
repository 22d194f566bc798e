// Opens the built site in Chromium, for scripts that measure it or take pictures.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium as launcher } from "playwright-core";
import { browserEnv } from "./chrome.mjs";
import { serve } from "./serve.mjs";
import { root } from "./shell.mjs";

/**
 * Serves the site on a free port, calls `job` with a browser and the URL, and closes both afterwards. `extraArgs`:
 * further browser arguments.
 */
export async function withSite(job, extraArgs = []) {
  const { args } = JSON.parse(readFileSync(join(root, "webdriver.json"), "utf8"))["goog:chromeOptions"];
  const { server, url } = await serve(0);
  try {
    const options = {
      executablePath: browserEnv().CHROME,
      args: [...args.filter((arg) => !arg.startsWith("--headless")), ...extraArgs],
    };
    const chromium = await launcher.launch(options);
    try {
      return await job(chromium, url);
    } finally {
      await chromium.close();
    }
  } finally {
    server.close();
  }
}
