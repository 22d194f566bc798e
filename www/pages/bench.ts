/** The benchmark page: runs the measurements and fills the table. `npm run bench` runs it by a click on its button. */
import recordingUrl from "../../tests/fixtures/ada-walk.bvh";
import { measureMap, measureMapUpdate } from "./bench/cuts";
import { measureMemory, measureParsing, type Row, measureStitching } from "./bench/measure";
import { type Recording, splitRecording } from "./bench/recording";
import "../style/bench.css";

function findElement<T extends Element>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

const status = findElement<HTMLElement>("#status");
const table = findElement<HTMLTableElement>("#results");
const button = findElement<HTMLButtonElement>("#start");
const fileInput = findElement<HTMLInputElement>("#file");

/** Lets the browser paint before the next measurement blocks it. */
const nextPaint = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

function show(row: Row) {
  table.hidden = false;
  const line = table.tBodies[0]?.insertRow();
  line.dataset.met = String(row.isMet);
  for (const text of [row.measurement, row.ours, row.comparison, row.target, row.isMet ? "yes" : "no"])
    line.insertCell().textContent = text;
}

async function run(read: () => Promise<Recording>) {
  button.disabled = fileInput.disabled = true;
  table.tBodies[0]?.replaceChildren();
  try {
    const recording = await read();
    for (const measure of [measureParsing, measureStitching, measureMap, measureMapUpdate, measureMemory]) {
      status.textContent = `Measuring with ${recording.name} …`;
      await nextPaint();
      show(await measure(recording));
    }
    status.textContent = "Done.";
  } catch (error) {
    status.textContent = `The benchmark failed: ${error instanceof Error ? error.message : error}`;
  }
  button.disabled = fileInput.disabled = false;
}

button.addEventListener("click", () =>
  run(async () => {
    const response = await fetch(recordingUrl);
    if (!response.ok) throw new Error(`ada-walk.bvh could not be fetched (HTTP ${response.status})`);
    return splitRecording("ada-walk.bvh", await response.text());
  }),
);
// Without a chosen file, choosing the same file again is a change too.
fileInput.addEventListener("click", () => (fileInput.value = ""));
fileInput.addEventListener("change", () => {
  const file = fileInput.files?.[0];
  if (file) void run(async () => splitRecording(file.name, await file.text()));
});
