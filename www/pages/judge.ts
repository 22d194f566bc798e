/**
 * Two clips joined in every way there is, each judged: the scores as bars, the curves of two of them. Computed as on
 * the page.
 */
import "../core/locale";
import "../style/story.css";
import "../style/overlay.css";
import type { Trial } from "kinestitch/worker";
import jog from "../../tests/fixtures/ada-jog.bvh";
import turn from "../../tests/fixtures/ada-turn.bvh";
import walk from "../../tests/fixtures/ada-walk.bvh";
import bojog from "../../tests/fixtures/bo-jog.bvh";
import idle from "../../tests/fixtures/bo-idle.bvh";
import { load, loadNetworks, posesOf, sentence, stitch, type WorkerClip } from "../core/engine";
import { shippedFor } from "../core/networks";
import { wayWords } from "../modes/stitch/ways/way";
import { acceptDrops, chooseFiles } from "../ui/drop";
import { Mini } from "../viewer/mini";
import { drawCurves } from "./story/curves";

const PAIRS: readonly (readonly [name: string, string, string])[] = [
  ["A walk, then a jog", walk, bojog],
  ["A jog, then a turn", jog, turn],
  ["Standing, then a walk", idle, walk],
];

/** Seconds of the curve on both sides of the seam. */
const AROUND_SECS = 1;

function find<T extends Element>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

const status = find<HTMLElement>("#status");
const list = find<HTMLElement>("#ways");
/** Clips that were asked for since are shown instead. */
let latest = 0;

/** One way, joined. */
interface Judged {
  trial: Trial;
  clip: WorkerClip;
  frame: number;
}

async function joined(clips: readonly WorkerClip[], trial: Trial): Promise<Judged> {
  const clip = await stitch([...clips], { method: "inertialize", seams: [trial.way] });
  return { trial, clip, frame: clip.seams[0]?.frame ?? 0 };
}

async function curveOf({ clip, frame }: Judged): Promise<[number, number][]> {
  const scores = await clip.naturalness();
  const reach = Math.round(AROUND_SECS * clip.fps);
  return Array.from({ length: 2 * reach + 1 }, (_, i): [number, number] => [i - reach, scores[frame + i - reach] ?? 0]);
}

const peak = (points: readonly (readonly [number, number])[]): number =>
  points.reduce((best, [, value], at) => (value > (points[best]?.[1] ?? 0) ? at : best), 0);

/** Draws the best way's curve, and another one's. */
async function compare(best: Judged, other: Judged): Promise<void> {
  const same = best === other;
  const curves = await Promise.all((same ? [best] : [best, other]).map(curveOf));
  drawCurves(
    find("#plot"),
    curves.map((points, i) => ({
      side: i === 0 ? "forward" : "backward",
      points,
      mark: peak(points),
      label: `${i === 0 ? "the best" : "the other"}: ${(points[peak(points)]?.[1] ?? 0).toFixed(2)}`,
      above: true,
    })),
    { across: "frames from the seam", ticks: [0, 0.5, 1, 1.5, 2, 3, 4, 6], every: 10 },
  );
  find("#plot-text").textContent =
    `Naturalness, frame by frame, around the seam. Above 1, a frame is rarer than one recorded frame in fifty. The best: ${wayWords(best.trial.way).toLowerCase()}.${same ? "" : ` The other: ${wayWords(other.trial.way).toLowerCase()}.`}`;
}

function entry(trial: Trial, worst: number, choose: () => void): { item: HTMLElement; mini: Mini } {
  const item = document.createElement("li");
  const button = Object.assign(document.createElement("button"), { type: "button", className: "judged-way" });
  const mini = new Mini();
  const words = Object.assign(document.createElement("span"), { textContent: wayWords(trial.way) });
  const score = Object.assign(document.createElement("b"), { textContent: trial.score.toFixed(2) });
  const bar = Object.assign(document.createElement("meter"), { min: 0, max: worst, value: trial.score });
  bar.setAttribute("aria-hidden", "true");
  button.append(mini.element, words, bar, score);
  button.addEventListener("click", () => {
    for (const other of list.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
    choose();
  });
  item.append(button);
  return { item, mini };
}

async function show(origins: readonly (URL | File)[]): Promise<void> {
  const request = ++latest;
  status.textContent = "Trying ways to join them…";
  const clips = await Promise.all(origins.slice(0, 2).map((origin) => load(origin)));
  const found = await stitch(clips, { method: "auto" });
  const tried = found.seams[0]?.tried ?? [];
  if (request !== latest) return;
  const worst = Math.max(...tried.map(({ score }) => score), 0.01);
  const all: (Judged | undefined)[] = [];
  const known = async (at: number): Promise<Judged> => (all[at] ??= await joined(clips, tried[at] as Trial));
  const showError = (error: unknown): void => fail(error);
  const pick = (at: number): void =>
    void Promise.all([known(0), known(at)]).then(([best, other]) => compare(best, other), showError);
  const entries = tried.map((trial, at) => entry(trial, worst, () => pick(at)));
  list.replaceChildren(...entries.map(({ item }) => item));
  status.textContent = `${tried.length} ways in ${Math.round(tried.reduce((sum, { milliseconds }) => sum + milliseconds, 0))} ms. The best stands first.`;
  // The plain way is what most tools do: the curve beside the best at first.
  pick(tried.length - 1);
  for (const [at, { mini }] of entries.entries()) {
    const { clip, frame } = await known(at);
    if (request !== latest) return;
    mini.set({ poses: await posesOf(clip), frame });
  }
}

/** Properties of the judge from the manifest. */
function about(): void {
  const judge = shippedFor("judge")[0];
  if (!judge) return;
  const ways = [
    ["hardCut", "Hard cut"],
    ["crossfade", "Crossfade"],
    ["inertialize", "Momentum blend"],
    ["inertializeInStep", "the same, cut in step"],
    ["rmrInStep", "Refined, cut in step"],
  ] as const;
  const head = document.createElement("tr");
  const cell = (row: HTMLElement, tag: "th" | "td", text: string): void =>
    void row.append(Object.assign(document.createElement(tag), { textContent: text }));
  for (const name of ["Recordings", "Flagged", ...ways.map(([, name]) => name)]) cell(head, "th", name);
  find("#scores thead").append(head);
  const percent = (value: number | undefined, digits: number): string =>
    value === undefined ? "–" : `${value.toFixed(digits)} %`;
  for (const [recordings, scores] of Object.entries(judge.scores ?? {})) {
    const row = document.createElement("tr");
    cell(row, "th", recordings.replace(/:.*/, ""));
    cell(row, "td", percent(scores.judge?.flaggedPercent, 1));
    for (const [way] of ways) {
      const auc = scores.auc?.[way];
      cell(row, "td", percent(auc === undefined ? undefined : 100 * auc, 0));
    }
    find("#scores tbody").append(row);
  }
  const bytes = judge.files.reduce((sum, file) => sum + file.bytes, 0);
  find("#about").textContent =
    `The judge: ${Math.round(bytes / 1000)} KB, ${judge.licence}. It learned from ${judge.data.map(({ name, licence }) => `${name} (${licence})`).join("; ")}.`;
}

const fail = (error: unknown): void =>
  void (status.textContent = `This could not be shown: ${sentence(error instanceof Error ? error.message : String(error))}`);

async function start(): Promise<void> {
  about();
  await loadNetworks({ for: "judge", models: new URL("models/", document.baseURI) });
  const select = find<HTMLSelectElement>("#pair");
  select.append(...PAIRS.map(([name], at) => new Option(name, String(at))));
  const chosen = (): Promise<void> =>
    show((PAIRS[Number(select.value)] ?? PAIRS[0] ?? []).slice(1).map((file) => new URL(file, document.baseURI)));
  select.addEventListener("change", () => void chosen().catch(fail));
  const take = (files: File[]): void => {
    if (files.length < 2) status.textContent = "Two clips make a seam: choose two files at once.";
    else show(files).catch(fail);
  };
  find("#choose").addEventListener("click", () => chooseFiles(take));
  acceptDrops(take, "Drop two motions");
  await chosen();
}

start().catch(fail);
