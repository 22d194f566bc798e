// Measures the page: time from the choice of the network until the refined motion plays; all files are already fetched.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./shell.mjs";

const FRAMES = 180;
const ROUNDS = 5;

/** Returns the name and BVH text of a generated motion, repeated to `FRAMES` frames. */
function fixtureFile(name) {
  const text = readFileSync(join(root, "tests", "fixtures", `${name}.bvh`), "utf8");
  const [, header, frameTime, body] = /^([^]*MOTION\s+)Frames:\s*\d+\s+(Frame Time:.*\n)([^]*)$/.exec(text);
  const rows = body.trim().split("\n");
  return {
    name: `${name}.bvh`,
    text: `${header}Frames: ${FRAMES}\n${frameTime}${Array.from({ length: FRAMES }, (_, i) => rows[i % rows.length]).join("\n")}\n`,
  };
}

/** Runs in the page: clicks, and waits until the displayed result is refined and the playhead moves. */
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

/** Runs in the page: returns the time of a fixed loop relative to 32 ms, its time on the idle build machine. */
function measureSlowness() {
  const started = performance.now();
  let sum = 0;
  for (let i = 0; i < 2e7; i++) sum += Math.sqrt(i);
  return sum && (performance.now() - started) / 32;
}

/** Measures the page. Returns rows for the table of `bench.mjs`. */
export async function measureRefining(chromium, url) {
  const context = await chromium.newContext({ viewport: { width: 1440, height: 900 } });
  // With "auto" the slowness of the emulated graphics card would be measured, which users do not experience.
  await context.addInitScript(() => (localStorage["kinestitch-settings"] = JSON.stringify({ device: "cpu" })));
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
  const medianOf = (values) => values.sort((a, b) => a - b)[ROUNDS >> 1];
  const median = medianOf(times);
  const ms = (value) => `${value.toFixed(0)} ms`;
  return [
    [
      `Refine two clips of ${FRAMES} frames in the page by the network, on the processor, from click to play, weights cached`,
      ms(median),
      `longest ${ms(times.at(-1))}; first time with the download ${ms(firstTime)}; a fixed loop took ${medianOf(slownesses).toFixed(1)} times what it takes on the idle build machine`,
      "under 1 s",
      median < 1000 ? "yes" : "no",
    ],
  ];
}
