// The player element: its events, without a browser. Its module is bundled for Node, with a simulated page and viewer.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bundlePage } from "./page-bundle.mjs";

/** Replaces the code that reads and draws: every motion has three frames at 30 fps. */
const simulation = {
  name: "simulation",
  setup(bundler) {
    bundler.onLoad({ filter: /www\/player\/lazy\.ts$/ }, () => ({
      contents: `
        export const loadMotion = async () => ({ motion: { frames: 3, fps: 30 } });
        export const showClip = async ({ frames, fps }) => ({ motion: { frames, fps } });
        export class Viewer {
          camera = { view: () => undefined };
          setMotion() {}
          setTheme() {}
          setOptions() {}
          setFrame() {}
          render() {}
        }`,
    }));
  },
};

/** The requested animation frames, and the callbacks of the observers, in order. */
const [animationFrames, observers] = [[], []];

/** A simulated element, which is also its own shadow root. */
class SimulatedElement extends EventTarget {
  #attributes = new Map();
  style = {};
  append() {}
  attachShadow() {
    return this;
  }
  hasAttribute(name) {
    return this.#attributes.has(name);
  }
  getAttribute(name) {
    return this.#attributes.get(name) ?? null;
  }
  setAttribute(name, value) {
    this.#attributes.set(name, value);
    this.attributeChangedCallback?.(name, null);
  }
}

const elements = new Map();
Object.assign(globalThis, {
  CSSStyleSheet: class {
    replaceSync() {}
  },
  HTMLElement: SimulatedElement,
  IntersectionObserver: class {
    constructor(notify) {
      this.observe = () => observers.push(notify);
    }
  },
  cancelAnimationFrame: () => undefined,
  customElements: { get: (name) => elements.get(name), define: (name, element) => elements.set(name, element) },
  document: {
    baseURI: "https://site.invalid/",
    createElement: () => new SimulatedElement(),
    createElementNS: () => new SimulatedElement(),
  },
  matchMedia: () => Object.assign(new EventTarget(), { matches: false }),
  requestAnimationFrame: (run) => animationFrames.push(run),
});

await bundlePage('export { KinestitchPlayer } from "./www/player/element";', [simulation]);

describe("the player element", () => {
  /** Creates a visible player that shows a motion, and records its events, each with the value of `paused`. */
  async function createPlayer() {
    const player = new (elements.get("kinestitch-player"))();
    const events = [];
    for (const type of ["play", "pause", "ended", "timeupdate"])
      player.addEventListener(type, () => events.push(`${type}, ${player.paused ? "paused" : "playing"}`));
    player.setAttribute("src", "walk.bvh");
    const loaded = new Promise((resolve) => player.addEventListener("load", resolve));
    player.connectedCallback();
    observers.pop()([{ isIntersecting: true }]);
    await loaded;
    return { player, events };
  }

  /** Draws the next animation frame, a quarter of a second later. */
  const draw = () => animationFrames.splice(0).forEach((run) => run(performance.now() + 250));

  it("sends `pause` and then `ended` at the end of a motion, as a video element does", async () => {
    const { player, events } = await createPlayer();
    player.play();
    draw();
    assert.deepEqual(events, ["play, playing", "timeupdate, paused", "pause, paused", "ended, paused"]);
    draw();
    assert.equal(events.length, 4);
  });

  it("sends no `ended` if a listener pauses it before the end", async () => {
    const { player, events } = await createPlayer();
    player.setAttribute("speed", "0.1");
    player.addEventListener("timeupdate", () => player.pause(), { once: true });
    player.play();
    draw();
    assert.deepEqual(events, ["play, playing", "timeupdate, playing", "pause, paused"]);
  });

  it("shows a clip instead of its file, and the file again without one", async () => {
    const { player } = await createPlayer();
    const loaded = () => new Promise((resolve) => player.addEventListener("load", resolve, { once: true }));
    for (const [clip, frames] of [
      [{ frames: 7, fps: 10 }, 7],
      [{ frames: 4, fps: 10 }, 4],
    ]) {
      const done = loaded();
      player.clip = clip;
      await done;
      assert.equal(player.clip, clip);
      assert.ok(Math.abs(player.duration - (frames - 1) / 10) < 1e-9, `${player.duration} s`);
    }
    const done = loaded();
    player.clip = undefined;
    await done;
    assert.ok(Math.abs(player.duration - 2 / 30) < 1e-9);
  });
});
