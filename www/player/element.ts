/**
 * The element `<kinestitch-player src="walk.bvh" autoplay loop controls>`, which plays a motion on any page.
 *
 * Attributes: `src` (URL of a BVH or GLB file), `character` (URL of a GLB, VRM or FBX file: a body that replaces the
 * figure), `autoplay`, `loop`, `controls`, `speed` (1), `label` (for screen readers), `view` ("frame", "front",
 * "side", "top"), `bones` (bones without a body), `theme` ("auto", "light", "dark").
 * Properties and methods: `clip` (a clip or a motion, shown instead of `src`), `play()`, `pause()`, `currentTime`,
 * `duration`, `paused`, `frame`.
 * Events: `load`, `error` (with the reason in `detail`), `play`, `pause`, `ended` (after `pause`), `timeupdate`.
 *
 * Several players share one worker and one wasm module. A player loads its file when it comes near the viewport, and
 * draws only while it is visible.
 */
import { Playback } from "../core/playback";
import type { Viewer } from "../viewer/viewer";
import { PlayerControls } from "./controls";
import type { ShownClip } from "./lazy";
import { STYLE } from "./style";

/** Loads the code that reads and draws motions, once for all players. */
const loadLazyCode = (): Promise<typeof import("./lazy")> => import("./lazy");

const DARK = matchMedia("(prefers-color-scheme: dark)");

const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLE);

/** Label for screen readers of a player without the attribute `label`. */
const DEFAULT_LABEL = "Motion player";

/** The element `<kinestitch-player>`. */
export class KinestitchPlayer extends HTMLElement {
  static readonly observedAttributes = [
    "src",
    "character",
    "loop",
    "controls",
    "speed",
    "bones",
    "theme",
    "label",
    "view",
  ];

  readonly #root = this.attachShadow({ mode: "open" });
  readonly #playback = new Playback();
  readonly #stage = document.createElement("div");
  readonly #message = document.createElement("p");
  readonly #controls = new PlayerControls(this.#playback);
  #viewer: Viewer | undefined;
  #observer: IntersectionObserver | undefined;
  #isVisible = false;
  #loadedKey = "";
  #clip: ShownClip | undefined;
  /** Number of clips that were set: a part of the key of what is shown. */
  #clipCount = 0;
  /** Number of the last load; an earlier one has no effect when it ends. */
  #loadCount = 0;
  #animationFrame = 0;
  #lastTick = 0;
  #frameChanged = true;

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [sheet];
    this.#stage.className = "stage";
    this.#message.setAttribute("role", "status");
    this.#stage.append(this.#message);
    this.#root.append(this.#stage, this.#controls.element);
    this.#stage.addEventListener("keydown", (event) => this.#key(event));
    this.#stage.addEventListener("dblclick", () => this.#viewer?.camera.view("frame"));
    this.#playback.onFrame = () => (this.#frameChanged = true);
    this.#playback.onState = () => {
      this.#controls.update();
      this.#frameChanged = true;
    };
    this.#controls.onToggle = (playing) => this.dispatchEvent(new Event(playing ? "play" : "pause"));
  }

  connectedCallback(): void {
    if (!this.hasAttribute("role")) this.setAttribute("role", "group");
    if (!this.hasAttribute("aria-label")) this.#applyLabel();
    this.#observer = new IntersectionObserver((entries) => this.#setVisible(entries.at(-1)?.isIntersecting ?? false), {
      rootMargin: "200px",
    });
    this.#observer.observe(this);
    DARK.addEventListener("change", this.#applyDisplayAttributes);
  }

  disconnectedCallback(): void {
    this.#observer?.disconnect();
    this.#isVisible = false;
    DARK.removeEventListener("change", this.#applyDisplayAttributes);
    cancelAnimationFrame(this.#animationFrame);
    this.#animationFrame = 0;
    this.#viewer?.dispose();
    this.#viewer = undefined;
    this.#loadedKey = "";
    this.#loadCount++;
  }

  attributeChangedCallback(name: string, previous: string | null): void {
    this.#playback.loop = this.hasAttribute("loop");
    const speed = Number(this.getAttribute("speed"));
    this.#playback.speed = speed > 0 && Number.isFinite(speed) ? speed : 1;
    this.#controls.element.hidden = !this.hasAttribute("controls");
    if (name === "src" || name === "character") void this.#load();
    if (name === "view") this.#applyView();
    if (name === "label") this.#viewer?.canvas.setAttribute("aria-label", this.#label());
    // An aria-label of the page's author stays.
    if (name === "label" && this.getAttribute("aria-label") === (previous ?? DEFAULT_LABEL)) this.#applyLabel();
    this.#applyDisplayAttributes();
  }

  play(): void {
    if (this.paused) this.#controls.toggle(true);
  }

  pause(): void {
    if (!this.paused) this.#controls.toggle(false);
  }

  /** The clip or motion that is shown instead of the file `src`; it is read, and not freed. */
  get clip(): ShownClip | undefined {
    return this.#clip;
  }

  set clip(clip: ShownClip | null | undefined) {
    this.#clip = clip ?? undefined;
    this.#clipCount++;
    void this.#load();
  }

  get paused(): boolean {
    return !this.#playback.playing;
  }

  get currentTime(): number {
    return this.#playback.seconds;
  }

  set currentTime(seconds: number) {
    this.#playback.seek(seconds * this.#playback.fps);
  }

  /** Seconds from the first frame to the last; 0 before the file is loaded. */
  get duration(): number {
    return Math.max(0, this.#playback.frames - 1) / this.#playback.fps;
  }

  /** Current frame, from 0. */
  get frame(): number {
    return this.#playback.shownFrame;
  }

  set frame(frame: number) {
    this.#playback.seek(frame);
  }

  #label(): string {
    return this.getAttribute("label") ?? DEFAULT_LABEL;
  }

  #applyLabel(): void {
    this.setAttribute("aria-label", this.#label());
  }

  #setVisible(isVisible: boolean): void {
    this.#isVisible = isVisible;
    if (!isVisible) {
      cancelAnimationFrame(this.#animationFrame);
      this.#animationFrame = 0;
      return;
    }
    void this.#load();
    if (!this.#animationFrame) {
      this.#lastTick = performance.now();
      this.#animationFrame = requestAnimationFrame((now) => this.#tick(now));
    }
  }

  async #load(): Promise<void> {
    const src = this.getAttribute("src");
    const character = this.getAttribute("character");
    const clip = this.#clip;
    const key = `${clip ? this.#clipCount : src} ${character}`;
    if (!(clip || src) || !this.#isVisible || key === this.#loadedKey) return;
    this.#loadedKey = key;
    const load = ++this.#loadCount;
    this.#message.textContent = "Loading…";
    try {
      const { loadMotion, showClip, Viewer: Make } = await loadLazyCode();
      const characterUrl = character ? new URL(character, document.baseURI) : undefined;
      const displayed = await (clip
        ? showClip(clip, characterUrl)
        : loadMotion(new URL(src as string, document.baseURI), characterUrl));
      if (load !== this.#loadCount) return;
      this.#viewer ??= new Make(this.#stage, this.#label());
      this.#applyDisplayAttributes();
      this.#viewer.setMotion("a", displayed);
      this.#applyView();
      this.#playback.setClip(displayed.motion.frames, displayed.motion.fps);
      this.#playback.seek(0);
      this.#message.textContent = "";
      const reducesMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
      if (this.hasAttribute("autoplay") && !reducesMotion) this.play();
      this.dispatchEvent(new Event("load"));
    } catch (error) {
      if (load !== this.#loadCount) return;
      const message = error instanceof Error ? error.message : String(error);
      this.#message.textContent = `This motion cannot be shown: ${message}`;
      this.dispatchEvent(new CustomEvent("error", { detail: error }));
    }
  }

  /** Moves the camera to the requested side. */
  #applyView(): void {
    const view = this.getAttribute("view");
    this.#viewer?.camera.view(view === "front" || view === "side" || view === "top" ? view : "frame");
  }

  /** Applies the display attributes to the viewer. */
  #applyDisplayAttributes = (): void => {
    const theme = this.getAttribute("theme");
    this.#viewer?.setTheme(theme === "dark" || (theme !== "light" && DARK.matches));
    this.#viewer?.setOptions({ ghosts: false, path: true, contacts: true, body: !this.hasAttribute("bones") });
  };

  #tick(now: number): void {
    const { playing } = this.#playback;
    this.#playback.advance((now - this.#lastTick) / 1000);
    this.#lastTick = now;
    // Read before the events, whose listeners may pause too.
    const hasEnded = playing && !this.#playback.playing;
    if (this.#frameChanged) {
      this.#frameChanged = false;
      this.#viewer?.setFrame(this.#playback.frame);
      this.#controls.showFrame();
      this.dispatchEvent(new Event("timeupdate"));
      // In the order of a video element.
      if (hasEnded) for (const type of ["pause", "ended"]) this.dispatchEvent(new Event(type));
    }
    this.#viewer?.render(now, this.#playback.playing);
    this.#animationFrame = requestAnimationFrame((next) => this.#tick(next));
  }

  /** Pauses, with its event, and moves the playhead by a number of frames. */
  #step(frames: number): void {
    this.pause();
    this.#playback.step(frames);
  }

  #key(event: KeyboardEvent): void {
    const { camera } = this.#viewer ?? {};
    const actions: Record<string, () => void> = {
      " ": () => this.#controls.toggle(),
      ArrowLeft: () => camera?.orbit(-0.15, 0),
      ArrowRight: () => camera?.orbit(0.15, 0),
      ArrowUp: () => camera?.orbit(0, 0.1),
      ArrowDown: () => camera?.orbit(0, -0.1),
      "+": () => camera?.zoom(1 / 1.15),
      "-": () => camera?.zoom(1.15),
      ",": () => this.#step(-1),
      ".": () => this.#step(1),
    };
    const action = actions[event.key];
    if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    action();
  }
}

if (!customElements.get("kinestitch-player")) customElements.define("kinestitch-player", KinestitchPlayer);
