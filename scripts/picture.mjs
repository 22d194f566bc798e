// `npm run picture`: takes a picture of the page for the README, docs/page.png.
import { join } from "node:path";
import { build } from "./build.mjs";
import { makeFolder, root, runScript } from "./shell.mjs";

await runScript(import.meta, async () => {
  await build({ gpu: false });
  const { withSite } = await import("./chromium.mjs"); // needs packages that build() has installed
  await withSite(async (chromium, url) => {
    const page = await chromium.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: "dark" });
    await page.addInitScript(() => (localStorage["kinestitch-settings"] = JSON.stringify({ device: "cpu" })));
    await page.goto(url);
    await page.locator(".flag").nth(1).waitFor({ timeout: 120_000 });
    await page.locator("main.stage[data-state=settled]").waitFor({ timeout: 120_000 });
    await page.locator(".flag").nth(1).click(); // shows the second seam
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
    await page.waitForTimeout(6000); // drawn by software: slow
    await page.screenshot({ path: join(makeFolder(join(root, "docs")), "page.png") });
  });
});
