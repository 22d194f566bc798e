/** The one object that panels, viewer and commands share: document, files, results, clock, settings. */
import type { Role } from "kinestitch/worker";
import { sentence } from "./engine";
import { History } from "./history";
import { Library, type Origin, type Source } from "./library";
import { matchFrame } from "./match";
import { Networks } from "./networks";
import { Playback } from "./playback";
import { append, EMPTY, freeColors, newId, type Item, type Project } from "./project";
import { comparedMethod, methodInForce, watchDevice } from "./refine";
import { keepSettings, readSettings, type Settings } from "./settings";
import { Stitcher, type Job, type Take } from "./stitcher";

export class App {
  readonly history = new History<Project>(EMPTY);
  readonly playback = new Playback();
  readonly library: Library;
  readonly stitcher: Stitcher;
  readonly networks: Networks;
  settings: Settings = readSettings();
  /** Id of the selected item. */
  selected: string | undefined;
  /** Part of the body that is pointed at in the bone mapping, shown on the figure. */
  pointed: Role | undefined;
  /** Short message at the foot of the page. */
  notice: { text: string; kind: "info" | "error" } | undefined;
  /** The document as it was saved last. */
  saved: Project | undefined;
  /** The demo is shown: the first file of the user's own takes its place. */
  demo = false;
  #listeners = new Set<() => void>();
  /** Files were added, and their result is not shown yet. */
  #arrived = false;
  #scheduled = false;
  #noticeTimer = 0;

  constructor() {
    const changed = (): void => this.changed();
    this.stitcher = new Stitcher((this.library = new Library(changed)), changed);
    this.networks = new Networks(changed);
    this.stitcher.onTake = ({ method }) => void (method === "rmr" && watchDevice(this));
    this.playback.onState = changed;
  }

  get project(): Project {
    return this.history.value;
  }

  /** Tells everyone, once per animation frame. */
  changed(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // A hidden tab gets no animation frames, and its results should be ready all the same.
    const soon = document.hidden ? (run: () => void) => setTimeout(run, 16) : requestAnimationFrame;
    soon(() => {
      this.#scheduled = false;
      this.stitcher.update(this.project, methodInForce(this), comparedMethod(this), this.networks.info?.file);
      const take = this.shownTake();
      if (take) this.playback.setClip(take.motion.frames, take.motion.fps);
      if (take && this.#arrived) this.#goToNews(take);
      for (const listener of this.#listeners) listener();
    });
  }

  onChange(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** Runs once, when the last edit is stitched; not where that fails. */
  onceStitched(run: () => void): void {
    const wait = (): void => {
      const { busy, problem } = this.stitcher.jobs.a;
      if (busy) return;
      this.#listeners.delete(wait);
      if (!problem) run();
    };
    this.#listeners.add(wait);
  }

  /** One undoable edit. Edits with the same `key` in quick succession are undone together. */
  edit(label: string, change: (project: Project) => Project, key?: string, within?: number): void {
    this.history.push(change(this.project), label, key, within);
    if (!this.item(this.selected)) this.selected = undefined;
    this.changed();
  }

  /** Closing the page now would lose work. */
  get unsaved(): boolean {
    return !this.demo && this.project.items.length > 0 && this.project !== this.saved;
  }

  undo(): void {
    const label = this.history.undo();
    if (label) this.notify(`Undone: ${label}`);
    this.changed();
  }

  redo(): void {
    const label = this.history.redo();
    if (label) this.notify(`Done again: ${label}`);
    this.changed();
  }

  set(settings: Partial<Settings>): void {
    const before = this.shownTake();
    this.settings = { ...this.settings, ...settings };
    const after = this.shownTake();
    if (before && after && before !== after) {
      // The other side of a comparison shows the same moment.
      const frame = matchFrame(before, after, this.playback.frame);
      this.playback.setClip(after.motion.frames, after.motion.fps);
      this.playback.seek(frame);
    }
    keepSettings(this.settings);
    this.changed();
  }

  point(role: Role | undefined): void {
    if (role === this.pointed) return;
    this.pointed = role;
    this.changed();
  }

  select(id: string | undefined): void {
    this.selected = id;
    this.changed();
  }

  item(id: string | undefined): Item | undefined {
    return this.project.items.find((item) => item.id === id);
  }

  sourceOf(item: Item | undefined): Source | undefined {
    return item && this.library.sources.get(item.source);
  }

  /** The side that is shown, in full or on the left. */
  shownJob(): Job {
    const { compare, side } = this.settings;
    return compare === "swap" && side === "b" ? this.stitcher.jobs.b : this.stitcher.jobs.a;
  }

  shownTake(): Take | undefined {
    return this.shownJob().take ?? this.stitcher.jobs.a.take;
  }

  /** Reads files and puts them at the end of the timeline; the demo goes when the first own file comes. */
  async open(origins: readonly Origin[], demo = false): Promise<void> {
    if (origins.length === 0) return;
    const read = origins.map((origin) => this.library.add(origin));
    const fresh = this.demo && !demo;
    const colors = freeColors(fresh || demo ? EMPTY : this.project, read.length);
    const items = read.map(({ source }, i) => ({ id: newId("item"), source: source.id, color: colors[i] }));
    this.demo = demo;
    const label = origins.length === 1 ? `add ${read[0].source.name}` : `add ${origins.length} clips`;
    if (demo) this.history.reset(append(EMPTY, ...items));
    else this.edit(label, (project) => append(fresh ? { ...project, items: [] } : project, ...items));
    if (fresh) this.playback.seek(0);
    await Promise.all(read.map(({ settled }) => settled));
    const failed = read.filter(({ source }) => source.state === "error" && source.problem?.code !== "aborted");
    if (failed.length === 1) this.notify(`Could not read ${failed[0].source.name}: ${sentence(failed[0].source.problem?.message ?? "")}`, "error");
    else if (failed.length > 1) this.notify(`Could not read ${failed.length} of the files; what is wrong stands beside each.`, "error");
    if (!demo && !this.playback.playing) this.playback.play(true);
    this.#arrived = !demo;
    this.changed();
  }

  /** In a long motion the first new seam is minutes away: starts shortly before it. */
  #goToNews(take: Take): void {
    if (this.stitcher.busy) return;
    this.#arrived = false;
    const seam = take.seams.at(-1);
    const lead = 2.5 * take.motion.fps;
    const { playback } = this;
    if (seam && seam.frame > playback.frame + 4 * lead) playback.seek(Math.round(seam.frame - lead));
  }

  notify(text: string, kind: "info" | "error" = "info"): void {
    this.notice = { text, kind };
    window.clearTimeout(this.#noticeTimer);
    this.#noticeTimer = window.setTimeout(() => {
      this.notice = undefined;
      this.changed();
    }, kind === "error" ? 9000 : 3500);
    this.changed();
  }
}
