/** The mode "In-between": the motion between keys. Its document, results and display. */
import type { NetworkMethodName } from "kinestitch/worker";
import { networkMethods } from "kinestitch/ui";
import type { TemplateResult } from "lit-html";
import type { App } from "../../core/app";
import type { Command } from "../../core/command";
import { sentence, type WorkerInbetween } from "../../core/engine";
import { History } from "../../core/history";
import type { Origin, Source } from "../../core/library";
import { MAX_MOTIONS, limitMotions } from "../../core/limits";
import type { Marks } from "../../core/marks";
import type { DocumentStorage } from "../../core/stored-work";
import type { Exportable, Mode } from "../../core/mode";
import type { Panel } from "../../core/panel";
import { Networks } from "../../core/networks";
import { Playback } from "../../core/playback";
import { Track } from "../../timeline/track";
import type { GroundPose } from "../../viewer/handles";
import type { StageContents } from "../../viewer/stage-contents";
import { Candidates } from "./candidates";
import { createCommands } from "./commands";
import { DEMO, createDemo } from "./demo";
import { addKey, EMPTY, placeKey, type Document, type Key } from "./document";
import { isNetwork } from "../fillers";
import { automaticVersion, effectiveMethod } from "./network";
import { renderOverlay } from "./overlay";
import { createPanels } from "./panels";
import { Scene } from "./scene";
import { Solver, type SolvedMotion } from "./solver";
import { Timeline } from "./timeline";
import { Variants } from "./variants";

/** The mode "In-between". */
export class Inbetween implements Mode {
  readonly id = "inbetween";
  readonly title = "In-between";
  readonly followSetting = "followKeys";
  readonly gestures = [
    ["Move a key", "drag its ghost or ring"],
    ["Turn a key", "drag its arrow"],
    ["Move a key in time", "drag its block"],
    ["More or fewer frames between", "drag a gap's end"],
  ] as const;
  readonly app: App;
  readonly clock = new Playback();
  readonly track: Track;
  readonly history = new History<Document>(EMPTY);
  /** The motion by the chosen method, and by plain interpolation for comparison. */
  readonly result: Solver;
  readonly plain: Solver;
  /** The networks that fill gaps. */
  readonly networks: Readonly<Record<NetworkMethodName, Networks>>;
  /** The other variants of a method with seeds. */
  readonly variants: Variants;
  /** Candidate motions on different paths. */
  readonly candidates = new Candidates(this);
  readonly panels: readonly Panel[];
  readonly commands: readonly Command[];
  /** Id of the selected key. */
  selected: string | undefined;
  /** Whether a key is being dragged: then the motion is solved on this thread, and drawn as a simple figure. */
  dragging = false;
  /** Whether plain interpolation is shown instead of the result. */
  showsPlain = false;
  #demo = false;
  /** Whether the camera has been framed on the keys. */
  #isFramed = false;
  #scene: Scene;
  #timeline: Timeline;
  #saved: Document | undefined;

  constructor(app: App) {
    this.app = app;
    const requestUpdate = (): void => app.requestUpdate();
    this.track = new Track(this.clock, requestUpdate);
    const entries = networkMethods.map((name) => [name, new Networks("inbetween", requestUpdate, name)]);
    this.networks = Object.fromEntries(entries) as Record<NetworkMethodName, Networks>;
    this.result = new Solver(app.library, requestUpdate);
    this.plain = new Solver(app.library, requestUpdate);
    this.variants = new Variants(app.library, requestUpdate);
    this.result.trainingSetOf = (method) => (isNetwork(method) ? this.networks[method].info?.set : undefined);
    this.#scene = new Scene(this);
    this.#timeline = new Timeline(this);
    this.panels = createPanels(this);
    this.commands = createCommands(this);
  }

  get document(): Document {
    return this.history.value;
  }

  get unsaved(): boolean {
    return !this.#demo && this.document.keys.length > 0 && this.document !== this.#saved;
  }

  get settled(): boolean {
    return !this.result.busy && this.document.keys.every((key) => this.sourceOf(key)?.state !== "loading");
  }

  get failed(): boolean {
    return this.result.problem !== undefined;
  }

  /** The shown motion. */
  get solved(): SolvedMotion | undefined {
    return this.showsPlain ? (this.plain.solved ?? this.result.solved) : this.result.solved;
  }

  /** The clip of the last motion that the worker has solved, also during a drag. */
  get clip(): WorkerInbetween | undefined {
    return this.showsPlain ? (this.plain.clip ?? this.result.clip) : this.result.clip;
  }

  enter(): void {
    for (const solver of [this.result, this.plain]) solver.setShown(true);
    if (this.document.keys.length === 0) void this.#openDemo();
    else this.clock.play(!matchMedia("(prefers-reduced-motion: reduce)").matches);
  }

  leave(): void {
    this.dragging = false;
    this.candidates.isDrawing = false;
    this.#isFramed = false;
    for (const solver of [this.result, this.plain]) solver.setShown(false);
  }

  update(): void {
    const { document } = this;
    const method = effectiveMethod(this);
    this.result.update(document, method, this.dragging, method === "auto" ? automaticVersion(this) : "");
    this.variants.update(document, this.dragging);
    this.candidates.update();
    this.plain.update(document, "linear", this.dragging);
    const { solved } = this;
    if (solved) this.clock.setClip(solved.motion.frames, solved.motion.fps);
    if (this.result.solved && !this.#isFramed) {
      this.#isFramed = true;
      // Waits until the motion is on the stage.
      setTimeout(() => this.app.host.view("frame"), 50);
    }
    if (solved && !this.dragging && this.app.isDrawn) this.app.auto.loadWhenIdle(() => this.app.settings.improve);
    // With a new motion, the same frame looks different.
    this.app.frameChanged = true;
  }

  timeline(): TemplateResult {
    return this.#timeline.view();
  }

  overlay(): TemplateResult {
    return renderOverlay(this);
  }

  stageContents(): StageContents {
    return this.#scene.contents();
  }

  frames(): readonly [number, number] {
    return [this.clock.frame, this.clock.frame];
  }

  marks(): Marks {
    const list = (this.solved?.clip.keys ?? []).map(({ from, to }) => ({ frame: from, from, to }));
    return { name: "key", list };
  }

  onFrame(): void {
    // No panel needs to be rendered again: the plots move their playheads themselves.
  }

  exportable(): Exportable | undefined {
    const solver = this.showsPlain ? this.plain : this.result;
    const { clip } = solver;
    if (!clip) return undefined;
    const { document } = this;
    // While a document is solved, or if that fails, the clip is that of an earlier document.
    const isCurrent = this.settled && !this.dragging && !solver.busy && !solver.problem;
    return { name: clip.name, clip, onSaved: () => isCurrent && (this.#saved = document) };
  }

  readonly storage: DocumentStorage<Document> = {
    document: () => (this.#demo || this.document.keys.length === 0 ? undefined : this.document),
    sources: ({ keys }) => keys.map(({ source }) => source),
    schema: async () => (await import("./schema")).document,
    restore: (document) => {
      this.#demo = false;
      this.history.reset(document);
    },
    clear: () => this.history.reset(EMPTY),
    capture: () => {
      const [restoreHistory, demo] = [this.history.capture(), this.#demo];
      return () => {
        restoreHistory();
        this.#demo = demo;
      };
    },
  };

  open(origins: readonly Origin[]): void {
    void this.add(origins);
  }

  /**
   * Edits the document as an undoable step. Edits with the same `key` less than `within` milliseconds apart are one
   * step.
   */
  edit(label: string, change: (document: Document) => Document, key?: string, within?: number): void {
    const previous = this.document;
    const edited = change(previous);
    if (edited.keys.length > MAX_MOTIONS) return this.app.notify(`The limit is ${MAX_MOTIONS} keys.`, "error");
    this.history.push(edited, label, key, within);
    if (this.document !== previous) this.#demo = false;
    if (!this.key(this.selected)) this.selected = undefined;
    // Updates now, so that dragged objects are drawn in the next frame, not in the one after it.
    if (this.dragging) this.update();
    this.app.requestUpdate();
  }

  select(id: string | undefined): void {
    this.selected = id;
    this.app.requestUpdate();
  }

  key(id: string | undefined): Key | undefined {
    return this.document.keys.find((key) => key.id === id);
  }

  sourceOf(key: Pick<Key, "source"> | undefined): Source | undefined {
    return key && this.app.library.sources.get(key.source);
  }

  /** Returns the ground pose of a key: as set by the user, else as in the motion. */
  groundPoseOf(id: string): GroundPose | undefined {
    const { solved } = this.result;
    return this.key(id)?.at ?? solved?.clip.groundPoses[solved.document.keys.findIndex((key) => key.id === id)];
  }

  /** Sets the ground pose of a key. The other keys keep their ground poses. */
  placeKey(id: string, groundPose: GroundPose, label = "move a key", within = 1000): void {
    // Not of the first key: without a ground pose, it stays as in its clip in any case.
    const currentPoses = new Map(this.document.keys.slice(1).map((key) => [key.id, this.groundPoseOf(key.id)]));
    this.edit(label, (document) => placeKey(document, id, groundPose, currentPoses), `place-${id}`, within);
  }

  async #openDemo(): Promise<void> {
    const sources = await this.#read(DEMO);
    if (sources.length < DEMO.length || this.document.keys.length > 0) return;
    this.history.reset(createDemo(sources));
    this.#demo = true;
    this.app.requestUpdate();
    if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.clock.play(true);
  }

  /** Reads files, and adds a key at the end for each. The first file of the user replaces the demo. */
  async add(origins: readonly Origin[]): Promise<void> {
    const sources = await this.#read(limitMotions(this.app, origins, this.#demo ? 0 : this.document.keys.length));
    if (sources.length === 0) return;
    const initial = this.#demo ? EMPTY : this.document;
    const newKeys = sources.flatMap(({ id, info }) => {
      const frames = info?.frames ?? 1;
      // A single file gives two keys, so that there is a motion.
      const firstFrames =
        sources.length === 1 && initial.keys.length === 0
          ? [Math.floor(frames / 4), Math.floor((frames * 3) / 4)]
          : [Math.floor(frames / 2)];
      return firstFrames.map((from) => ({ source: id, from, to: from + 1 }));
    });
    const label = sources.length === 1 ? `add ${sources[0].name}` : `add ${sources.length} clips`;
    this.edit(label, () => newKeys.reduce((document, key) => addKey(document, key), initial));
    this.select(this.document.keys.at(-1)?.id);
  }

  async #read(origins: readonly Origin[]): Promise<Source[]> {
    const { app } = this;
    const added = origins.map((origin) => app.library.add(origin));
    await Promise.all(added.map(({ settled }) => settled));
    const ready = added.map(({ source }) => source).filter(({ state }) => state === "ready");
    const failed = added
      .map(({ source }) => source)
      .filter(({ state, problem }) => state === "error" && problem?.code !== "aborted");
    if (failed.length)
      app.notify(`Could not read ${failed[0].name}: ${sentence(failed[0].problem?.message ?? "")}`, "error");
    return ready;
  }
}
