/** The page: builds the app, the view and the shell, loads the demo, and runs the clock. */
import "./style/index.css";
import { App } from "./app/app";
import type { Host } from "./app/commands";
import { DEMO } from "./app/demo";
import { matchFrame } from "./app/match";
import { sideOrder, useKeptNetwork } from "./app/refine";
import { isDark } from "./app/settings";
import { showOf } from "./app/show";
import { acceptDrops, chooseFiles } from "./ui/drop";
import { toggleHelp } from "./ui/help";
import { listenForKeys } from "./ui/keys";
import { Shell } from "./ui/shell";
import type { Viewer } from "./viewer/viewer";

const app = new App();
let viewer: Viewer | undefined;

const open = (files: File[]): void => void app.open(files);
const host: Host = {
  openFiles: () => chooseFiles(open),
  toggleHelp,
  view: (name) => viewer?.camera.view(name),
  orbit: (right, up) => viewer?.camera.orbit(right, up),
  zoom: (factor) => viewer?.camera.zoom(factor),
};

const shell = new Shell(app, host);

function theme(): void {
  const { settings } = app;
  document.documentElement.dataset.theme = settings.theme;
  viewer?.setTheme(isDark(settings));
}

function change(): void {
  theme();
  shell.render();
  // A task of its own: a new result takes a while to build, and the page should not wait for both.
  setTimeout(() => {
    if (!viewer) return;
    const { settings } = app;
    const { jobs } = app.stitcher;
    const [left, right] = sideOrder(app);
    viewer.camera.follow = settings.follow;
    viewer.setOptions(settings);
    const split = settings.compare === "split";
    viewer.setShow("a", showOf(split ? jobs[left].take : app.shownTake()));
    viewer.setShow("b", split ? showOf(jobs[right].take) : undefined);
    viewer.point(app.pointed);
  });
}

/** three.js comes after the page itself is there, while the worker reads the demo. */
async function view(): Promise<void> {
  const { Viewer: Make } = await import("./viewer/viewer");
  try {
    viewer = new Make(shell.stage, "The motion as a moving figure");
    viewer.setFrame(app.playback.frame);
    app.changed();
  } catch {
    app.notify("This browser has no WebGL 2, so the figure cannot be shown. Stitching and export work.", "error");
  }
}

function start(): void {
  document.body.replaceChildren();
  shell.render();
  app.onChange(change);
  void view();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app.changed());
  acceptDrops(open);
  listenForKeys(app, host);
  window.addEventListener("beforeunload", (event) => {
    if (app.unsaved) event.preventDefault();
  });
  const reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
  void app.open(DEMO, true).then(() => {
    if (!reduced) app.playback.play(true);
    app.onceStitched(() => void useKeptNetwork(app));
  });

  let moved = true;
  let last = performance.now();
  app.playback.onFrame = () => (moved = true);
  const tick = (now: number): void => {
    app.playback.advance((now - last) / 1000);
    last = now;
    if (moved) {
      moved = false;
      const { frame } = app.playback;
      const { a, b } = app.stitcher.jobs;
      const frames = { a: frame, b: matchFrame(a.take, b.take, frame) };
      const [left, right] = app.settings.compare === "split" ? sideOrder(app) : (["a", "b"] as const);
      viewer?.setFrame(frames[left], frames[right]);
      shell.onFrame();
    }
    viewer?.render(now, app.playback.playing);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

start();
