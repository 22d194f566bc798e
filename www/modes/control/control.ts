/** The mode "Control": an interactively controlled character. Input, request to the controller, and recording. */
import type { TemplateResult } from "lit-html";
import type { CharacterName } from "kinestitch/worker";
import type { App } from "../../core/app";
import type { Command } from "../../core/command";
import { problemOf, type Problem } from "../../core/engine";
import { History } from "../../core/history";
import type { DocumentStorage } from "../../core/stored-work";
import type { Marks } from "../../core/marks";
import type { Exportable, Mode, RealTime } from "../../core/mode";
import type { Panel } from "../../core/panel";
import { Playback } from "../../core/playback";
import { Track } from "../../timeline/track";
import type { Handles, GroundPose } from "../../viewer/handles";
import type { StageContents } from "../../viewer/stage-contents";
import type { Actor } from "./actor";
import { bar } from "./bar";
import { Cast } from "./cast";
import { bodies, MODEL, OWN, stampOf } from "./bodies";
import { CHARACTERS, type CharacterEntry } from "./characters";
import { commands } from "./commands";
import { groundField, LEVEL } from "./grounds";
import { HELD, Inputs, STEERING } from "./inputs";
import { keeping, type Manner } from "./keeping";
import { Monitor } from "./monitor";
import { overlay } from "./overlay";
import { panels } from "./panels";
import { Recorder } from "./recorder";
import { controlInput } from "./control-input";
import { beside, DemoPath, toGoal } from "./steering";
import { TouchStick } from "./touch-stick";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
/** Longest step, seconds; longer frames pause the character. */
const LONGEST_STEP = 0.25;
/** Colour of the goal. */
const GOAL_COLOR = "#c9a92a";

/** Initial ground pose of the character. */
const START: GroundPose = { x: 0, z: 0, heading: 0 };

/** The mode "Control". */
export class Control implements Mode, Manner {
  readonly id = "control";
  readonly title = "Control";
  readonly followSetting = "follow";
  readonly gestures = [
    ["Walk to a place", "click the ground"],
    ["Turn as it will stand there", "drag the ring's arrow"],
  ] as const;
  readonly app: App;
  readonly clock = new Playback();
  readonly track: Track;
  readonly history = new History<undefined>(undefined);
  readonly cast: Cast;
  readonly recorder = new Recorder();
  readonly monitor = new Monitor();
  readonly inputs: Inputs;
  readonly stick: TouchStick;
  readonly panels: readonly Panel[];
  readonly commands: readonly Command[];
  readonly realTime: RealTime;
  readonly storage: DocumentStorage<Manner>;
  /** The controlled character. */
  lead: CharacterName = CHARACTERS[0]?.id ?? "biped";
  /** Whether both characters are shown. */
  both = false;
  /** Requested speed, m/s; if absent, the character's walking speed. */
  speed: number | undefined;
  style: string | undefined;
  action: string | undefined;
  /** Body of each character, see bodies.ts; absent: the model that replaces the figure, if suitable. */
  bodies: Manner["bodies"] = {};
  /** Whether it faces the direction of the camera while it moves anywhere. */
  strafes = false;
  /** Amplitude, 0 to 1, and seed of variations. */
  noise = 0;
  seed = 0;
  /** Id of the ground, see grounds.ts. */
  ground = LEVEL;
  paused = false;
  /** Whether the user has steered it. */
  steered = false;
  /** Error during control. */
  problem: Problem | undefined;
  /** Mean duration of a step, milliseconds. */
  milliseconds = 0;
  #goal: GroundPose | undefined;
  #demo: DemoPath | undefined;
  #entered = false;
  #second = -1;
  /** Last requested body, so that one that is not available is not requested repeatedly. */
  #wanted: unknown;

  constructor(app: App) {
    this.app = app;
    const requestUpdate = (): void => app.requestUpdate();
    this.track = new Track(this.clock, requestUpdate);
    this.cast = new Cast(app);
    this.inputs = new Inputs(
      () => app.settings.singleKeys,
      () => this.#takeOver(),
    );
    this.stick = new TouchStick(this.inputs.touch);
    this.storage = keeping(
      this,
      () => void (this.#entered && this.steer(this.lead).then(() => this.showBoth(this.both))),
    );
    this.panels = panels(this);
    this.commands = commands(this);
    const mode = this;
    this.realTime = {
      heldKeys: HELD,
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

  get entry(): CharacterEntry | undefined {
    return CHARACTERS.find(({ id }) => id === this.lead);
  }

  /** Present body of the character. */
  get body(): string {
    return this.#bodyOf(this.lead);
  }

  /** Body of a character; a body that no longer exists counts as its own. */
  #bodyOf(character: CharacterName): string {
    const wanted = this.bodies[character] ?? MODEL;
    return bodies(this.app, character).some(({ id }) => id === wanted) ? wanted : OWN;
  }

  /** Displays the character on another body. */
  setBody(id: string): void {
    this.bodies = { ...this.bodies, [this.lead]: id };
    void this.#replaceBody();
  }

  /** Replaces the character by one on the requested body, at the same position. */
  async #replaceBody(): Promise<void> {
    const { lead, actor, body } = this;
    if (!actor) return;
    if (this.recorder.seconds !== undefined) this.record(false);
    const { spot } = actor;
    this.#wanted = stampOf(this.app, body);
    const replaced = await this.cast.load(lead, this.app.settings.controlSet, spot, body, groundField(this.ground));
    if (replaced && this.lead === lead) this.monitor.watch(replaced.controller);
    this.app.requestUpdate();
  }

  get actor(): Actor | undefined {
    return this.cast.actors.get(this.lead);
  }

  /** Whether it follows the demo path. */
  get isDemo(): boolean {
    return this.#demo !== undefined;
  }

  enter(): void {
    this.#entered = true;
    this.inputs.listen();
    void this.steer(this.lead, !this.actor && !calm.matches).then(() => this.showBoth(this.both));
  }

  leave(): void {
    this.#entered = false;
    this.inputs.ignore();
    this.cast.cancel();
    if (this.recorder.seconds !== undefined) this.record(false);
  }

  /** Controls another character; its network is loaded first if necessary. */
  async steer(id: CharacterName, demo = false): Promise<void> {
    if (this.recorder.seconds !== undefined) this.record(false);
    const before = this.actor?.spot;
    if (id !== this.lead) this.speed = this.style = this.action = undefined;
    this.lead = id;
    this.#goal = this.#demo = undefined;
    const actor = await this.cast.load(
      id,
      this.app.settings.controlSet,
      before ? beside(before) : START,
      this.body,
      groundField(this.ground),
    );
    if (!actor || this.lead !== id) return;
    this.monitor.watch(actor.controller);
    if (demo) this.demo(true);
    // Once it is on the stage; a little farther away than a character that stays in place.
    setTimeout(() => {
      this.app.host.view("frame");
      this.app.host.zoom(1.4);
    }, 50);
    this.app.requestUpdate();
  }

  /** Loads characters with other training data: `set` of the manifest. */
  setTrainingData(set: string): void {
    this.app.set({ controlSet: set });
    if (this.recorder.seconds !== undefined) this.record(false);
    this.cast.dismiss();
    this.both = false;
    void this.steer(this.lead);
  }

  /** Adds the other character to the stage, or removes it. */
  async showBoth(both: boolean): Promise<void> {
    this.both = both;
    this.app.requestUpdate();
    const other = CHARACTERS.find(({ id }) => id !== this.lead);
    const spot = this.actor?.spot;
    if (both && other && spot)
      await this.cast.load(
        other.id,
        this.app.settings.controlSet,
        beside(spot),
        this.#bodyOf(other.id),
        groundField(this.ground),
      );
  }

  /** Puts the characters at the start of another ground. */
  setGround(id: string): void {
    this.ground = id;
    if (this.recorder.seconds !== undefined) this.record(false);
    this.#goal = undefined;
    for (const actor of this.cast.actors.values())
      actor.setGround(groundField(id), actor === this.actor ? START : beside(START));
    this.demo(this.isDemo);
  }

  demo(on: boolean): void {
    const { entry, actor } = this;
    this.#goal = undefined;
    const size = entry?.demo.map((metres) => metres * (actor?.controller.scale ?? 1));
    this.#demo = on && size && actor ? new DemoPath([size[0] ?? 0, size[1] ?? 0]) : undefined;
    if (on) this.paused = false;
    this.app.requestUpdate();
  }

  pause(paused: boolean): void {
    this.paused = paused;
    this.problem = undefined;
    this.app.requestUpdate();
  }

  record(on: boolean): void {
    const { actor, recorder, app } = this;
    if (on && actor) {
      recorder.start(actor.controller);
      this.paused = false;
    } else if (!on && !recorder.stop()) app.notify("Nothing was recorded: the character did not move.");
    app.requestUpdate();
  }

  stop(): void {
    this.#goal = this.#demo = undefined;
    this.app.requestUpdate();
  }

  /** Called when the user takes over: the demo ends. */
  #takeOver(): void {
    this.steered = true;
    if (!this.#demo && !this.#goal && !this.paused) return;
    this.#goal = this.#demo = undefined;
    this.paused = false;
    this.app.requestUpdate();
  }

  #advance(seconds: number): boolean {
    // Read while paused too: input resumes.
    if (this.paused && this.#entered) this.inputs.read(0);
    const { actor } = this;
    if (!this.running || !actor || document.hidden) return false;
    const started = performance.now();
    try {
      actor.step(
        controlInput(this, { actor, heading: this.app.host.heading(), goal: this.#goal, demo: this.#demo }, seconds),
        seconds,
      );
      for (const other of this.cast.actors.values()) {
        if (other === actor || !this.both) continue;
        other.step(toGoal(other.spot, beside(actor.spot), other.controller.fastest), seconds);
      }
    } catch (error) {
      this.problem = problemOf(error);
      this.app.requestUpdate();
      return true;
    }
    this.milliseconds += 0.05 * (performance.now() - started - this.milliseconds);
    // Longest step that counts, see `step` of a controller.
    const went = Math.min(seconds, LONGEST_STEP);
    this.recorder.advance(went);
    this.monitor.push(went);
    const second = Math.floor(this.recorder.seconds ?? -1);
    if (second !== this.#second) this.app.requestUpdate();
    this.#second = second;
    return true;
  }

  update(): void {
    this.app.frameChanged = true;
    const { actor, body } = this;
    const wanted = body === OWN ? undefined : stampOf(this.app, body);
    if (this.#entered && actor && !this.cast.busy && actor.stamp !== wanted && this.#wanted !== wanted)
      void this.#replaceBody();
  }

  timeline(): TemplateResult {
    return bar(this);
  }

  overlay(): TemplateResult {
    return overlay(this);
  }

  displayedMotions(): StageContents {
    const { actor } = this;
    if (!actor) return {};
    const others = this.both ? [...this.cast.actors.values()].filter((other) => other !== actor) : [];
    return {
      liveSkeletons: [actor, ...others].map(({ live }) => live),
      focus: actor.focus,
      terrain: groundField(this.ground),
      handles: this.#handles(actor),
    };
  }

  #handles(actor: Actor): Handles {
    const goal = (spot: GroundPose): void => {
      this.#takeOver();
      this.#goal = spot;
      this.paused = false;
      this.app.requestUpdate();
    };
    const list = this.#goal ? [{ ...this.#goal, id: "goal", color: GOAL_COLOR, selected: true }] : [];
    return {
      height: actor.skeleton.height,
      list,
      framedPoints: [],
      onSelect: () => undefined,
      onMove: (_, spot) => goal(spot),
      onGround: (x, z) => {
        const from = actor.spot;
        goal({ x, z, heading: Math.atan2(x - from.x, z - from.z) });
      },
    };
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

  /** Files are opened in the mode "Stitch". */
  open(files: readonly File[]): void {
    void this.app.show(this.app.modes[0].id).then((mode) => mode?.open(files));
  }
}
