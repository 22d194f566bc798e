// Links, a lost worker, lost WebGL, and hostile project files never cost the user's own work.
import { expect, test } from "./test";
import { gzipSync } from "node:zlib";
import {
  blockNames,
  openManualSettings,
  dropBytes,
  dropFixtures,
  exportFile,
  frame,
  open,
  openExportDialog,
  pause,
  waitForResult,
  exportDialog,
  readStoredWork,
  textOf,
} from "./page";
import { alertDialog, projectFile, stitchWork } from "./project-files";

test("work that a link opened is stored, and the previous work stays", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await expect.poll(async () => (await readStoredWork(page))[0]?.good !== undefined).toBe(true);
  await page.goto("/?bvh=motions/ada-jog.bvh&bvh=motions/ada-turn.bvh");
  await waitForResult(page, 1);
  await page.getByRole("button", { name: "Remove ada-turn" }).click();
  await waitForResult(page, 0);
  await expect
    .poll(async () => (await readStoredWork(page)).map(({ kept }) => kept?.documents?.stitch?.items.length).sort())
    .toEqual([1, 2]);
  await page.reload();
  await expect(page.locator(".notice")).toContainText("on this link");
  await expect.poll(() => blockNames(page)).toEqual(["ada-jog"]);
  await openExportDialog(page);
  await expect(exportDialog(page).locator(".works li")).toContainText("ada-run and 1 other file");
});

for (const [query, message] of [
  ["?bvh=%25zz", /could not read %zz/i],
  ["?bvh=%", /could not read/i],
  ["?bvh=nowhere.bvh", /could not read nowhere/i],
  ["?bvh=", /not a web address/],
  ["?bvh=https://[", /not a web address/],
  ["?bvh=javascript:alert(1)", /only http and https addresses/],
  ["?bvh=file:///etc/passwd", /only http and https addresses/],
  [`?bvh=${"x".repeat(3000)}`, /could not read/i],
] as const) {
  test(`a link that cannot be read is reported, and the page works: ${query.slice(0, 40)}`, async ({ page }) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(`/${query}`);
    await expect(page.locator(".notice.error").first()).toContainText(message);
    // New files are accepted and play.
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await dropFixtures(page, "ada-run");
    await expect.poll(() => frame(page)).toBeGreaterThan(1);
    expect(errors).toEqual([]);
  });
}

test("a lost worker is reported, and the work can be saved", async ({ page }) => {
  await page.addInitScript(() => {
    const workers: Worker[] = [];
    Object.assign(window, { workers });
    window.Worker = class extends Worker {
      constructor(...args: ConstructorParameters<typeof Worker>) {
        if ((window as unknown as { cannotStart?: boolean }).cannotStart) throw new Error("no more workers");
        super(...args);
        workers.push(this);
      }
    };
  });
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await page.evaluate(() => {
    const { workers } = Object.assign(window as unknown as { workers: Worker[] }, { cannotStart: true });
    for (const worker of workers)
      worker.dispatchEvent(new ErrorEvent("error", { message: "out of memory", cancelable: true }));
  });
  await openManualSettings(page);
  await page.getByRole("radio", { name: /Crossfade/ }).check();
  await expect(alertDialog(page)).toContainText("cannot be restarted");
  await page.screenshot({ path: test.info().outputPath("worker.png") });
  const { name } = await exportFile(page, () =>
    alertDialog(page).getByRole("button", { name: "Save project file" }).click(),
  );
  expect(name).toMatch(/\.kinestitch$/);
});

test("a worker that stops once is restarted without a message", async ({ page }) => {
  await page.addInitScript(() => {
    const workers: Worker[] = [];
    Object.assign(window, { workers });
    window.Worker = class extends Worker {
      constructor(...args: ConstructorParameters<typeof Worker>) {
        super(...args);
        workers.push(this);
      }
    };
  });
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await page.evaluate(() => {
    for (const worker of (window as unknown as { workers: Worker[] }).workers)
      worker.dispatchEvent(new ErrorEvent("error", { message: "out of memory", cancelable: true }));
  });
  await openManualSettings(page);
  await page.getByRole("radio", { name: /Crossfade/ }).check();
  await expect(page.locator("#panel-seams .figures")).toHaveCount(1);
  await waitForResult(page, 1);
  await expect(alertDialog(page)).toHaveCount(0);
});

test("lost WebGL is reported if it is not restored; if it is restored, the view is drawn again", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await pause(page);
  await page.evaluate(() => {
    const context = document.querySelector<HTMLCanvasElement>(".stage-canvas canvas")?.getContext("webgl2");
    Object.assign(window, { lose: context?.getExtension("WEBGL_lose_context") });
    (window as unknown as { lose: WEBGL_lose_context }).lose.loseContext();
  });
  await expect(alertDialog(page)).toContainText("WebGL");
  const { name } = await exportFile(page, () =>
    alertDialog(page).getByRole("button", { name: "Save project file" }).click(),
  );
  expect(name).toMatch(/\.kinestitch$/);
  const { bytes } = await exportFile(page, () => page.getByRole("button", { name: "BVH", exact: true }).click());
  expect(bytes.toString("utf8", 0, 9)).toBe("HIERARCHY");
  const blank = await page.locator(".stage-canvas").screenshot();
  await page.evaluate(() => (window as unknown as { lose: WEBGL_lose_context }).lose.restoreContext());
  await expect.poll(async () => (await page.locator(".stage-canvas").screenshot()).equals(blank)).toBe(false);
  await expect(alertDialog(page)).toHaveCount(0);
});

test("hostile project files change nothing", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  for (const [name, bytes, message] of [
    ["zeros", gzipSync(Buffer.alloc(64 * 2 ** 20)), "damaged"],
    ["long", gzipSync(Buffer.from([255, 255, 255, 255])), "damaged"],
    ["short", projectFile(stitchWork({}), []).subarray(0, 60), "damaged"],
    ["cut", gzipSync(Buffer.from([9, 0, 0, 0, ...Buffer.from('{"kept":{}}')])), "damaged"],
    ["negative", projectFile(stitchWork({}), [{ name: "f", file: "f", text: "", size: -5 }]), "at files.0.size"],
    ["large", projectFile(stitchWork({}), [{ name: "f", file: "f", text: "", size: 5 }]), "damaged"],
  ] as const) {
    await dropBytes(page, `${name}.kinestitch`, bytes);
    await expect(page.locator(".notice.error")).toContainText(`${name}.kinestitch cannot be opened`);
    await expect(page.locator(".notice.error")).toContainText(message);
    await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
  }
  // Markup in names stays text.
  const markup = "<img src=x onerror=alert(1)>";
  await dropBytes(
    page,
    "sly.kinestitch",
    projectFile(
      stitchWork({ items: [{ id: "i", source: "a", color: 0 }] }, { sources: [{ id: "a", name: markup, file: "f" }] }),
      [{ name: "f", file: "f.bvh", text: textOf("ada-run") }],
    ),
  );
  await expect(page.locator(".block-name")).toHaveText([markup]);
  await expect(page.locator("img[src=x]")).toHaveCount(0);
});
