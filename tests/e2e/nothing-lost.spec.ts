// Nothing is lost: replaced work comes back with undo, damaged work is offered as a file, tabs keep their own, losses are told.
import { expect, test, type Page } from "@playwright/test";
import { gunzipSync, gzipSync } from "node:zlib";
import { character, glbOf } from "../../pkg/test/rigs.mjs";
import { blockNames, byHand, dropBytes, dropFixtures, exported, frame, open, openSheet, pause, settled, sheet, store, stored, textOf } from "./page";

const undo = (page: Page) => page.getByRole("button", { name: /^Undo/ });
const redo = (page: Page) => page.getByRole("button", { name: /^Redo/ });
const question = (page: Page) => page.getByRole("alertdialog");

/** A project file of a record and files. */
function projectFile(kept: unknown, files: { name: string; file: string; text: string }[] = []): Buffer {
  const parts = files.map(({ name, file, text }) => ({ name, file, type: "", size: Buffer.byteLength(text) }));
  const head = Buffer.from(JSON.stringify({ kept, files: parts }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(head.length);
  return gzipSync(Buffer.concat([length, head, ...files.map(({ text }) => Buffer.from(text))]));
}

const recordOf = (file: Buffer): unknown => {
  const bytes = gunzipSync(file);
  return JSON.parse(bytes.subarray(4, 4 + bytes.readUInt32LE(0)).toString()).kept;
};

const source = { id: "a", name: "walk", file: "f" };
const stitchWork = (document: object, more: object = {}) =>
  ({ version: 1, mode: "stitch", documents: { stitch: { items: [], method: "inertialize", compare: "crossfade", blend: 20, seam: "keep", maxCut: 0.4, footLock: true, rigs: {}, ...document } }, sources: [source], ...more });
const inbetweenWork = (document: object) =>
  ({ version: 1, mode: "inbetween", documents: { inbetween: { keys: [], gaps: [], method: "inertialize", footLock: true, ways: 1, way: 0, ...document } }, sources: [source] });
const key = { id: "k", source: "a", from: 1, to: 2, color: 0 };

test("beginning anew, an opened project and a character are undone and done again, before and after other edits", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await openSheet(page);
  const { bytes } = await exported(page, () => sheet(page).getByRole("button", { name: "Save project file" }).click());
  await page.getByRole("button", { name: "Remove bo-walk" }).click();
  await settled(page, 0);
  await openSheet(page);
  await sheet(page).getByRole("button", { name: "Begin anew" }).click();
  await settled(page, 2);
  await dropFixtures(page, "ada-jog");
  await expect.poll(() => blockNames(page)).toEqual(["ada-jog"]);
  await dropBytes(page, "mine.kinestitch", bytes);
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
  await page.getByRole("button", { name: "Remove ada-run" }).click();
  await expect.poll(() => blockNames(page)).toEqual(["bo-walk"]);

  await expect(undo(page)).toHaveAttribute("aria-label", "Undo: remove ada-run");
  await undo(page).click();
  await expect(undo(page)).toHaveAttribute("aria-label", "Undo: open mine.kinestitch");
  await undo(page).click();
  await expect.poll(() => blockNames(page)).toEqual(["ada-jog"]);
  await expect(redo(page)).toHaveAttribute("aria-label", "Redo: open mine.kinestitch");
  await undo(page).click(); // the file that took the demo's place
  await undo(page).click();
  await settled(page, 0);
  await expect.poll(() => blockNames(page)).toEqual(["ada-run"]);
  await undo(page).click();
  await settled(page, 1);
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
  for (const name of ["remove bo-walk", "begin anew", "add ada-jog", "open mine.kinestitch", "remove ada-run"]) {
    await expect(redo(page)).toHaveAttribute("aria-label", `Redo: ${name}`);
    await redo(page).click();
  }
  await expect.poll(() => blockNames(page)).toEqual(["bo-walk"]);

  await dropBytes(page, "hero.glb", await glbOf(character("mixamo").model));
  await expect(page.locator("#panel-character")).toContainText("22 of 22 parts");
  await dropBytes(page, "other.glb", await glbOf(character("vrm").model));
  await expect(undo(page)).toHaveAttribute("aria-label", "Undo: character other.glb");
  await undo(page).click();
  await expect(page.locator("#panel-character")).toContainText("Bones of hero");
  await undo(page).click();
  await expect(page.locator("#panel-character")).toContainText("Drop a character");
});

test("work that one begins anew from is still there after the page was closed", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await expect.poll(async () => (await stored(page))[0]?.good !== undefined).toBe(true);
  await openSheet(page);
  await sheet(page).getByRole("button", { name: "Begin anew" }).click();
  await expect.poll(async () => (await stored(page)).map(({ kept }) => kept)).toEqual([undefined]);
  await page.reload();
  await settled(page, 2);
  await expect(undo(page)).toHaveAttribute("aria-label", "Undo: begin anew");
  await undo(page).click();
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
  await settled(page, 1);
});

for (const [what, work, says] of [
  ["rigs: null", stitchWork({ rigs: null }), "documents.stitch.rigs"],
  ["items: null", stitchWork({ items: null }), "documents.stitch.items"],
  ["at.z: null", inbetweenWork({ keys: [{ ...key, at: { x: 0, z: null, heading: 0 } }] }), "documents.inbetween.keys.0.at.z"],
  ["an id twice", stitchWork({ items: [1, 2].map(() => ({ id: "i", source: "a", color: 0 })) }), /an id stands twice, at documents.stitch.items/i],
  ["as many gaps as keys", inbetweenWork({ keys: [key], gaps: [20] }), /as many gaps as lie between the keys, at documents.inbetween/i],
  ["an address that is a script", stitchWork({}, { sources: [{ id: "a", name: "b", href: "javascript:alert(1)" }] }), "sources.0.href"],
  ["10,000 items", stitchWork({ items: Array.from({ length: 10_000 }, (_, i) => ({ id: `i${i}`, source: "a", color: i % 8 })) }), /more than 500 parts, at documents.stitch.items/i],
  ["no record", 7, "at version"],
] as const) {
  test(`damaged work, ${what}: the demo is shown, the work is offered as a file, and later visits are as usual`, async ({ page }) => {
    await page.goto("/favicon.svg");
    await store(page, "last", work);
    await open(page);
    await expect(question(page)).toContainText("could not be opened");
    await expect(question(page)).toContainText(says);
    await page.screenshot({ path: test.info().outputPath("damaged.png") });
    const { name, bytes } = await exported(page, () => question(page).getByRole("button", { name: "Save it as a file" }).click());
    expect(name).toMatch(/\.kinestitch$/);
    if (typeof work === "object") expect(recordOf(bytes)).toEqual(work);
    await page.reload();
    await settled(page, 2);
    await expect(page.getByRole("button", { name: "Pause", exact: true })).toBeVisible();
    await expect(question(page)).toHaveCount(0);
    // It is still in the list, and opening the file again changes nothing.
    await openSheet(page);
    await expect(sheet(page).locator(".works li")).toContainText("cannot be opened");
    await page.keyboard.press("Escape");
    await dropBytes(page, "mine.kinestitch", bytes);
    await expect(page.locator(".notice.error")).toContainText(says);
    await expect.poll(() => blockNames(page)).toHaveLength(3);
  });
}

test("the last good copy comes back where the newest work cannot be opened", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await expect.poll(async () => (await stored(page))[0]?.good !== undefined).toBe(true);
  const [record] = await stored(page);
  const id = await page.evaluate(() => sessionStorage.getItem("kinestitch-tab") ?? "");
  await page.goto("/favicon.svg");
  await store(page, id, { ...record, kept: { ...record?.kept, documents: { stitch: { items: null } } } });
  await page.goto("/");
  await expect(question(page)).toContainText("documents.stitch.items");
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
  await settled(page, 1);
});

test("a visit that never becomes ready is not begun for ever", async ({ page }) => {
  await page.goto("/favicon.svg");
  await store(page, "last", { kept: stitchWork({ items: [{ id: "i", source: "a", color: 0 }] }), saved: 1, tries: 3 });
  await open(page);
  await expect(question(page)).toContainText("several times");
});

test("a file that is gone is told beside its clip, and may be chosen again", async ({ page }) => {
  await page.goto("/favicon.svg");
  await store(page, "last", stitchWork({ items: [{ id: "i", source: "a", color: 0 }, { id: "j", source: "nowhere", color: 1 }] }));
  await page.goto("/");
  await expect(page.locator(".card", { hasText: "walk" }).getByRole("alert")).toContainText("does not have the file any more");
  await expect(page.locator(".card", { hasText: "Unknown file" }).getByRole("alert")).toBeVisible();
});

test("settings that are damaged do not leave the page blank", async ({ page }) => {
  await page.addInitScript(() => (localStorage["kinestitch-settings"] = JSON.stringify({ folded: null, theme: "pink", device: 7, networkSet: {} })));
  await open(page);
  await expect(page.locator("#panel-clips .card")).toHaveCount(3);
});

test("two tabs keep work of their own, and each has it back", async ({ page, context }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await expect.poll(async () => (await stored(page))[0]?.good !== undefined).toBe(true);
  const other = await context.newPage();
  await other.goto("/");
  // The message is there for a few seconds.
  await expect(other.locator(".notice")).toContainText("open in another tab");
  await settled(other, 2);
  await dropFixtures(other, "ada-jog", "ada-turn");
  await expect.poll(async () => (await stored(other)).filter(({ good }) => good).length).toBe(2);
  await other.getByRole("button", { name: "Remove ada-jog" }).click();
  await settled(other, 0);
  await page.reload();
  await settled(page, 1);
  await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
  await other.reload();
  await expect.poll(() => blockNames(other)).toEqual(["ada-turn"]);
  await openSheet(other);
  await expect(sheet(other).locator(".works li")).toContainText("open in another tab");
  await page.close();
  await other.keyboard.press("Escape");
  await openSheet(other);
  await other.screenshot({ path: test.info().outputPath("works.png") });
  await sheet(other).locator(".works").getByRole("button", { name: "Open" }).click();
  await expect.poll(() => blockNames(other)).toEqual(["ada-run", "bo-walk"]);
  await settled(other, 1);
});

test("work that a link opened is kept, and the work before it stays", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await expect.poll(async () => (await stored(page))[0]?.good !== undefined).toBe(true);
  await page.goto("/?bvh=motions/ada-jog.bvh&bvh=motions/ada-turn.bvh");
  await settled(page, 1);
  await page.getByRole("button", { name: "Remove ada-turn" }).click();
  await settled(page, 0);
  await expect.poll(async () => (await stored(page)).map(({ kept }) => kept?.documents?.stitch?.items.length).sort()).toEqual([1, 2]);
  await page.reload();
  await expect(page.locator(".notice")).toContainText("on this link");
  await expect.poll(() => blockNames(page)).toEqual(["ada-jog"]);
  await openSheet(page);
  await expect(sheet(page).locator(".works li")).toContainText("ada-run and 1 other file");
});

for (const [query, says] of [
  ["?bvh=%25zz", /could not read %zz/i],
  ["?bvh=%", /could not read/i],
  ["?bvh=nowhere.bvh", /could not read nowhere/i],
  ["?bvh=", /no address/],
  ["?bvh=https://[", /no address/],
  ["?bvh=javascript:alert(1)", /only addresses of https/],
  ["?bvh=file:///etc/passwd", /only addresses of https/],
  [`?bvh=${"x".repeat(3000)}`, /could not read/i],
] as const) {
  test(`a link that cannot be read is told, and the page works: ${query.slice(0, 40)}`, async ({ page }) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(`/${query}`);
    await expect(page.locator(".notice.error").first()).toContainText(says);
    // The clock runs, files are taken, and they play.
    await dropFixtures(page, "ada-run");
    await expect.poll(() => frame(page)).toBeGreaterThan(1);
    expect(errors).toEqual([]);
  });
}

test("a lost worker is told, and the work can be saved", async ({ page }) => {
  await page.addInitScript(() => {
    const made: Worker[] = [];
    Object.assign(window, { made });
    window.Worker = class extends Worker {
      constructor(...given: ConstructorParameters<typeof Worker>) {
        if ((window as unknown as { none?: boolean }).none) throw new Error("no more workers");
        super(...given);
        made.push(this);
      }
    };
  });
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await page.evaluate(() => {
    const { made } = Object.assign(window as unknown as { made: Worker[] }, { none: true });
    for (const worker of made) worker.dispatchEvent(new ErrorEvent("error", { message: "out of memory", cancelable: true }));
  });
  await byHand(page);
  await page.getByRole("radio", { name: /Crossfade/ }).check();
  await expect(question(page)).toContainText("does not start again");
  await page.screenshot({ path: test.info().outputPath("worker.png") });
  const { name } = await exported(page, () => question(page).getByRole("button", { name: "Save project file" }).click());
  expect(name).toMatch(/\.kinestitch$/);
});

test("a worker that stopped once is started again, and nothing is said", async ({ page }) => {
  await page.addInitScript(() => {
    const made: Worker[] = [];
    Object.assign(window, { made });
    window.Worker = class extends Worker {
      constructor(...given: ConstructorParameters<typeof Worker>) {
        super(...given);
        made.push(this);
      }
    };
  });
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await page.evaluate(() => {
    for (const worker of (window as unknown as { made: Worker[] }).made) worker.dispatchEvent(new ErrorEvent("error", { message: "out of memory", cancelable: true }));
  });
  await byHand(page);
  await page.getByRole("radio", { name: /Crossfade/ }).check();
  await expect(page.locator("#panel-seams .figures")).toHaveCount(1);
  await settled(page, 1);
  await expect(question(page)).toHaveCount(0);
});

test("lost WebGL is told where it does not come back, and drawn again where it does", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  await pause(page);
  await page.evaluate(() => {
    const context = document.querySelector<HTMLCanvasElement>(".stage-canvas canvas")?.getContext("webgl2");
    Object.assign(window, { lose: context?.getExtension("WEBGL_lose_context") });
    (window as unknown as { lose: WEBGL_lose_context }).lose.loseContext();
  });
  await expect(question(page)).toContainText("WebGL");
  const { name } = await exported(page, () => question(page).getByRole("button", { name: "Save project file" }).click());
  expect(name).toMatch(/\.kinestitch$/);
  const { bytes } = await exported(page, () => page.getByRole("button", { name: "BVH", exact: true }).click());
  expect(bytes.toString("utf8", 0, 9)).toBe("HIERARCHY");
  const blank = await page.locator(".stage-canvas").screenshot();
  await page.evaluate(() => (window as unknown as { lose: WEBGL_lose_context }).lose.restoreContext());
  await expect.poll(async () => (await page.locator(".stage-canvas").screenshot()).equals(blank)).toBe(false);
  await expect(question(page)).toHaveCount(0);
});

test("hostile project files change nothing", async ({ page }) => {
  await open(page);
  await dropFixtures(page, "ada-run", "bo-walk");
  for (const [name, bytes, says] of [
    ["zeros", gzipSync(Buffer.alloc(64 * 2 ** 20)), "documents"],
    ["long", gzipSync(Buffer.from([255, 255, 255, 255])), "damaged"],
    ["short", projectFile(stitchWork({}), []).subarray(0, 60), "damaged"],
    ["sizes", gzipSync(Buffer.concat([Buffer.from([90, 0, 0, 0]), Buffer.from(JSON.stringify({ kept: stitchWork({}), files: [{ name: "f", file: "f", type: "", size: -5 }] }))])), ""],
  ] as const) {
    await dropBytes(page, `${name}.kinestitch`, bytes);
    await expect(page.locator(".notice.error")).toContainText(`${name}.kinestitch cannot be opened`);
    if (says === "damaged") await expect(page.locator(".notice.error")).toContainText(says);
    await expect.poll(() => blockNames(page)).toEqual(["ada-run", "bo-walk"]);
  }
  // Markup in names stays text.
  const sly = "<img src=x onerror=alert(1)>";
  await dropBytes(page, "sly.kinestitch", projectFile(stitchWork({ items: [{ id: "i", source: "a", color: 0 }] }, { sources: [{ id: "a", name: sly, file: "f" }] }), [{ name: "f", file: "f.bvh", text: textOf("ada-run") }]));
  await expect(page.locator(".block-name")).toHaveText([sly]);
  await expect(page.locator("img[src=x]")).toHaveCount(0);
});
