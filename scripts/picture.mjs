// `npm run picture`: takes the README's picture of the page, docs/page.png.
import { join } from "node:path";
import { build } from "./build.mjs";
import { folder, guarded, root } from "./shell.mjs";

await guarded(async () => {
  build();
  const { withSite } = await import("./chromium.mjs"); // needs packages that build() has installed
  await withSite(async (chromium, url) => {
    const page = await chromium.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(url, { waitUntil: "networkidle" });
    await page.waitForTimeout(4000); // the demo stitches, then moves
    await page.screenshot({ path: join(folder(join(root, "docs")), "page.png") });
  });
});
