/** A gap in a motion, filled by interpolation and by the network: both computed by the package. */
import "../core/locale";
import "../style/story.css";
import { loadNetworks } from "kinestitch/worker";
import jog from "../../tests/fixtures/ada-jog.bvh";
import turn from "../../tests/fixtures/ada-turn.bvh";
import walk from "../../tests/fixtures/ada-walk.bvh";
import { sentence } from "../core/engine";
import { shippedFor, type Shipped } from "../core/networks";
import { drawChanges } from "./story/changes";
import { drawCurves, type Curve } from "./story/curves";
import { distance, fill, open, truth, type Recorded, type Stretch } from "./story/gap";
import { Lane, viewOf } from "./story/lane";
import { Manifold } from "./story/manifold";

const MOTIONS = { walk: ["A walk", walk], turn: ["A walk around a corner", turn], jog: ["A jog", jog] } as const;
/** Gap lengths of the plot, frames. */
const GAPS = [5, 10, 15, 20, 30, 40, 50, 60];
/** Frame rate of the figures, and pause at the end, frames. */
const [SPEED, REST] = [24, 14];

function find<T extends Element>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

const lanes = {
  truth: new Lane("As it was", "truth"),
  plain: new Lane("Interpolation", "plain"),
  network: new Lane("Network", "network"),
};
const several = shippedFor("inbetween", "manifold")[0];
let severalLoaded = false;
const slider = find<HTMLInputElement>("#gap");
const status = find<HTMLElement>("#status");
const shipped = shippedFor("inbetween", "delta")[0];
const failed = (error: unknown): void =>
  void (status.textContent = `This could not be computed: ${sentence(error instanceof Error ? error.message : String(error))}`);
const manifold = new Manifold(find("#components"), failed);
const known = new Map<string, Promise<Recorded>>();
let loaded = false;
/** Length of the shown gap, frames. */
let shown = 0;
/** Number of the last request; older ones are outdated. */
let latest = 0;

function motion(): Promise<Recorded> {
  const id = find<HTMLSelectElement>("#motion").value as keyof typeof MOTIONS;
  const found = known.get(id) ?? open(new URL(MOTIONS[id][1], document.baseURI));
  known.set(id, found);
  return found;
}

const cm = (value: number): string => `${value.toFixed(1)} cm from it on average`;

/** Fills the requested gap. */
async function update(): Promise<void> {
  const request = ++latest;
  const gap = slider.valueAsNumber;
  find("#gap-text").textContent = String(gap);
  const recorded = await motion();
  const plain = await fill(recorded, gap, "inertialize");
  if (request !== latest) return;
  const network = loaded ? await fill(recorded, gap, "delta") : undefined;
  if (request !== latest) return;
  show(recorded, truth(recorded, gap), plain, network);
  if (severalLoaded) await manifold.show(recorded, gap, () => request === latest);
}

function show({ info }: Recorded, was: Stretch, plain: Stretch, network: Stretch | undefined): void {
  const view = viewOf(info, was);
  lanes.truth.set(view, [was], "");
  lanes.plain.set(view, [plain], cm(distance(was, plain)));
  lanes.network.set(
    view,
    network ? [network] : [],
    network ? cm(distance(was, network)) : shipped ? "not fetched yet" : "this site ships none",
  );
  shown = was.frames;
  status.textContent = "";
  if (!network) return;
  const color = getComputedStyle(find("#changes")).color;
  const largest = drawChanges(find("#changes"), find("#joints"), info, plain, network, color);
  if (largest) {
    const { role, frame, degrees } = largest;
    find("#changes-text").textContent =
      `What the network changes of the interpolation, from the last known frame on the left to the next on the right: nothing at both ends. Most in ${role}, frame ${frame} of the gap: ${degrees.toFixed(0)}°.`;
  }
}

/** Plots the distance from the recorded motion by gap length. */
async function plot(): Promise<void> {
  const recorded = await motion();
  const points: Record<"plain" | "network", [number, number][]> = { plain: [], network: [] };
  for (const gap of GAPS) {
    const was = truth(recorded, gap);
    points.plain.push([gap, distance(was, await fill(recorded, gap, "inertialize"))]);
    if (loaded) points.network.push([gap, distance(was, await fill(recorded, gap, "delta"))]);
    if (recorded !== (await motion())) return;
  }
  const curve = (side: "plain" | "network", name: string, above: boolean): Curve => ({
    side,
    points: points[side],
    mark: points[side].length - 1,
    label: `${name}: ${(points[side].at(-1)?.[1] ?? 0).toFixed(1)} cm`,
    above,
  });
  const [plain, network] = [points.plain, points.network].map((list) => list.at(-1)?.[1] ?? 0) as [number, number];
  const curves = [
    curve("plain", "Interpolation", plain >= network),
    ...(loaded ? [curve("network", "Network", network > plain)] : []),
  ];
  drawCurves(find("#plot"), curves, { across: "removed frames", ticks: [2, 5, 10, 15, 20, 25, 30], every: 10 });
}

async function fetchNetwork(button: HTMLButtonElement, { name, set }: Shipped): Promise<void> {
  button.disabled = true;
  try {
    await loadNetworks({
      for: "inbetween",
      name,
      set,
      device: "cpu",
      models: new URL("models/", document.baseURI),
      onProgress: ({ done }) => (status.textContent = `Fetching the network: ${Math.round(done * 100)} %`),
    });
    if (name === "manifold") severalLoaded = true;
    else loaded = true;
    button.hidden = true;
    await update();
    if (name === "delta") await plot();
  } catch (error) {
    status.textContent = `The network could not be fetched: ${sentence(error instanceof Error ? error.message : String(error))}`;
    button.disabled = false;
  }
}

/** L2P compared with interpolation, from the manifest. */
function scores(): void {
  const table = find<HTMLTableElement>("#scores");
  const measured = shippedFor("inbetween", "delta").flatMap(({ set, scores = {} }) =>
    Object.values(scores).map((methods) => ({
      set,
      methods: methods as unknown as Record<string, { l2p?: number[] }>,
    })),
  );
  const head = table.createTHead().insertRow();
  for (const text of ["Trained on", "5 frames", "15", "30", "45"])
    head.append(Object.assign(document.createElement("th"), { textContent: text, scope: "col" }));
  const body = table.createTBody();
  for (const { set, methods } of measured) {
    const [network, plain] = [methods.delta?.l2p ?? [], methods.interpolation?.l2p ?? []];
    const row = body.insertRow();
    row.append(Object.assign(document.createElement("th"), { textContent: `${set} recordings`, scope: "row" }));
    network.forEach(
      (value, i) => (row.insertCell().textContent = `${Math.round((100 * value) / (plain[i] ?? NaN))} %`),
    );
  }
}

function run(pause: HTMLButtonElement): void {
  let [frame, last, playing] = [0, performance.now(), !matchMedia("(prefers-reduced-motion: reduce)").matches];
  const tell = (): void => {
    pause.textContent = playing ? "Pause" : "Play";
    pause.setAttribute("aria-pressed", String(!playing));
  };
  pause.addEventListener("click", () => {
    playing = !playing;
    tell();
  });
  tell();
  const step = (now: number): void => {
    if (playing) frame += Math.min(0.1, (now - last) / 1000) * SPEED;
    last = now;
    if (frame > shown + REST) frame = 0;
    for (const lane of [...Object.values(lanes), manifold.ways, manifold.pushed]) lane.show(Math.min(frame, shown - 1));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/** A button that loads a network, where the site has it. */
function offer(button: HTMLButtonElement, network: Shipped | undefined, words: string): void {
  button.hidden = !network;
  if (!network) return;
  button.textContent = `${words} (${(network.files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(1)} MB)`;
  button.addEventListener("click", () => void fetchNetwork(button, network));
}

async function start(): Promise<void> {
  find("#lanes").append(...Object.values(lanes).map(({ element }) => element));
  const select = find<HTMLSelectElement>("#motion");
  select.append(...Object.entries(MOTIONS).map(([id, [name]]) => new Option(name, id)));
  const button = find<HTMLButtonElement>("#fetch");
  const other = find<HTMLButtonElement>("#fetch-ways");
  offer(button, shipped, "Fetch the network");
  offer(other, several, "Fetch this network");
  find("#more").toggleAttribute("hidden", !several);
  find("#ways").append(manifold.ways.element);
  find("#pushed").append(manifold.pushed.element);
  scores();
  slider.addEventListener("input", () => void update().catch(failed));
  select.addEventListener("change", () => void update().then(plot).catch(failed));
  await update();
  for (const one of [button, other]) one.disabled = false;
  run(find("#pause"));
  await plot();
}

start().catch(
  (error: unknown) =>
    (status.textContent = `This page could not be computed: ${sentence(error instanceof Error ? error.message : String(error))}`),
);
