// No work is lost: replaced work returns with undo, damaged work is offered as a file, tabs have separate work, losses
// are reported.
import { expect, test } from "./test";
import { character, glbOf } from "../../pkg/test/rigs.mjs";
import {
  blockNames,
  dropBytes,
  dropFixtures,
  exportFile,
  open,
  openExportDialog,
  pause,
  waitForResult,
  exportDialog,
  storeWork,
  readStoredWork,
  fixture,
} from "./page";
import { undoButton, redoButton, alertDialog, recordOf, stitchWork, inbetweenWork, key } from "./project-files";

test("a new project, an opened project and a character are undone and redone, among other edits", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await openExportDialog(page);
  const { bytes } = await exportFile(page, () =>
    exportDialog(page).getByRole("button", { name: "Save project file" }).click(),
  );
  await page.getByRole("button", { name: "Remove bo-walk" }).click();
  await waitForResult(page, 0);
  await openExportDialog(page);
  await exportDialog(page).getByRole("button", { name: "New project" }).click();
  await waitForResult(page, 2);
  await dropFixtures(page, "ada-jog");
  await expect.poll(() => blockNames(page)).toEqual(["ada-jog"]);
  await dropBytes(page, "mine.kinestitch", bytes);
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
  await page.getByRole("button", { name: "Remove ada-run" }).click();
  await expect.poll(() => blockNames(page)).toEqual(["bo-walk"]);

  await expect(undoButton(page)).toHaveAttribute("aria-label", "Undo: remove ada-run");
  await undoButton(page).click();
  await expect(undoButton(page)).toHaveAttribute("aria-label", "Undo: open mine.kinestitch");
  await undoButton(page).click();
  await expect.poll(() => blockNames(page)).toEqual(["ada-jog"]);
  await expect(redoButton(page)).toHaveAttribute("aria-label", "Redo: open mine.kinestitch");
  await undoButton(page).click(); // the file that replaced the demo
  await undoButton(page).click();
  await waitForResult(page, 0);
  await expect.poll(() => blockNames(page)).toEqual(["ada-run"]);
  await undoButton(page).click();
  await waitForResult(page, 1);
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
  for (const name of ["remove bo-walk", "new project", "add ada-jog", "open mine.kinestitch", "remove ada-run"]) {
    await expect(redoButton(page)).toHaveAttribute("aria-label", `Redo: ${name}`);
    await redoButton(page).click();
  }
  await expect.poll(() => blockNames(page)).toEqual(["bo-walk"]);

  await dropBytes(page, "hero.glb", await glbOf(character("mixamo").model));
  await expect(page.locator("#panel-character")).toContainText("22 of 22 parts");
  await dropBytes(page, "other.glb", await glbOf(character("vrm").model));
  await expect(undoButton(page)).toHaveAttribute("aria-label", "Undo: use character other.glb");
  await undoButton(page).click();
  await expect(page.locator("#panel-character")).toContainText("Bones of hero");
  await undoButton(page).click();
  await expect(page.locator("#panel-character")).toContainText("Drop a character");
});

test('the work from before "New project" can be restored after the page was closed', async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  // Undo restores the work as it was last drawn, and each clip is drawn as soon as it is read: waits for both clips.
  await expect.poll(async () => JSON.stringify((await readStoredWork(page))[0]?.good ?? {})).toContain("bo-walk");
  await openExportDialog(page);
  await exportDialog(page).getByRole("button", { name: "New project" }).click();
  await expect.poll(async () => (await readStoredWork(page)).map(({ kept }) => kept)).toEqual([undefined]);
  await page.reload();
  await waitForResult(page, 2);
  await expect(undoButton(page)).toHaveAttribute("aria-label", "Undo: new project");
  await undoButton(page).click();
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
  await waitForResult(page, 1);
});

for (const [description, work, message] of [
  ["rigs: null", stitchWork({ rigs: null }), "documents.stitch.rigs"],
  ["items: null", stitchWork({ items: null }), "documents.stitch.items"],
  [
    "at.z: null",
    inbetweenWork({ keys: [{ ...key, at: { x: 0, z: null, heading: 0 } }] }),
    "documents.inbetween.keys.0.at.z",
  ],
  [
    "an id twice",
    stitchWork({ items: [1, 2].map(() => ({ id: "i", source: "a", color: 0 })) }),
    /an id is used twice, at documents.stitch.items/i,
  ],
  [
    "as many gaps as keys",
    inbetweenWork({ keys: [key], gaps: [20] }),
    /number of gaps does not match the number of keys, at documents.inbetween/i,
  ],
  [
    "an address that is a script",
    stitchWork({}, { sources: [{ id: "a", name: "b", href: "javascript:alert(1)" }] }),
    "sources.0.href",
  ],
  [
    "10,000 items",
    stitchWork({ items: Array.from({ length: 10_000 }, (_, i) => ({ id: `i${i}`, source: "a", color: i % 8 })) }),
    /more than 500 entries, at documents.stitch.items/i,
  ],
  ["a number instead of a record", 7, "at version"],
] as const) {
  test(`damaged work, ${description}: the demo is shown, and the work is offered as a file`, async ({ page }) => {
    await page.goto("/favicon.svg");
    await storeWork(page, "last", work);
    await open(page);
    await expect(alertDialog(page)).toContainText("could not be opened");
    await expect(alertDialog(page)).toContainText(message);
    await page.screenshot({ path: test.info().outputPath("damaged.png") });
    const { name, bytes } = await exportFile(page, () =>
      alertDialog(page).getByRole("button", { name: "Save as a file" }).click(),
    );
    expect(name).toMatch(/\.kinestitch$/);
    // A value that is not an object is saved as `{ value: 7 }`.
    if (typeof work === "object") expect(recordOf(bytes)).toEqual(work);
    // The demo plays again.
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await page.reload();
    await waitForResult(page, 2);
    await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
    await pause(page);
    await expect(alertDialog(page)).toHaveCount(0);
    // The work is still listed, and opening the file again changes nothing.
    await openExportDialog(page);
    await expect(exportDialog(page).locator(".works li")).toContainText("cannot be opened");
    await page.keyboard.press("Escape");
    await dropBytes(page, "mine.kinestitch", bytes);
    await expect(page.locator(".notice.error")).toContainText(message);
    await expect.poll(() => blockNames(page)).toHaveLength(3);
  });
}

test("the last good copy is restored if the newest work cannot be opened", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await expect.poll(async () => (await readStoredWork(page))[0]?.good !== undefined).toBe(true);
  const [record] = await readStoredWork(page);
  const id = await page.evaluate(() => sessionStorage.getItem("kinestitch-tab") ?? "");
  await page.goto("/favicon.svg");
  await storeWork(page, id, { ...record, kept: { ...record?.kept, documents: { stitch: { items: null } } } });
  await page.goto("/");
  await expect(alertDialog(page)).toContainText("documents.stitch.items");
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
  await waitForResult(page, 1);
});

test("work that repeatedly prevents the page from starting is set aside", async ({ page }) => {
  await page.goto("/favicon.svg");
  await storeWork(page, "last", {
    kept: stitchWork({ items: [{ id: "i", source: "a", color: 0 }] }),
    saved: 1,
    tries: 3,
  });
  await open(page);
  await expect(alertDialog(page)).toContainText("several times");
});

test("a missing file is reported beside its clip, and can be chosen again", async ({ page }) => {
  await page.goto("/favicon.svg");
  const items = [
    { id: "i", source: "a", color: 0 },
    { id: "j", source: "nowhere", color: 1 },
  ];
  await storeWork(page, "last", stitchWork({ items }, { character: { file: "nowhere", edits: {} } }));
  await page.goto("/");
  await expect(alertDialog(page)).toContainText("character's file is missing");
  await expect(page.locator(".card", { hasText: "walk" }).getByRole("alert")).toContainText("no longer has the file");
  await expect(page.locator(".card", { hasText: "Unknown file" }).getByRole("alert")).toBeVisible();
  for (const [card, name] of [
    ["walk", "ada-run"],
    ["Unknown file", "bo-walk"],
  ] as const)
    await page.locator(".card.failed", { hasText: card }).getByLabel("Choose another…").setInputFiles(fixture(name));
  await waitForResult(page, 1);
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
  await expect(page.locator(".card").getByRole("alert")).toHaveCount(0);
});

test("the page starts with damaged settings", async ({ page }) => {
  await page.addInitScript(
    () =>
      (localStorage["kinestitch-settings"] = JSON.stringify({
        folded: null,
        theme: "pink",
        device: 7,
        networkSet: {},
      })),
  );
  await open(page);
  await expect(page.locator("#panel-clips .card")).toHaveCount(3);
});

test("two tabs have separate work, and each restores its work", async ({ page, context }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await expect.poll(async () => (await readStoredWork(page))[0]?.good !== undefined).toBe(true);
  const other = await context.newPage();
  await other.goto("/");
  // Checked first, because the message disappears after a few seconds.
  await expect(other.locator(".notice")).toContainText("open in another tab");
  await waitForResult(other, 2);
  await dropFixtures(other, "ada-jog", "ada-turn");
  await expect.poll(async () => (await readStoredWork(other)).filter(({ good }) => good).length).toBe(2);
  await other.getByRole("button", { name: "Remove ada-jog" }).click();
  await waitForResult(other, 0);
  // A reload does not wait until an edit is stored.
  await expect
    .poll(async () => (await readStoredWork(other)).map(({ kept }) => kept?.documents?.stitch?.items.length).sort())
    .toEqual([1, 2]);
  await page.reload();
  await waitForResult(page, 1);
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
  await other.reload();
  await expect.poll(() => blockNames(other)).toEqual(["ada-turn"]);
  await openExportDialog(other);
  await expect(exportDialog(other).locator(".works li")).toContainText("open in another tab");
  await page.close();
  const openButton = exportDialog(other).locator(".works").getByRole("button", { name: /^Open/ });
  // The list is read when the dialog opens. A closed tab releases its work a little later.
  await expect(async () => {
    await other.keyboard.press("Escape");
    await openExportDialog(other);
    await expect(openButton).toBeVisible({ timeout: 1000 });
  }).toPass();
  await other.screenshot({ path: test.info().outputPath("works.png") });
  await openButton.click();
  await expect.poll(() => blockNames(other)).toEqual(["ada-run", "bo-walk"]);
  await waitForResult(other, 1);
});
