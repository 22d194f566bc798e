/** A whole body's motion as ten waves of the periodic autoencoder, computed for every shown frame. */
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
import type { Stretch } from "./story/gap";
import { Lane, viewOf } from "./story/lane";
import { Waves } from "./story/waves";

const MOTIONS = {
  walk: ["A walk", walk],
  turn: ["A walk around a corner", turn],
  jog: ["A jog", jog],
  run: ["A run", run],
  idle: ["Standing", idle],
} as const;
type Id = keyof typeof MOTIONS;

/** The shown motion. */
interface ShownMotion {
  clip: Clip;
  phases: LivePhases;
  stretch: Stretch;
  seconds: number;
}

function find<T extends Element>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

const lane = new Lane("The motion", "truth");
const slider = find<HTMLInputElement>("#moment");
const status = find<HTMLElement>("#status");
const select = find<HTMLSelectElement>("#motion");
let shown: ShownMotion | undefined;
let waves: Waves | undefined;
/** Number of the last request; older ones are outdated. */
let latest = 0;
let now = 0;

/** Reads a motion and shows it from the beginning. */
async function open(from: URL | File): Promise<void> {
  const request = ++latest;
  const clip = await load(from);
  const phases = await livePhases(clip);
  if (request !== latest) {
    phases.free();
    clip.free();
    return;
  }
  shown?.phases.free();
  shown?.clip.free();
  const stretch = { frames: clip.frames, positions: clip.positions(), rotations: clip.rotations() };
  lane.set(viewOf(clip.info(), stretch), [stretch], "");
  shown = { clip, phases, stretch, seconds: (clip.frames - 1) / clip.fps };
  waves = new Waves(find("#waves"), phases);
  slider.max = String(shown.seconds);
  status.textContent = "";
  show((now = 0));
}

function show(seconds: number): void {
  if (!shown) return;
  lane.show(seconds * shown.clip.fps);
  waves?.show(seconds);
  slider.value = String(seconds);
  find("#moment-text").textContent = seconds.toFixed(1);
}

/** Properties of the network from the manifest. */
function about(): void {
  const network = shippedFor("phases")[0];
  const part = Object.values(network?.scores ?? {})[0]?.periodic?.forwards;
  if (part !== undefined) find("#forwards").textContent = `${(100 * part).toFixed(1)} %`;
  if (network)
    find("#about").textContent =
      `The network: ${network.licence}. It learned from ${network.data.map(({ name, licence }) => `${name} (${licence})`).join("; ")}.`;
}

function play(pause: HTMLButtonElement): void {
  let [last, playing] = [performance.now(), !matchMedia("(prefers-reduced-motion: reduce)").matches];
  const tell = (): void => {
    pause.textContent = playing ? "Pause" : "Play";
    pause.setAttribute("aria-pressed", String(!playing));
  };
  pause.addEventListener("click", () => {
    playing = !playing;
    tell();
  });
  slider.addEventListener("input", () => {
    playing = false;
    tell();
    show((now = slider.valueAsNumber));
  });
  tell();
  const step = (time: number): void => {
    if (playing && shown) {
      now += Math.min(0.1, (time - last) / 1000);
      if (now > shown.seconds) now = 0;
      show(now);
    }
    last = time;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

async function start(): Promise<void> {
  find("#lane").append(lane.element);
  const showError = (error: unknown): void =>
    void (status.textContent = `This could not be shown: ${sentence(error instanceof Error ? error.message : String(error))}`);
  const take = ([file]: File[]): void => {
    if (file) open(file).then(() => (status.textContent = file.name), showError);
  };
  await init({ networks: { models: new URL("models/", document.baseURI) } });
  select.append(...Object.entries(MOTIONS).map(([id, [name]]) => new Option(name, id)));
  const chosen = (): Promise<void> => open(new URL(MOTIONS[select.value as Id][1], document.baseURI));
  select.addEventListener("change", () => void chosen().catch(showError));
  find("#choose").addEventListener("click", () => chooseFiles(take));
  acceptDrops(take, "Drop a motion");
  about();
  await chosen();
  play(find("#pause"));
}

start().catch(
  (error: unknown) =>
    (status.textContent = `This page could not be computed: ${sentence(error instanceof Error ? error.message : String(error))}`),
);
