/**
 * The page on the judge: tries the joins of two clips, and shows their scores as bars and the curves of two of them.
 * Everything is computed as on the main page.
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
import { load, loadNetworks, posesOf, sentence, stitch, type Clip } from "../core/engine";
import { shippedFor } from "../core/networks";
import { joinOptionsWords } from "../modes/stitch/joins/join-options";
import { acceptDrops, chooseFiles } from "../ui/drop";
import { Mini } from "../viewer/mini";
import { drawCurves } from "./story/curves";

const PAIRS: readonly (readonly [name: string, string, string])[] = [
  ["A walk, then a jog", walk, bojog],
  ["A jog, then a turn", jog, turn],
  ["Standing, then a walk", idle, walk],
];

/** Time shown before and after the seam, seconds. */
const SIDE_SECS = 1;

function findElement<T extends Element>(selector: string): T {
  const element = document.querySelector<T>(selector);
  if (!element) throw new Error(`the page has no ${selector}`);
  return element;
}

const status = findElement<HTMLElement>("#status");
const trialList = findElement<HTMLElement>("#trials");
/** Number of the last request: results of earlier requests are outdated. */
let latestRequest = 0;

/** A tried join, and the clip joined by it. `frame`: first frame after the seam. */
interface JoinedTrial {
  trial: Trial;
  clip: Clip;
  frame: number;
}

async function joinClips(clips: readonly Clip[], trial: Trial): Promise<JoinedTrial> {
  const clip = await stitch([...clips], { method: "inertialize", seams: [trial.options] });
  return { trial, clip, frame: clip.seams[0]?.frame ?? 0 };
}

async function curveOf({ clip, frame }: JoinedTrial): Promise<[number, number][]> {
  const scores = await clip.naturalness();
  const sideFrames = Math.round(SIDE_SECS * clip.fps);
  const start = Math.max(0, frame - sideFrames);
  return Array.from(scores.subarray(start, frame + sideFrames + 1), (score, i) => [start + i - frame, score]);
}

const peakIndex = (points: readonly (readonly [number, number])[]): number =>
  points.reduce((peak, [, value], i) => (value > (points[peak]?.[1] ?? 0) ? i : peak), 0);

/** Draws the curves of the best join and of another one, unless `isCurrent` returns false once they are computed. */
async function compare(best: JoinedTrial, other: JoinedTrial, isCurrent: () => boolean): Promise<void> {
  const isSame = best === other;
  const curves = await Promise.all((isSame ? [best] : [best, other]).map(curveOf));
  if (!isCurrent()) return;
  drawCurves(
    findElement("#plot"),
    curves.map((points, i) => ({
      side: i === 0 ? "forward" : "backward",
      points,
      markIndex: peakIndex(points),
      label: `${i === 0 ? "the best" : "the other"}: ${(points[peakIndex(points)]?.[1] ?? 0).toFixed(2)}`,
      isLabelAbove: true,
    })),
    { label: "frames from the seam", ticks: [0, 0.5, 1, 1.5, 2, 3, 4, 6], tickSpacing: 10 },
  );
  findElement("#plot-text").textContent =
    "Naturalness score of each frame around the seam; lower is more natural. At most one recorded frame in fifty " +
    `scores above 1. The best: ${joinOptionsWords(best.trial.options).toLowerCase()}.` +
    (isSame ? "" : ` The other: ${joinOptionsWords(other.trial.options).toLowerCase()}.`);
}

function createEntry(trial: Trial, maxScore: number, onSelect: () => void): { item: HTMLElement; mini: Mini } {
  const item = document.createElement("li");
  const button = Object.assign(document.createElement("button"), { type: "button", className: "judged-trial" });
  const mini = new Mini();
  const label = Object.assign(document.createElement("span"), { textContent: joinOptionsWords(trial.options) });
  const score = Object.assign(document.createElement("b"), { textContent: trial.score.toFixed(2) });
  const bar = Object.assign(document.createElement("meter"), { min: 0, max: maxScore, value: trial.score });
  bar.setAttribute("aria-hidden", "true");
  button.append(mini.element, label, bar, score);
  button.addEventListener("click", onSelect);
  item.append(button);
  return { item, mini };
}

/** Shows the joins of two clips, or the reason why they cannot be computed. */
async function show(origins: readonly (URL | File)[]): Promise<void> {
  const request = ++latestRequest;
  try {
    await tryJoins(origins, request);
  } catch (error) {
    if (request === latestRequest) showFailure(error);
  }
}

async function tryJoins(origins: readonly (URL | File)[], request: number): Promise<void> {
  status.textContent = "Trying joins of the clips…";
  const clips = await Promise.all(origins.slice(0, 2).map((origin) => load(origin)));
  const result = await stitch(clips, { method: "auto" });
  const trials = result.seams[0]?.trials ?? [];
  if (request !== latestRequest) return;
  const maxScore = Math.max(...trials.map(({ score }) => score), 0.01);
  const joinedTrials: Promise<JoinedTrial>[] = [];
  const joinedTrial = (index: number): Promise<JoinedTrial> =>
    (joinedTrials[index] ??= joinClips(clips, trials[index] as Trial));
  let selected = -1;
  const selectTrial = (index: number): void => {
    selected = index;
    for (const [i, button] of trialList.querySelectorAll("button").entries())
      button.setAttribute("aria-pressed", String(i === index));
    const isCurrent = (): boolean => selected === index && request === latestRequest;
    Promise.all([joinedTrial(0), joinedTrial(index)])
      .then(([best, other]) => compare(best, other, isCurrent))
      .catch((error: unknown) => isCurrent() && showFailure(error));
  };
  const entries = trials.map((trial, index) => createEntry(trial, maxScore, () => selectTrial(index)));
  trialList.replaceChildren(...entries.map(({ item }) => item));
  const milliseconds = trials.reduce((sum, trial) => sum + trial.milliseconds, 0);
  status.textContent = `Tried ${trials.length} joins in ${Math.round(milliseconds)} ms. The best is listed first.`;
  // The last join is the worst. At first, its curve is compared with the curve of the best join.
  selectTrial(trials.length - 1);
  for (const [index, { mini }] of entries.entries()) {
    const { clip, frame } = await joinedTrial(index);
    if (request !== latestRequest) return;
    mini.set({ poses: await posesOf(clip), frame });
  }
}

/** Shows the properties of the judge from the manifest. */
function showJudgeProperties(): void {
  const judge = shippedFor("judge")[0];
  if (!judge) return;
  const joins = [
    ["hardCut", "Hard cut"],
    ["crossfade", "Crossfade"],
    ["inertialize", "Inertialization"],
    ["inertializeInStep", "Inertialization, cut in step"],
    ["rmrInStep", "Refined, cut in step"],
  ] as const;
  const head = document.createElement("tr");
  const addCell = (row: HTMLElement, tag: "th" | "td", text: string): void =>
    void row.append(Object.assign(document.createElement(tag), { textContent: text }));
  for (const name of ["Recordings", "Flagged", ...joins.map(([, name]) => name)]) addCell(head, "th", name);
  findElement("#scores thead").append(head);
  const percent = (value: number | undefined, digits: number): string =>
    value === undefined ? "–" : `${value.toFixed(digits)} %`;
  for (const [recordings, scores] of Object.entries(judge.scores ?? {})) {
    const row = document.createElement("tr");
    addCell(row, "th", recordings.replace(/:.*/, ""));
    addCell(row, "td", percent(scores.judge?.flaggedPercent, 1));
    for (const [join] of joins) {
      const auc = scores.auc?.[join];
      addCell(row, "td", percent(auc === undefined ? undefined : 100 * auc, 0));
    }
    findElement("#scores tbody").append(row);
  }
  const data = judge.data.map(({ name, licence }) => `${name} (${licence})`).join("; ");
  const bytes = judge.files.reduce((sum, file) => sum + file.bytes, 0);
  findElement("#about").textContent =
    `The judge: ${Math.round(bytes / 1000)} KB, ${judge.licence}. Trained on ${data}.`;
}

const messageOf = (error: unknown): string => sentence(error instanceof Error ? error.message : String(error));
const showFailure = (error: unknown): void =>
  void (status.textContent = `This could not be computed: ${messageOf(error)}`);

async function start(): Promise<void> {
  showJudgeProperties();
  await loadNetworks({ for: "judge", models: new URL("models/", document.baseURI) });
  const select = findElement<HTMLSelectElement>("#pair");
  select.append(...PAIRS.map(([name], index) => new Option(name, String(index))));
  const showSelectedPair = (): Promise<void> =>
    show((PAIRS[Number(select.value)] ?? PAIRS[0] ?? []).slice(1).map((file) => new URL(file, document.baseURI)));
  select.addEventListener("change", () => void showSelectedPair());
  const openFiles = (files: File[]): void => {
    if (files.length < 2) status.textContent = "A seam needs two clips: choose two files at once.";
    else void show(files);
  };
  findElement("#choose").addEventListener("click", () => chooseFiles(openFiles));
  acceptDrops(openFiles, "Drop two motions");
  await showSelectedPair();
}

start().catch(showFailure);
