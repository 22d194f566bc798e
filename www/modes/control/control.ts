/** The mode "Control": the user steers a character in real time, and can record its motion. */
import type { TemplateResult } from "lit-html";
import type { CharacterName } from "kinestitch/worker";
import type { App } from "../../core/app";
import type { Command } from "../../core/command";
import { problemOf, type Problem } from "../../core/engine";
import { History } from "../../core/history";
import type { Origin } from "../../core/library";
import type { DocumentStorage } from "../../core/stored-work";
import type { Marks } from "../../core/marks";
import type { Exportable, Mode, RealTime } from "../../core/mode";
import type { Panel } from "../../core/panel";
import { Playback } from "../../core/playback";
import { Track } from "../../timeline/track";
import type { GroundPose } from "../../viewer/handles";
import type { StageContents } from "../../viewer/stage-contents";
import type { Actor } from "./actor";
import { renderBar } from "./bar";
import { Cast } from "./cast";
import { bodiesFor, MODEL_BODY, OWN_BODY, bodyVersion } from "./bodies";
import { CHARACTERS, type CharacterEntry } from "./characters";
import { createCommands } from "./commands";
import { groundField, LEVEL } from "./grounds";
import { Inputs, STEERING, STEERING_KEYS } from "./inputs";
import { settingsStorage, type ControlSettings } from "./storage";
import { Monitor } from "./monitor";
import { renderOverlay } from "./overlay";
import { createPanels } from "./panels";
import { Recorder } from "./recorder";
import { controlInput } from "./control-input";
import { createStageContents } from "./stage";
import { poseBeside, DemoPath, goalToInput } from "./steering";
import { TouchStick } from "./touch-stick";

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
/** Longest step of a controller, seconds. */
const MAX_STEP_SECS = 0.25;

/** Initial ground pose of the character. */
const START: GroundPose = { x: 0, z: 0, heading: 0 };

/** The mode "Control". */
export class Control implements Mode, ControlSettings {
  readonly id = "control";
  readonly title = "Control";
  readonly followSetting = "follow";
  readonly gestures = [
    ["Walk to a point", "click the ground"],
    ["Set the heading at the goal", "drag the arrow of the ring"],
  ] as const;
  readonly app: App;
  readonly clock = new Playback();
  readonly track: Track;
  readonly history = new History<undefined>(undefined);
  readonly cast: Cast;
  readonly recorder: Recorder;
  readonly monitor = new Monitor();
  readonly inputs: Inputs;
  readonly stick: TouchStick;
  readonly panels: readonly Panel[];
  readonly commands: readonly Command[];
  readonly realTime: RealTime;
  readonly storage: DocumentStorage<ControlSettings>;
  /** The controlled character. */
  lead: CharacterName = CHARACTERS[0]?.id ?? "biped";
  /** Whether both characters are shown. */
  both = false;
  /** Requested speed, m/s; if absent, the character's walking speed. */
  speed: number | undefined;
  style: string | undefined;
  action: string | undefined;
  /** Id of the body of each character, see bodies.ts; absent: the user's model, if it suits the character. */
  bodies: ControlSettings["bodies"] = {};
  /** Whether the character faces the direction of the camera, in whichever direction it moves. */
  strafes = false;
  /** Amplitude, 0 to 1, and seed of variations. */
  noise = 0;
  seed = 0;
  /** Id of the ground, see grounds.ts. */
  ground = LEVEL;
  paused = false;
  /** Whether the user has steered the character. */
  wasSteered = false;
  /** Error of a step; the character stops until {@link restart} or {@link pause} clears it. */
  problem: Problem | undefined;
  /** Running mean of the computation time of a step, milliseconds. */
  milliseconds = 0;
  #goal: GroundPose | undefined;
  #demo: DemoPath | undefined;
  #entered = false;
  /** Seconds of the recording that the page shows; -1 without a recording. */
  #shownSecond = -1;
  /**
   * Version of the last requested body of the controlled character, so that a body that cannot be loaded, or whose
   * loading the user cancelled, is not requested repeatedly.
   */
  #requestedBody: unknown;

  constructor(app: App) {
    this.app = app;
    const requestUpdate = (): void => app.requestUpdate();
    this.track = new Track(this.clock, requestUpdate);
    this.cast = new Cast(app);
    this.recorder = new Recorder(app);
    this.inputs = new Inputs({
      allowsLetters: () => app.settings.singleKeys,
      canAct: () => this.running,
      onSteer: () => this.#takeOver(),
    });
    this.stick = new TouchStick(this.inputs.touch);
    this.storage = settingsStorage(this, () => void (this.#entered && this.loadCharacters()));
    this.panels = createPanels(this);
    this.commands = createCommands(this);
    const mode = this;
    this.realTime = {
      heldKeys: STEERING_KEYS,
      steering: STEERING,
      get isRunning() {
        return mode.running;
      },
      advance: (seconds) => this.#advance(seconds),
    };
  }

  get running(): boolean {
    return this.#entered && !this.paused && !this.problem && this.actor !== undefined;
  }

  get unsaved(): boolean {
    return this.recorder.recorded?.saved === false;
  }

  get settled(): boolean {
    return !this.cast.busy;
  }

  get failed(): boolean {
    return this.problem !== undefined;
  }

  /** Menu entry of the controlled character. */
  get entry(): CharacterEntry | undefined {
    return CHARACTERS.find(({ id }) => id === this.lead);
  }

  /** Id of the body of the controlled character. */
  get body(): string {
    return this.#bodyOf(this.lead);
  }

  /** Returns the id of the body of a character: its own body if the requested body no longer exists. */
  #bodyOf(character: CharacterName): string {
    const requested = this.bodies[character] ?? MODEL_BODY;
    return bodiesFor(this.app, character).some(({ id }) => id === requested) ? requested : OWN_BODY;
  }

  /** Displays the controlled character on another body. */
  setBody(id: string): void {
    this.bodies = { ...this.bodies, [this.lead]: id };
    void this.#replaceBody();
  }

  /** Replaces the character by one on the requested body, at the same position. */
  async #replaceBody(): Promise<void> {
    const { lead, actor, body } = this;
    if (!actor) return;
    this.record(false);
    const { groundPose } = actor;
    const newActor = await this.#load(lead, groundPose, body);
    if (newActor && this.lead === lead) this.monitor.watch(newActor.controller);
    this.app.requestUpdate();
  }

  get actor(): Actor | undefined {
    return this.cast.actors.get(this.lead);
  }

  /** Whether the character follows the demo path. */
  get isDemo(): boolean {
    return this.#demo !== undefined;
  }

  enter(): void {
    this.#entered = true;
    this.inputs.listen();
    void this.loadCharacters(!this.actor && !reducedMotion.matches);
  }

  leave(): void {
    this.#entered = false;
    this.inputs.stopListening();
    this.cast.cancel();
    this.record(false);
  }

  /** Loads the characters that the settings name. `demo`: see {@link steer}. */
  async loadCharacters(demo = false): Promise<void> {
    await this.steer(this.lead, demo);
    if (this.#entered) await this.showBoth(this.both);
  }

  /** Creates all characters again and clears an error: after a crash of the module, its controllers are lost. */
  restart(): void {
    this.problem = undefined;
    this.record(false);
    this.cast.clear();
    void this.loadCharacters();
  }

  /**
   * Controls another character; its network is loaded first if necessary. `demo`: whether the character then follows
   * the demo path.
   */
  async steer(id: CharacterName, demo = false): Promise<void> {
    this.record(false);
    const previousPose = this.actor?.groundPose;
    if (id !== this.lead) this.speed = this.style = this.action = undefined;
    this.lead = id;
    this.#goal = this.#demo = undefined;
    const actor = await this.#load(id, previousPose ? poseBeside(previousPose) : START, this.body);
    if (!actor || this.lead !== id) return;
    this.monitor.watch(actor.controller);
    if (demo) this.setDemo(true);
    // Waits until the character is on the stage. The camera is farther away, because the character moves around.
    setTimeout(() => {
      if (!this.#entered) return;
      this.app.host.view("frame");
      this.app.host.zoom(1.4);
    }, 50);
    this.app.requestUpdate();
  }

  /** Loads characters with networks that were trained on other data: "open" or "research". */
  setTrainingData(set: string): void {
    this.app.set({ controlSet: set });
    this.both = false;
    this.restart();
  }

  /** Adds the other character to the stage, or removes it. */
  async showBoth(both: boolean): Promise<void> {
    this.both = both;
    this.app.requestUpdate();
    const other = CHARACTERS.find(({ id }) => id !== this.lead);
    const groundPose = this.actor?.groundPose;
    if (!both && other) this.cast.dismiss(other.id);
    if (both && other && groundPose) await this.#load(other.id, poseBeside(groundPose), this.#bodyOf(other.id));
  }

  /** Loads a character ({@link Cast.load}). If it is on another ground, it is moved to the start of the current one. */
  async #load(character: CharacterName, groundPose: GroundPose, body: string): Promise<Actor | undefined> {
    const { controlSet } = this.app.settings;
    if (character === this.lead) this.#requestedBody = bodyVersion(this.app, body);
    const actor = await this.cast.load(character, controlSet, groundPose, body, groundField(this.ground));
    if (actor && actor.ground !== groundField(this.ground)) this.#moveToStart(actor);
    return actor;
  }

  #moveToStart(actor: Actor): void {
    actor.setGround(groundField(this.ground), actor === this.actor ? START : poseBeside(START));
  }

  /** Moves the characters to the start of another ground. */
  setGround(id: string): void {
    this.ground = id;
    this.record(false);
    this.#goal = undefined;
    for (const actor of this.cast.actors.values()) this.#moveToStart(actor);
    this.setDemo(this.isDemo);
  }

  /** Starts or ends the demo path. */
  setDemo(on: boolean): void {
    const { entry, actor } = this;
    this.#goal = undefined;
    const size = entry?.demo.map((metres) => metres * (actor?.controller.scale ?? 1));
    this.#demo = on && size && actor ? new DemoPath([size[0] ?? 0, size[1] ?? 0]) : undefined;
    if (on) this.paused = false;
    this.app.requestUpdate();
  }

  /** Pauses or continues, and clears an error. */
  pause(paused: boolean): void {
    this.paused = paused;
    this.problem = undefined;
    this.app.requestUpdate();
  }

  /**
   * Starts a recording, or ends the running one, if any. None starts while a character is loaded, which may replace the
   * recorded one.
   */
  record(on: boolean): void {
    const { actor, recorder, app, settled } = this;
    if (on && !settled) return;
    if (on && actor) {
      void recorder.start(actor.controller);
      this.paused = false;
    } else if (!on && recorder.seconds !== undefined) void recorder.stop().then(() => app.requestUpdate());
    app.requestUpdate();
  }

  /** Ends the goal and the demo path: the character stands still. */
  stop(): void {
    this.#goal = this.#demo = undefined;
    this.app.requestUpdate();
  }

  /** Ends goal, demo and pause when the user steers. */
  #takeOver(): void {
    this.wasSteered = true;
    if (!this.#demo && !this.#goal && !this.paused) return;
    this.#goal = this.#demo = undefined;
    this.paused = false;
    this.app.requestUpdate();
  }

  #advance(seconds: number): boolean {
    // While paused, the input is read too, because steering ends the pause.
    if (this.paused && this.#entered) this.inputs.read(0);
    const { actor } = this;
    if (!this.running || !actor || document.hidden) return false;
    const startTime = performance.now();
    const input = { actor, heading: this.app.host.heading(), goal: this.#goal, demo: this.#demo };
    // The controllers of this thread have stepped when `step` returns; only an error is reported later.
    const steps = [actor.step(controlInput(this, input, seconds), seconds)];
    for (const other of this.cast.actors.values()) {
      if (other === actor || !this.both) continue;
      const goal = goalToInput(other.groundPose, poseBeside(actor.groundPose), other.controller.fastest);
      steps.push(other.step(goal, seconds));
    }
    Promise.all(steps).catch((error: unknown) => {
      this.problem = problemOf(error);
      this.app.requestUpdate();
    });
    this.milliseconds += 0.05 * (performance.now() - startTime - this.milliseconds);
    // The controller limits its steps in the same way.
    const stepSecs = Math.min(seconds, MAX_STEP_SECS);
    this.recorder.advance(stepSecs);
    this.monitor.push(stepSecs);
    const second = Math.floor(this.recorder.seconds ?? -1);
    if (second !== this.#shownSecond) this.app.requestUpdate();
    this.#shownSecond = second;
    return true;
  }

  update(): void {
    this.app.frameChanged = true;
    const { actor, body, cast, lead } = this;
    if (!this.#entered || !actor || cast.busy) return;
    const version = body === OWN_BODY ? undefined : bodyVersion(this.app, body);
    const wasRequested = this.#requestedBody === version && !cast.interrupted.has(lead);
    if (actor.bodyVersion !== version && !wasRequested) void this.#replaceBody();
    else if (this.both && CHARACTERS.some(({ id }) => id !== lead && cast.interrupted.has(id)))
      void this.showBoth(true);
  }

  timeline(): TemplateResult {
    return renderBar(this);
  }

  overlay(): TemplateResult {
    return renderOverlay(this);
  }

  stageContents(): StageContents {
    return createStageContents(this, this.#goal, (goal) => {
      this.#takeOver();
      this.#goal = goal;
      this.app.requestUpdate();
    });
  }

  frames(): readonly [number, number] {
    return [0, 0];
  }

  marks(): Marks {
    return { name: "frame", list: [] };
  }

  onFrame(): void {
    this.monitor.draw();
  }

  exportable(): Exportable | undefined {
    const { recorded } = this.recorder;
    return recorded && { name: recorded.clip.name, clip: recorded.clip, onSaved: () => (recorded.saved = true) };
  }

  /** Motions are opened in the mode "Stitch". */
  open(origins: readonly Origin[]): void {
    void this.app.show(this.app.modes[0].id).then((mode) => mode?.open(origins));
  }
}
