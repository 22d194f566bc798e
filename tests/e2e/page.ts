// Helpers for all end-to-end tests: open the page, add files, read messages and downloads.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { decode } from "fast-png";

const root = join(import.meta.dirname, "..", "..");

/** Returns the path of a generated clip. */
export const fixture = (name: string): string => join(root, "tests", "fixtures", `${name}.bvh`);
const networks: { for: string; character?: string }[] = JSON.parse(
  readFileSync(join(root, "models", "manifest.json"), "utf8"),
).networks;
/** Whether models/ contains no refiner, so that refinement cannot be tested. */
export const hasNoRefiner = networks.every((network) => network.for !== "stitch");
const controllers = networks.filter((network) => network.for === "control");
/** Whether models/ contains a controller, so that the mode "Control" can be tested. */
export const hasController = controllers.length > 0;
/** Whether models/ contains a controller of the dog. */
export const hasDog = controllers.some(({ character }) => character === "dog");
/** Reads the text of a generated clip. */
export const textOf = (name: string): string => readFileSync(fixture(name), "utf8");

/** Opens the page and waits until the demo is stitched. */
export async function open(page: Page): Promise<void> {
  await page.goto("/");
  await waitForResult(page, 2);
}

/** Makes networks run on the CPU, because in tests the GPU is emulated and very slow. */
export async function runOnCpu(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const settings = JSON.parse(localStorage["kinestitch-settings"] ?? "{}") as object;
    localStorage["kinestitch-settings"] = JSON.stringify({ device: "cpu", ...settings });
  });
}

/** Drops text files on the page, as from a file manager. */
export async function drop(page: Page, files: { name: string; text: string }[]): Promise<void> {
  const data = await page.evaluateHandle((files) => {
    const transfer = new DataTransfer();
    for (const { name, text } of files) transfer.items.add(new File([text], name));
    return transfer;
  }, files);
  for (const type of ["dragenter", "dragover", "drop"]) await page.dispatchEvent("body", type, { dataTransfer: data });
}

/** Drops fixtures, which replace the demo, and waits until they are on the timeline and stitched. */
export async function dropFixtures(page: Page, ...names: string[]): Promise<void> {
  await drop(
    page,
    names.map((name) => ({ name: `${name}.bvh`, text: textOf(name) })),
  );
  for (const name of names) await expect(blockOf(page, name)).toBeVisible();
  await waitForResult(page, names.length - 1);
}

/** Waits until the page shows its current document: nothing is being read, computed or drawn. */
export const waitUntilSettled = (page: Page): Promise<void> =>
  expect(page.locator("main.stage")).toHaveAttribute("data-state", "settled");

/** Waits until the result has the expected number of seams, and nothing is being computed. */
export async function waitForResult(page: Page, seams: number): Promise<void> {
  await expect(page.locator(".flag")).toHaveCount(seams);
  await waitUntilSettled(page);
  await expect(page.locator(".problem")).toHaveCount(0);
}

/** Opens the section with manual settings of stitching. */
export async function openManualSettings(page: Page): Promise<void> {
  const section = page.locator("details.by-hand");
  if ((await section.getAttribute("open")) === null) await section.locator("> summary").click();
  await expect(page.getByRole("radio", { name: /Crossfade/ })).toBeVisible();
}

export const blockOf = (page: Page, name: string) => page.locator(".block-body", { hasText: name });
export const blockNames = (page: Page) => page.locator(".block-name").allTextContents();
export const trimStart = (page: Page, name: string) => page.getByRole("slider", { name: `Trim start of ${name}` });
export const trimEnd = (page: Page, name: string) => page.getByRole("slider", { name: `Trim end of ${name}` });

/** Returns the displayed frame, from 1. */
export const frame = async (page: Page): Promise<number> => Number(await page.locator("#frame").inputValue());

/** Returns the number of frames of the result. */
export const frames = async (page: Page): Promise<number> => Number(await page.locator("#frame").getAttribute("max"));

export async function pause(page: Page): Promise<void> {
  const button = page.getByRole("button", { name: "Pause", exact: true });
  if (await button.isVisible()) await button.click();
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
}

/** Starts an export by `press`. Returns the name and bytes of the downloaded file. */
export async function exportFile(page: Page, press: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent("download"), press()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Returns the hue of a colour, degrees, and its saturation, 0 to 1. */
function hueAndSaturation(red: number, green: number, blue: number): [number, number] {
  const [max, min] = [Math.max(red, green, blue), Math.min(red, green, blue)];
  if (max === min) return [0, 0];
  const sixths =
    max === red
      ? (green - blue) / (max - min)
      : max === green
        ? 2 + (blue - red) / (max - min)
        : 4 + (red - green) / (max - min);
  return [(sixths * 60 + 360) % 360, (max - min) / max];
}

/**
 * Returns the area of the view that has the hue of a colour, "#rrggbb", within 10°, in CSS pixels. Light and shadow change
 * the brightness of a figure, but hardly its hue.
 */
export async function pixelsOfHue(page: Page, color: string): Promise<number> {
  const [hue] = hueAndSaturation(
    ...([1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16)) as [number, number, number]),
  );
  const { data, channels } = decode(await page.locator(".stage-canvas").screenshot());
  let pixels = 0;
  for (let i = 0; i < data.length; i += channels) {
    const [pixelHue, saturation] = hueAndSaturation(data[i] ?? 0, data[i + 1] ?? 0, data[i + 2] ?? 0);
    if (saturation > 0.3 && Math.abs(((pixelHue - hue + 540) % 360) - 180) < 10) pixels++;
  }
  return pixels / (await page.evaluate(() => devicePixelRatio)) ** 2;
}

/** Drops a binary file on the page. */
export async function dropBytes(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const data = await page.evaluateHandle(
    ([name, text]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], name));
      return transfer;
    },
    [name, Buffer.from(bytes).toString("base64")] as const,
  );
  for (const type of ["dragenter", "dragover", "drop"]) await page.dispatchEvent("body", type, { dataTransfer: data });
}

/** The dialog "Export and project". */
export const exportDialog = (page: Page) => page.locator("#export");
export const openExportDialog = (page: Page): Promise<void> =>
  page.getByRole("button", { name: "Export and project" }).click();

/** Stored work; see www/core/store.ts. */
export interface Stored {
  kept?: {
    documents?: {
      stitch?: { items: { trim?: { to: number } }[]; maxCut?: number };
      control?: { bodies?: { biped?: string } };
    };
  };
  good?: object;
  fault?: string;
}

/** Reads all work stored in the browser. */
export const readStoredWork = (page: Page): Promise<Stored[]> =>
  page.evaluate(async () => {
    const resultOf = <T>(request: IDBRequest<T>): Promise<T> =>
      new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    const request = indexedDB.open("kinestitch-work", 1);
    request.onupgradeneeded = () => ["record", "files"].forEach((name) => request.result.createObjectStore(name));
    const database = await resultOf(request);
    const records = await resultOf(database.transaction("record").objectStore("record").getAll());
    database.close();
    return records as Stored[];
  });

/** Stores work, as an earlier visit would have done. */
export const storeWork = (page: Page, id: string, record: unknown): Promise<void> =>
  page.evaluate(
    async ([id, record]) => {
      const request = indexedDB.open("kinestitch-work", 1);
      request.onupgradeneeded = () => ["record", "files"].forEach((name) => request.result.createObjectStore(name));
      const database = await new Promise<IDBDatabase>((resolve) => (request.onsuccess = () => resolve(request.result)));
      const transaction = database.transaction("record", "readwrite");
      transaction.objectStore("record").put(record, id);
      await new Promise<void>((resolve) => (transaction.oncomplete = () => resolve()));
      database.close();
    },
    [id, record] as const,
  );
