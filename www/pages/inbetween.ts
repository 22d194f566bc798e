/** The page on in-betweening networks: a gap in a motion, filled by interpolation and by networks of the package. */
import "../core/locale";
import "../style/story.css";
import { loadNetworks } from "kinestitch/worker";
import jog from "../../tests/fixtures/ada-jog.bvh";
import turn from "../../tests/fixtures/ada-turn.bvh";
import walk from "../../tests/fixtures/ada-walk.bvh";
import { problemOf, sentence } from "../core/engine";
import { shippedFor, type ShippedNetwork } from "../core/networks";
import { drawChanges } from "./story/changes";
import { drawCurves, type Curve } from "./story/curves";
import {
  meanDistance,
  fillGap,
  loadMotion,
  recordedSection,
  type RecordedMotion,
  type MotionSection,
} from "./story/gap";
import { Lane, viewOf } from "./story/lane";
import { Manifold } from "./story/manifold";

const MOTIONS = { walk: ["A walk", walk], turn: ["A walk around a corner", turn], jog: ["A jog", jog] } as const;
/** Gap lengths of the plot, frames. */
const GAPS = [5, 10, 15, 20, 30, 40, 50, 60];
/** Frame rate at which the figures move, slower than the recordings; and their pause after the last frame, frames. */
const [FRAMES_PER_SECOND, PAUSE_FRAMES] = [24, 14];

function findElement<T extends Element>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

const lanes = {
  truth: new Lane("Recorded", "truth"),
  plain: new Lane("Interpolation", "plain"),
  network: new Lane("Network", "network"),
};
const deltaNetwork = shippedFor("inbetween", "delta")[0];
let isDeltaLoaded = false;
const manifoldNetwork = shippedFor("inbetween", "manifold")[0];
let isManifoldLoaded = false;
const slider = findElement<HTMLInputElement>("#gap");
const status = findElement<HTMLElement>("#status");
const messageOf = (error: unknown): string => sentence(problemOf(error).message);
const showError = (error: unknown): void =>
  void (status.textContent = `This could not be computed: ${messageOf(error)}`);
const manifold = new Manifold(findElement("#components"), showError);
const motionsById = new Map<string, Promise<RecordedMotion>>();
/** Number of frames of the displayed motions. */
let shownFrames = 0;
/** Numbers of the last request and of the last plot: results of earlier ones are outdated. */
let [latestRequest, latestPlot] = [0, 0];

function selectedMotion(): Promise<RecordedMotion> {
  const id = findElement<HTMLSelectElement>("#motion").value as keyof typeof MOTIONS;
  const known = motionsById.get(id);
  if (known) return known;
  const motion = loadMotion(new URL(MOTIONS[id][1], document.baseURI));
  motionsById.set(id, motion);
  // After a failure, the next selection tries again.
  motion.catch(() => motionsById.delete(id));
  return motion;
}

const distanceText = (value: number): string => `${value.toFixed(1)} cm from the recording on average`;

/** Fills the gap of the requested length by each method, and shows the motions. */
async function update(): Promise<void> {
  const request = ++latestRequest;
  const gap = slider.valueAsNumber;
  findElement("#gap-text").textContent = String(gap);
  const recorded = await selectedMotion();
  const plain = await fillGap(recorded, gap, "inertialize");
  if (request !== latestRequest) return;
  const network = isDeltaLoaded ? await fillGap(recorded, gap, "delta") : undefined;
  if (request !== latestRequest) return;
  show(recorded, recordedSection(recorded, gap), plain, network);
  if (isManifoldLoaded) await manifold.show(recorded, gap, () => request === latestRequest);
}

function show(
  { info }: RecordedMotion,
  recorded: MotionSection,
  plain: MotionSection,
  network: MotionSection | undefined,
): void {
  const view = viewOf(info, recorded);
  lanes.truth.set(view, [recorded], "");
  lanes.plain.set(view, [plain], distanceText(meanDistance(recorded, plain)));
  lanes.network.set(
    view,
    network ? [network] : [],
    network
      ? distanceText(meanDistance(recorded, network))
      : deltaNetwork
        ? "not fetched yet"
        : "this site has no network",
  );
  shownFrames = recorded.frames;
  status.textContent = "";
  if (!network) return;
  const color = getComputedStyle(findElement("#changes")).color;
  const largest = drawChanges(findElement("#changes"), findElement("#joints"), info, plain, network, color);
  if (largest) {
    const { role, frame, degrees } = largest;
    findElement("#changes-text").textContent =
      "Rotations by which the network changes the interpolation, from the last known frame before the gap (left) to " +
      "the first known frame after it (right). Both ends stay unchanged. The largest change is in " +
      `${role}, in frame ${frame} of the gap: ${degrees.toFixed(0)}°.`;
  }
}

/** Plots the mean distance from the recorded motion against the gap length. */
async function plot(): Promise<void> {
  const request = ++latestPlot;
  // The network may be loaded before all gaps are filled; then another plot follows, with the network in all gaps.
  const hasNetwork = isDeltaLoaded;
  const recorded = await selectedMotion();
  const points: Record<"plain" | "network", [number, number][]> = { plain: [], network: [] };
  for (const gap of GAPS) {
    const recordedGap = recordedSection(recorded, gap);
    points.plain.push([gap, meanDistance(recordedGap, await fillGap(recorded, gap, "inertialize"))]);
    if (hasNetwork) points.network.push([gap, meanDistance(recordedGap, await fillGap(recorded, gap, "delta"))]);
    if (request !== latestPlot || recorded !== (await selectedMotion())) return;
  }
  const curve = (side: "plain" | "network", name: string, isLabelAbove: boolean): Curve => ({
    side,
    points: points[side],
    markIndex: points[side].length - 1,
    label: `${name}: ${(points[side].at(-1)?.[1] ?? 0).toFixed(1)} cm`,
    isLabelAbove,
  });
  const [plain, network] = [points.plain, points.network].map((list) => list.at(-1)?.[1] ?? 0) as [number, number];
  const curves = [
    curve("plain", "Interpolation", plain >= network),
    ...(hasNetwork ? [curve("network", "Network", network > plain)] : []),
  ];
  drawCurves(findElement("#plot"), curves, {
    label: "removed frames",
    ticks: [2, 5, 10, 15, 20, 25, 30],
    tickSpacing: 10,
  });
}

/** Loads a network, and shows its motions. */
async function fetchNetwork(button: HTMLButtonElement, { name, set }: ShippedNetwork): Promise<void> {
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
  } catch (error) {
    status.textContent = `The network could not be fetched: ${messageOf(error)}`;
    button.disabled = false;
    return;
  }
  if (name === "manifold") isManifoldLoaded = true;
  else isDeltaLoaded = true;
  button.hidden = true;
  await update();
  if (name === "delta") await plot();
}

/** Fills the table of scores from the manifest: L2P of the network in percent of the L2P of interpolation. */
function fillScoreTable(): void {
  const table = findElement<HTMLTableElement>("#scores");
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

function playLanes(pause: HTMLButtonElement): void {
  let [frame, last, playing] = [0, performance.now(), !matchMedia("(prefers-reduced-motion: reduce)").matches];
  const updateButton = (): void => {
    pause.textContent = playing ? "Pause" : "Play";
  };
  pause.addEventListener("click", () => {
    playing = !playing;
    updateButton();
  });
  updateButton();
  const step = (now: number): void => {
    if (playing) frame += Math.min(0.1, (now - last) / 1000) * FRAMES_PER_SECOND;
    last = now;
    if (frame > shownFrames + PAUSE_FRAMES) frame = 0;
    for (const lane of [...Object.values(lanes), manifold.seedLane, manifold.sliderLane])
      lane.show(Math.min(frame, shownFrames - 1));
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/** Sets up a button that fetches a network. Hides it if the site does not have the network. */
function setUpFetchButton(button: HTMLButtonElement, network: ShippedNetwork | undefined, label: string): void {
  button.hidden = !network;
  if (!network) return;
  button.textContent = `${label} (${(network.files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(1)} MB)`;
  button.addEventListener("click", () => void fetchNetwork(button, network).catch(showError));
}

async function start(): Promise<void> {
  findElement("#lanes").append(...Object.values(lanes).map(({ element }) => element));
  const select = findElement<HTMLSelectElement>("#motion");
  select.append(...Object.entries(MOTIONS).map(([id, [name]]) => new Option(name, id)));
  const button = findElement<HTMLButtonElement>("#fetch");
  const manifoldButton = findElement<HTMLButtonElement>("#fetch-manifold");
  setUpFetchButton(button, deltaNetwork, "Fetch the network");
  setUpFetchButton(manifoldButton, manifoldNetwork, "Fetch this network");
  findElement("#more").toggleAttribute("hidden", !manifoldNetwork);
  findElement("#variants").append(manifold.seedLane.element);
  findElement("#pushed").append(manifold.sliderLane.element);
  fillScoreTable();
  slider.addEventListener("input", () => void update().catch(showError));
  select.addEventListener("change", () => void update().then(plot).catch(showError));
  for (const fetchButton of [button, manifoldButton]) fetchButton.disabled = false;
  playLanes(findElement("#pause"));
  await update();
  await plot();
}

start().catch((error: unknown) => (status.textContent = `This page could not be computed: ${messageOf(error)}`));
