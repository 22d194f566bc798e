// Part of `npm run bench`. Measures the site in Chromium: time from the choice of the method "Refined by network" until
// the refined motion plays, ms, with all files already in the browser's caches. Peer: none; the target is 1 s.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./shell.mjs";

const FRAMES = 180;
const ROUNDS = 5;

/** Returns the name and BVH text of a generated motion, repeated or cut to `FRAMES` frames. */
function fixtureFile(name) {
  const text = readFileSync(join(root, "tests", "fixtures", `${name}.bvh`), "utf8");
  const [, header, frameTime, body] = /^([^]*MOTION\s+)Frames:\s*\d+\s+(Frame Time:.*\n)([^]*)$/.exec(text);
  const rows = body.trim().split("\n");
  const repeatedRows = Array.from({ length: FRAMES }, (_, i) => rows[i % rows.length]);
  return {
    name: `${name}.bvh`,
    text: `${header}Frames: ${FRAMES}\n${frameTime}${repeatedRows.join("\n")}\n`,
  };
}

/**
 * Runs in the page: selects the method, and waits until the displayed result is refined and the playhead moves. Returns
 * the time, ms.
 */
async function clickToPlay() {
  const playheadFrame = () => document.querySelector("#frame").value;
  const isRefined = () =>
    document.querySelector(".edited.refined") &&
    /^After/.test(document.querySelector('.side-name[aria-pressed="true"]')?.textContent.trim() ?? "");
  const until = (test) =>
    new Promise((resolve) => {
      const check = () => (test() ? resolve() : requestAnimationFrame(check));
      check();
    });
  const started = performance.now();
  [...document.querySelectorAll(".choice")]
    .find((choice) => /Refined by network/.test(choice.textContent))
    .querySelector("input")
    .click();
  await until(isRefined);
  const startFrame = playheadFrame();
  await until(() => playheadFrame() !== startFrame);
  return performance.now() - started;
}

/**
 * Runs in the page: returns how many times longer a fixed loop takes than on the idle build machine, where it takes 32
 * ms. It shows whether a slow result is due to a slow or busy machine.
 */
function measureSlowness() {
  const started = performance.now();
  let sum = 0;
  for (let i = 0; i < 2e7; i++) sum += Math.sqrt(i);
  return sum && (performance.now() - started) / 32;
}

/** Measures the site. Returns rows for the table of `bench.mjs`. */
export async function measureRefining(chromium, url) {
  const context = await chromium.newContext({ viewport: { width: 1440, height: 900 } });
  // Device "auto" would first time the GPU. Here the GPU is emulated and very slow; users do not have this delay.
  await context.addInitScript(() => {
    localStorage["kinestitch-settings"] = JSON.stringify({ device: "cpu" });
    // The work of the previous round, if it was stored: the page would restore it instead of showing the demo.
    indexedDB.deleteDatabase("kinestitch-work");
  });
  const page = await context.newPage();
  const prepare = async () => {
    await page.goto(url);
    await page.locator(".flag").nth(1).waitFor();
    const data = await page.evaluateHandle(
      (files) => {
        const transfer = new DataTransfer();
        for (const { name, text } of files) transfer.items.add(new File([text], name));
        return transfer;
      },
      [fixtureFile("ada-walk"), fixtureFile("ada-run")],
    );
    await page.dispatchEvent("body", "drop", { dataTransfer: data });
    await page.locator(".block-name", { hasText: "ada-run" }).waitFor();
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    await page.waitForTimeout(500);
  };
  await prepare();
  const firstTime = await page.evaluate(clickToPlay); // fetches, and fills the browser's caches
  const times = [];
  const slownesses = [];
  for (let round = 0; round < ROUNDS; round++) {
    await prepare();
    slownesses.push(await page.evaluate(measureSlowness));
    times.push(await page.evaluate(clickToPlay));
  }
  await context.close();
  for (const values of [times, slownesses]) values.sort((a, b) => a - b);
  const [median, slowness] = [times, slownesses].map((values) => values[ROUNDS >> 1]);
  const ms = (value) => `${value.toFixed(0)} ms`;
  const remarks = [
    `longest ${ms(times.at(-1))}`,
    `first time with the download ${ms(firstTime)}`,
    `a fixed loop took ${slowness.toFixed(1)} times what it takes on the idle build machine`,
  ];
  return [
    [
      `Refine two clips of ${FRAMES} frames in the page by the network, on the processor, from click to play, weights cached`,
      ms(median),
      remarks.join("; "),
      "under 1 s",
      median < 1000 ? "yes" : "no",
    ],
  ];
}
