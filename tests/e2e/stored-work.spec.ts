// Stored work, in the browser between visits or in a project file; links to motions; export options.
import { expect, test } from "./test";
import {
  blockNames,
  drop,
  dropBytes,
  dropFixtures,
  exportFile,
  open,
  openExportDialog,
  waitForResult,
  exportDialog,
  readStoredWork,
  textOf,
} from "./page";
import { projectFile } from "./project-files";

test("work is restored on the next visit, until the user starts a new project", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-walk", "bo-run");
  await page.getByLabel("Last frame used").first().fill("60");
  await page.getByLabel("Last frame used").first().press("Enter");
  await waitForResult(page, 1);
  // The work is stored a moment after the last change.
  await expect.poll(async () => (await readStoredWork(page))[0]?.kept?.documents?.stitch?.items[0]?.trim?.to).toBe(60);
  await page.reload();
  await expect(page.locator(".notice")).toContainText("Your last work is back");
  await waitForResult(page, 1);
  await expect.poll(() => blockNames(page)).toEqual(["ada-walk", "bo-run"]);
  await expect(page.getByLabel("Last frame used").first()).toHaveValue("60");

  await openExportDialog(page);
  await exportDialog(page).getByRole("button", { name: "New project" }).click();
  // A new project has three example clips, so two seams.
  await expect(page.locator(".flag")).toHaveCount(2);
  await expect.poll(async () => (await readStoredWork(page)).map(({ kept }) => kept)).toEqual([undefined]);
  await page.reload();
  await expect(page.locator(".flag")).toHaveCount(2);
  await expect.poll(() => blockNames(page)).toHaveLength(3);
});

test("work with the longest cut that the page offers is restored on the next visit", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-walk", "bo-run");
  const slider = page.locator("#max-cut");
  await slider.fill("5");
  await waitForResult(page, 1);
  await expect.poll(async () => (await readStoredWork(page))[0]?.kept?.documents?.stitch?.maxCut).toBe(5);
  await page.reload();
  await waitForResult(page, 1);
  await expect.poll(() => blockNames(page)).toEqual(["ada-walk", "bo-run"]);
  await expect(slider).toHaveValue("5");
});

test("a project file contains the work and its files", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await openExportDialog(page);
  const { name, bytes } = await exportFile(page, () =>
    exportDialog(page).getByRole("button", { name: "Save project file" }).click(),
  );
  expect(name).toMatch(/\.kinestitch$/);
  await openExportDialog(page);
  await exportDialog(page).getByRole("button", { name: "New project" }).click();
  await expect(page.locator(".flag")).toHaveCount(2);
  await dropBytes(page, "mine.kinestitch", bytes);
  await waitForResult(page, 1);
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
  await drop(page, [{ name: "broken.kinestitch", text: "nothing" }]);
  await expect(page.locator(".notice.error")).toContainText("not a project file");
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
});

test("export options: one clip, another frame rate, in place; a clip that plays three times", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-walk", "bo-run");
  await openExportDialog(page);
  await exportDialog(page).getByLabel("What").selectOption({ label: "Clip 1: ada-walk" });
  await exportDialog(page).getByLabel("Frames per second").fill("15");
  await exportDialog(page).getByText("In place").click();
  const { name, bytes } = await exportFile(page, () =>
    exportDialog(page).getByRole("button", { name: "Export", exact: true }).click(),
  );
  expect(name).toBe("ada-walk.bvh");
  const lines = bytes.toString().trim().split(/\r?\n/);
  const time = lines.findIndex((line) => line.startsWith("Frame Time:"));
  expect(Number(lines[time].split(":")[1])).toBeCloseTo(1 / 15, 4);
  const rootPositions = lines.slice(time + 1).map((line) => line.trim().split(/\s+/).slice(0, 3).map(Number));
  for (const [x, , z] of rootPositions)
    expect(Math.hypot(x - rootPositions[0][0], z - rootPositions[0][2])).toBeLessThan(0.05);

  const times = page.getByLabel(/Number of times to play/).first();
  await times.fill("3");
  await times.press("Enter");
  await waitForResult(page, 3);
  await expect.poll(() => blockNames(page)).toEqual(["ada-walk", "ada-walk", "ada-walk", "bo-run"]);
});

test("a link opens motions of other sites on open.html, whose policy allows it", async ({ page }) => {
  await page.route("https://motions.example/**", (route) => {
    const name = new URL(route.request().url()).pathname.slice(1).replace(".bvh", "");
    return route.fulfill({ body: textOf(name), headers: { "access-control-allow-origin": "*" } });
  });
  const query = "?bvh=https://motions.example/ada-walk.bvh&bvh=https://motions.example/ada-run.bvh";
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`/open.html${query}`);
  // Nothing is fetched from other sites before the user has agreed.
  await expect(page.getByText("This link opens 2 motions from motions.example")).toBeVisible();
  expect(requests.filter((url) => url.startsWith("https://motions.example"))).toEqual([]);
  await page.getByRole("button", { name: "Fetch", exact: true }).click();
  await waitForResult(page, 1);
  await expect.poll(() => blockNames(page)).toEqual(["ada-walk", "ada-run"]);
  // The policy of the start page does not allow it.
  await page.goto(`/${query}`);
  await page.getByRole("button", { name: "Fetch", exact: true }).click();
  await expect(page.locator(".notice.error")).toContainText("Could not read");
});

test("a site that the user agreed to cannot redirect the page to another site", async ({ page }) => {
  // Playwright does not call route handlers for redirected requests, but reports them.
  const requested: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).host.endsWith(".example")) requested.push(request.url());
  });
  await page.route("https://motions.example/**", (route) =>
    route.fulfill({
      status: 302,
      headers: { location: "https://elsewhere.example/ada-run.bvh", "access-control-allow-origin": "*" },
    }),
  );
  await page.goto("/open.html?bvh=https://motions.example/ada-run.bvh");
  await page.getByRole("button", { name: "Fetch", exact: true }).click();
  await expect(page.locator(".card.failed")).toContainText("redirects to another address");
  expect(requested).toEqual(["https://motions.example/ada-run.bvh"]);
});

test("a project with a file of another site fetches it only after a click", async ({ page }) => {
  const requested: string[] = [];
  await page.route("https://motions.example/**", (route) => {
    requested.push(route.request().url());
    return route.fulfill({ body: textOf("ada-run"), headers: { "access-control-allow-origin": "*" } });
  });
  await page.goto("/open.html");
  await waitForResult(page, 2);
  const kept = {
    version: 1,
    mode: "stitch",
    documents: { stitch: { items: [{ id: "i", source: "a", color: 0 }] } },
    sources: [{ id: "a", name: "theirs", href: "https://motions.example/ada-run.bvh" }],
  };
  await dropBytes(page, "theirs.kinestitch", projectFile(kept));
  const failed = page.locator(".card.failed");
  await expect(failed).toContainText("It is on motions.example");
  expect(requested).toEqual([]);
  await failed.getByRole("button", { name: "Try again" }).click();
  await expect(page.locator(".card .facts")).toBeVisible();
  expect(requested).toEqual(["https://motions.example/ada-run.bvh"]);
});
