/** The page on phases: a motion as ten waves of the periodic autoencoder, computed for every displayed frame. */
import "../core/locale";
import "../style/story.css";
import "../style/overlay.css";
import { type Clip, init, type LivePhases, livePhases, load } from "kinestitch";
import jog from "../../tests/fixtures/ada-jog.bvh";
import run from "../../tests/fixtures/ada-run.bvh";
import turn from "../../tests/fixtures/ada-turn.bvh";
import walk from "../../tests/fixtures/ada-walk.bvh";
import idle from "../../tests/fixtures/bo-idle.bvh";
import { sentence } from "../core/engine";
import { shippedFor } from "../core/networks";
import { acceptDrops, chooseFiles } from "../ui/drop";
import type { MotionSection } from "./story/gap";
import { Lane, viewOf } from "./story/lane";
import { Waves } from "./story/waves";

const MOTIONS = {
  walk: ["A walk", walk],
  turn: ["A walk around a corner", turn],
  jog: ["A jog", jog],
  run: ["A run", run],
  idle: ["Standing", idle],
} as const;
type MotionId = keyof typeof MOTIONS;

/** The displayed motion. */
interface ShownMotion {
  clip: Clip;
  phases: LivePhases;
  section: MotionSection;
  seconds: number;
}

function findElement<T extends Element>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

const lane = new Lane("The motion", "truth");
const slider = findElement<HTMLInputElement>("#moment");
const status = findElement<HTMLElement>("#status");
const select = findElement<HTMLSelectElement>("#motion");
let shownMotion: ShownMotion | undefined;
let waves: Waves | undefined;
/** Number of the last request: results of earlier requests are outdated. */
let latestRequest = 0;
let currentSeconds = 0;

const messageOf = (error: unknown): string => sentence(error instanceof Error ? error.message : String(error));

/** Reads a motion and prepares its phases. */
async function read(origin: URL | File): Promise<Pick<ShownMotion, "clip" | "phases">> {
  const clip = await load(origin);
  try {
    return { clip, phases: await livePhases(clip) };
  } catch (error) {
    clip.free();
    throw error;
  }
}

/** Reads a motion and shows it from the beginning. */
async function open(origin: URL | File): Promise<void> {
  const request = ++latestRequest;
  const motion = await read(origin).catch((error: unknown) => {
    // An error of an outdated request does not concern the displayed motion.
    if (request === latestRequest) throw error;
    return undefined;
  });
  if (!motion) return;
  const { clip, phases } = motion;
  if (request !== latestRequest) {
    phases.free();
    clip.free();
    return;
  }
  shownMotion?.phases.free();
  shownMotion?.clip.free();
  const section = { frames: clip.frames, positions: clip.positions(), rotations: clip.rotations() };
  lane.set(viewOf(clip.info(), section), [section], "");
  shownMotion = { clip, phases, section, seconds: (clip.frames - 1) / clip.fps };
  waves = new Waves(findElement("#waves"), phases);
  slider.max = String(shownMotion.seconds);
  status.textContent = origin instanceof File ? origin.name : "";
  // Without a selection, the previous motion of the list can be chosen again.
  if (origin instanceof File) select.selectedIndex = -1;
  show((currentSeconds = 0));
}

function show(seconds: number): void {
  if (!shownMotion) return;
  lane.show(seconds * shownMotion.clip.fps);
  waves?.show(seconds);
  slider.value = String(seconds);
  findElement("#moment-text").textContent = seconds.toFixed(1);
}

/** Shows the properties of the network from the manifest. */
function showNetworkProperties(): void {
  const network = shippedFor("phases")[0];
  const forwardFraction = Object.values(network?.scores ?? {})[0]?.periodic?.forwards;
  if (forwardFraction !== undefined) findElement("#forwards").textContent = `${(100 * forwardFraction).toFixed(1)} %`;
  if (!network) return;
  const data = network.data.map(({ name, licence }) => `${name} (${licence})`).join("; ");
  findElement("#about").textContent = `The network: ${network.licence}. Trained on ${data}.`;
}

function play(pause: HTMLButtonElement): void {
  let [last, playing] = [performance.now(), !matchMedia("(prefers-reduced-motion: reduce)").matches];
  const updateButton = (): void => {
    pause.textContent = playing ? "Pause" : "Play";
  };
  pause.addEventListener("click", () => {
    playing = !playing;
    updateButton();
  });
  slider.addEventListener("input", () => {
    playing = false;
    updateButton();
    show((currentSeconds = slider.valueAsNumber));
  });
  updateButton();
  const step = (time: number): void => {
    if (playing && shownMotion) {
      currentSeconds += Math.min(0.1, (time - last) / 1000);
      if (currentSeconds > shownMotion.seconds) currentSeconds = 0;
      show(currentSeconds);
    }
    last = time;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

async function start(): Promise<void> {
  findElement("#lane").append(lane.element);
  const showError = (error: unknown): void =>
    void (status.textContent = `This could not be shown: ${messageOf(error)}`);
  const openFile = ([file]: File[]): void => {
    if (file) open(file).catch(showError);
  };
  await init({ networks: { models: new URL("models/", document.baseURI) } });
  select.append(...Object.entries(MOTIONS).map(([id, [name]]) => new Option(name, id)));
  const openSelected = (): Promise<void> => open(new URL(MOTIONS[select.value as MotionId][1], document.baseURI));
  select.addEventListener("change", () => void openSelected().catch(showError));
  findElement("#choose").addEventListener("click", () => chooseFiles(openFile));
  acceptDrops(openFile, "Drop a motion");
  showNetworkProperties();
  // Also if the first motion cannot be shown, because the user can choose another.
  play(findElement("#pause"));
  await openSelected().catch(showError);
}

start().catch((error: unknown) => (status.textContent = `This page could not be computed: ${messageOf(error)}`));
