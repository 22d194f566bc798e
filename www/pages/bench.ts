/** The benchmark page: runs the measurements and fills the table. `npm run bench` presses its button. */
import recordingUrl from "../../tests/fixtures/ada-walk.bvh";
import { mapping, remapping } from "./bench/cuts";
import { memory, parsing, type Row, stitching } from "./bench/measure";
import { type Recording, takeApart } from "./bench/recording";
import "../style/bench.css";

function find<T extends Element>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

const status = find<HTMLElement>("#status");
const table = find<HTMLTableElement>("#results");
const button = find<HTMLButtonElement>("#start");
const picker = find<HTMLInputElement>("#file");

/** Lets the browser paint before the next measurement blocks it. */
const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

function show(row: Row) {
  table.hidden = false;
  const line = table.tBodies[0]?.insertRow();
  line.dataset.met = String(row.met);
  for (const text of [row.what, row.ours, row.peer, row.target, row.met ? "yes" : "no"])
    line.insertCell().textContent = text;
}

async function run(read: () => Promise<Recording>) {
  button.disabled = picker.disabled = true;
  table.tBodies[0]?.replaceChildren();
  try {
    const recording = await read();
    for (const measure of [parsing, stitching, mapping, remapping, memory]) {
      status.textContent = `Measuring with ${recording.name} …`;
      await painted();
      show(await measure(recording));
    }
    status.textContent = "Done.";
  } catch (error) {
    status.textContent = `This did not work: ${error instanceof Error ? error.message : error}`;
  }
  button.disabled = picker.disabled = false;
}

button.addEventListener("click", () =>
  run(async () => takeApart("ada-walk.bvh", await (await fetch(recordingUrl)).text())),
);
picker.addEventListener("change", () => {
  const file = picker.files?.[0];
  if (file) void run(async () => takeApart(file.name, await file.text()));
});
