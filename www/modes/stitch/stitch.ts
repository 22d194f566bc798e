/** The mode "Stitch": joins clips in order. Its document, results and display. */
import type { TemplateResult } from "lit-html";
import type { Role } from "kinestitch/worker";
import type { App } from "../../core/app";
import type { Command } from "../../core/command";
import { sentence, stitch } from "../../core/engine";
import { History } from "../../core/history";
import { newId } from "../../core/ids";
import type { Origin, Source } from "../../core/library";
import { MAX_MOTIONS, limitMotions } from "../../core/limits";
import { whenLoadingGateOpens } from "../../core/loading-gate";
import { nearestMark, type Marks } from "../../core/marks";
import type { DocumentStorage } from "../../core/stored-work";
import type { Exportable, Mode, ExportableClip } from "../../core/mode";
import type { Panel } from "../../core/panel";
import { Playback } from "../../core/playback";
import { Track } from "../../timeline/track";
import type { DisplayedMotion } from "../../viewer/poses";
import type { StageContents } from "../../viewer/stage-contents";
import { createCommands } from "./commands";
import { Cuts } from "./cuts/cuts";
import { DEMO } from "./demo";
import { matchFrame } from "./match";
import { renderOverlay } from "./overlay";
import { createPanels } from "./panels";
import { fetchPreparedDemo } from "./prepared-demo";
import { append, EMPTY, freeColors, type Item, type Project } from "./project";
import {
  comparedMethod,
  isBeforeAfter,
  effectiveMethod,
  sideOrder,
  loadCachedNetwork,
  checkDevice,
} from "./method-choice";
import { displayOf } from "./display";
import { Stitcher, type Job, type StitchResult } from "./stitcher";
import { Alternatives } from "./joins/alternatives";
import { Timeline } from "./timeline/timeline";

/** The mode "Stitch". */
export class Stitch implements Mode {
  readonly id = "stitch";
  readonly title = "Stitch";
  readonly followSetting = "follow";
  readonly gestures = [
    ["Trim", "drag a clip's end"],
    ["Reorder", "drag a clip"],
  ] as const;
  readonly app: App;
  readonly clock = new Playback();
  readonly track: Track;
  readonly history = new History<Project>(EMPTY);
  readonly stitcher: Stitcher;
  readonly cuts = new Cuts();
  readonly alternatives = new Alternatives(this);
  readonly panels: readonly Panel[];
  readonly commands: readonly Command[];
  /** Id of the selected item. */
  selected: string | undefined;
  /** Keys of the seams (see `pairKey`) whose manual settings are open. */
  readonly opened = new Set<string>();
  /** Role under the pointer in the bone mapping, highlighted on the figure. */
  pointed: Role | undefined;
  /** Whether the demo is shown; the first file of the user replaces it. */
  demo = false;
  /** The demo as the build has stitched it; shown until this page has stitched it. */
  #prepared: DisplayedMotion | undefined;
  /** Whether the demo will be opened soon. */
  #isStarting = false;
  #timeline: Timeline;
  /** The document as last saved. */
  #saved: Project | undefined;
  #onStitched = new Set<() => void>();
  /** Whether files were added whose result is not shown yet. */
  #filesAdded = false;
  /** Whether the network of an earlier visit was looked for in the cache. */
  #isCacheRead = false;
  /** Result shown at the last update. */
  #lastShown: StitchResult | undefined;
  /** Index of the seam that was nearest to the playhead at the last frame. */
  #nearestSeam = -1;

  constructor(app: App) {
    this.app = app;
    const requestUpdate = (): void => app.requestUpdate();
    this.track = new Track(this.clock, requestUpdate);
    this.stitcher = new Stitcher(app.library, requestUpdate);
    this.stitcher.onResult = (result) => {
      this.alternatives.store(result);
      if (result.method === "rmr") void checkDevice(this);
    };
    this.#timeline = new Timeline(this);
    this.panels = createPanels(this);
    this.commands = createCommands(this);
  }

  get project(): Project {
    return this.history.value;
  }

  get unsaved(): boolean {
    return !this.demo && this.project.items.length > 0 && this.project !== this.#saved;
  }

  get settled(): boolean {
    return (
      !this.#isStarting &&
      !this.stitcher.busy &&
      this.project.items.every((item) => this.sourceOf(item)?.state !== "loading")
    );
  }

  get failed(): boolean {
    return this.stitcher.jobs.a.problem !== undefined;
  }

  enter(): void {
    if (this.project.items.length > 0 || this.#isStarting) return;
    this.#isStarting = true;
    void this.#openDemo();
  }

  /** Shows the prepared motion of the demo, and then opens its files, unless the user has added files meanwhile. */
  async #openDemo(): Promise<void> {
    const isPrepared = await this.#showPrepared();
    if (isPrepared) await whenLoadingGateOpens();
    this.#isStarting = false;
    if (this.project.items.length > 0) return this.app.requestUpdate();
    await this.add(DEMO, true);
    // The prepared motion plays already, unless the user has paused it.
    if (!isPrepared && this.app.mode === this) this.#playByItself();
  }

  /** Shows and plays the prepared motion of the demo. Resolves to whether it is shown. */
  async #showPrepared(): Promise<boolean> {
    const prepared = await fetchPreparedDemo();
    if (!prepared || this.project.items.length > 0 || this.app.mode !== this) return false;
    this.#prepared = prepared;
    this.clock.setClip(prepared.motion.frames, prepared.motion.fps);
    this.#playByItself();
    this.app.requestUpdate();
    return true;
  }

  /** The prepared motion, while it is shown in place of a result. */
  get prepared(): DisplayedMotion | undefined {
    const isDemo = this.demo || this.project.items.length === 0;
    return isDemo && !this.shownResult() && !this.failed ? this.#prepared : undefined;
  }

  leave(): void {
    this.pointed = undefined;
  }

  update(): void {
    this.stitcher.update(this.project, {
      method: effectiveMethod(this),
      compare: comparedMethod(this),
      network: this.app.networks.info?.files[0]?.name,
      auto: `auto ${this.app.auto.version} ${this.app.networks.info?.files[0]?.name ?? ""}`,
    });
    const { a, b } = this.stitcher.jobs;
    const result = this.shownResult();
    if (result) this.#prepared = undefined;
    // The other side of a comparison shows the same moment.
    const isSwitched =
      this.#lastShown && result !== this.#lastShown && (this.#lastShown === a.result || this.#lastShown === b.result);
    const frame = isSwitched ? matchFrame(this.#lastShown, result, this.clock.frame) : undefined;
    if (result) this.clock.setClip(result.motion.frames, result.motion.fps);
    if (frame !== undefined) this.clock.seek(frame);
    this.#lastShown = result;
    if (result && this.#filesAdded) this.#goToNewSeam(result);
    if (this.app.settings.dock === "cuts") this.cuts.update(this);
    if (result && !this.stitcher.busy && this.app.isDrawn) this.#loadImprovements();
    if (!a.busy) this.#callOnStitched(!a.problem);
  }

  /** Loads what may improve the first result, when that is displayed. */
  #loadImprovements(): void {
    this.app.auto.loadWhenIdle(() => this.app.settings.improve);
    if (this.#isCacheRead) return;
    this.#isCacheRead = true;
    void loadCachedNetwork(this);
  }

  timeline(): TemplateResult {
    return this.#timeline.view();
  }

  overlay(): TemplateResult {
    return renderOverlay(this);
  }

  stageContents(): StageContents {
    const { jobs } = this.stitcher;
    const [left, right] = sideOrder(this);
    const split = this.app.settings.compare === "split";
    return {
      a: displayOf(split ? jobs[left].result : this.shownResult()) ?? this.prepared,
      b: split ? displayOf(jobs[right].result) : undefined,
      markedRole: this.pointed,
    };
  }

  frames(): readonly [number, number] {
    const { frame } = this.clock;
    const { a, b } = this.stitcher.jobs;
    const frames = { a: frame, b: matchFrame(a.result, b.result, frame) };
    const [left, right] = this.app.settings.compare === "split" ? sideOrder(this) : (["a", "b"] as const);
    return [frames[left], frames[right]];
  }

  marks(): Marks {
    const list = (this.shownResult()?.seams ?? []).map(({ frame, editedRange: { from, to } }) => ({
      frame,
      from: Math.min(frame, from),
      to: Math.max(frame, to),
    }));
    return { name: "seam", list };
  }

  onFrame(): void {
    const seam = nearestMark(this);
    if (seam !== this.#nearestSeam) this.app.requestUpdate();
    this.#nearestSeam = seam;
  }

  exportable(): Exportable | undefined {
    const result = this.shownResult();
    if (!result) return undefined;
    const { project } = this;
    // While a project is stitched, or if that fails, the result is that of an earlier project.
    const { a, b } = this.stitcher.jobs;
    const isCurrent = this.settled && !(result === b.result ? b : a).problem;
    return { name: result.motion.name, clip: result.clip, onSaved: () => isCurrent && (this.#saved = project) };
  }

  exportableClips(): readonly ExportableClip[] {
    const { library } = this.app;
    return this.project.items.flatMap((item) => {
      const source = library.sources.get(item.source);
      if (source?.state !== "ready") return [];
      const { name } = source;
      const clip = async () => {
        const wholeClip = (await library.clip(item.source, this.project.rigs[item.source])).clip;
        return item.trim ? stitch([wholeClip], { trim: [item.trim], footLock: false, name }) : wholeClip;
      };
      return [{ id: item.id, name, clip }];
    });
  }

  readonly storage: DocumentStorage<Project> = {
    document: () => (this.demo || this.project.items.length === 0 ? undefined : this.project),
    sources: ({ items }) => items.map(({ source }) => source),
    schema: async () => (await import("./schema")).project,
    restore: (document) => {
      this.demo = false;
      this.history.reset(document);
    },
    clear: () => this.history.reset(EMPTY),
    capture: () => {
      const [restoreHistory, demo] = [this.history.capture(), this.demo];
      return () => {
        restoreHistory();
        this.demo = demo;
      };
    },
  };

  open(origins: readonly Origin[]): void {
    void this.add(origins);
  }

  /** Calls `run` once when the last edit is stitched; never if that fails. */
  onceStitched(run: () => void): void {
    this.#onStitched.add(run);
    this.app.requestUpdate();
  }

  #callOnStitched(succeeded: boolean): void {
    const callbacks = [...this.#onStitched];
    this.#onStitched.clear();
    if (succeeded) for (const run of callbacks) run();
  }

  /**
   * Edits the document as an undoable step. Edits with the same `key` less than `within` milliseconds apart are one
   * step.
   */
  edit(label: string, change: (project: Project) => Project, key?: string, within?: number): void {
    const edited = change(this.project);
    if (edited.items.length > MAX_MOTIONS)
      return this.app.notify(`The limit is ${MAX_MOTIONS} clips; this would make ${edited.items.length}.`, "error");
    this.history.push(edited, label, key, within);
    if (!this.item(this.selected)) this.selected = undefined;
    this.app.requestUpdate();
  }

  point(role: Role | undefined): void {
    if (role === this.pointed) return;
    this.pointed = role;
    this.app.requestUpdate();
  }

  select(id: string | undefined): void {
    this.selected = id;
    this.app.requestUpdate();
  }

  item(id: string | undefined): Item | undefined {
    return this.project.items.find((item) => item.id === id);
  }

  sourceOf(item: Item | undefined): Source | undefined {
    return item && this.app.library.sources.get(item.source);
  }

  /** Returns the job of the side that is shown alone; in "side by side" the job of side a. */
  shownJob(): Job {
    const { compare, side } = this.app.settings;
    const showsB = side === "b" && (compare === "swap" || (compare === "off" && isBeforeAfter(this)));
    return showsB ? this.stitcher.jobs.b : this.stitcher.jobs.a;
  }

  shownResult(): StitchResult | undefined {
    return this.shownJob().result ?? this.stitcher.jobs.a.result;
  }

  /** Reads files and appends them to the timeline; the first file of the user replaces the demo. */
  async add(requested: readonly Origin[], demo = false): Promise<void> {
    const { app } = this;
    const replacesDemo = this.demo && !demo;
    const origins = limitMotions(app, requested, replacesDemo || demo ? 0 : this.project.items.length);
    if (origins.length === 0) return;
    const added = origins.map((origin) => app.library.add(origin));
    const colors = freeColors(replacesDemo || demo ? EMPTY : this.project, added.length);
    const items = added.map(({ source }, i) => ({ id: newId("item"), source: source.id, color: colors[i] }));
    this.demo = demo;
    const label = origins.length === 1 ? `add ${added[0].source.name}` : `add ${origins.length} clips`;
    if (demo) this.history.reset(append(EMPTY, ...items));
    else this.edit(label, (project) => append(replacesDemo ? { ...project, items: [] } : project, ...items));
    if (replacesDemo) this.clock.seek(0);
    await Promise.all(added.map(({ settled }) => settled));
    const failed = added.filter(({ source }) => source.state === "error" && source.problem?.code !== "aborted");
    if (failed.length === 1)
      app.notify(
        `Could not read ${failed[0].source.name}: ${sentence(failed[0].source.problem?.message ?? "")}`,
        "error",
      );
    else if (failed.length > 1)
      app.notify(`Could not read ${failed.length} of the files; each shows its error.`, "error");
    const isAnyRead = added.some(({ source }) => source.state === "ready");
    if (!demo && isAnyRead) {
      if (app.mode === this && !this.clock.playing) this.#playByItself();
      this.#filesAdded = true;
    }
    app.requestUpdate();
  }

  /** Starts playback after clips are added, unless the user prefers reduced motion. */
  #playByItself(): void {
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.clock.play(true);
  }

  /** If the last seam is more than 10 seconds after the playhead, moves the playhead to 2.5 seconds before the seam. */
  #goToNewSeam(result: StitchResult): void {
    if (this.stitcher.busy) return;
    this.#filesAdded = false;
    const seam = result.seams.at(-1);
    const lead = 2.5 * result.motion.fps;
    if (seam && seam.frame > this.clock.frame + 4 * lead) this.clock.seek(Math.round(seam.frame - lead));
  }
}
