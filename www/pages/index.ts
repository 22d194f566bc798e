/** The page: builds the app, the view and the shell, enters the mode of the address, and runs the clock. */
import "../core/locale";
import "../style/index.css";
import { App } from "../core/app";
import { Autosave } from "../core/autosave";
import type { Host } from "../core/command";
import { openFiles } from "../core/open";
import { isDark } from "../core/settings";
import { MODES } from "../modes";
import { acceptDrops, chooseFiles } from "../ui/drop";
import { toggleExport } from "../ui/export";
import { toggleHelp } from "../ui/help";
import { listenForKeys } from "../ui/keys";
import { Shell } from "../ui/shell";
import type { GroundHandles } from "../viewer/handles";
import type { Viewer } from "../viewer/viewer";

let viewer: Viewer | undefined;
let handles: GroundHandles | undefined;

const open = (files: File[]): void => void openFiles(app, files);
const host: Host = {
  openFiles: () => chooseFiles(open),
  toggleHelp,
  toggleExport,
  view: (name) => {
    const places = name === "frame" ? app.mode.exhibits().handles?.around : undefined;
    if (places?.length) viewer?.camera.hold(places);
    else viewer?.camera.view(name);
  },
  orbit: (right, up) => viewer?.camera.orbit(right, up),
  zoom: (factor) => viewer?.camera.zoom(factor),
  heading: () => viewer?.camera.heading ?? 0,
};
const app = await App.begin(host, MODES);
const shell = new Shell(app);
const autosave = new Autosave(app);

/** Motions that the address names: `?bvh=ADDRESS&bvh=ADDRESS`. Those of other sites are for open.html, whose policy lets the page fetch them. */
const motionsOf = (search: string): URL[] =>
  new URLSearchParams(search).getAll("bvh").flatMap((address) => URL.canParse(address, location.href) ? [new URL(address, location.href)] : []);

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
    const { settings, mode } = app;
    const { a, b, lives = [], pointed, focus, handles: places } = mode.exhibits();
    viewer.camera.follow = settings[mode.follows];
    viewer.setOptions(settings);
    viewer.setShow("a", app.characters.dress("a", a));
    viewer.setShow("b", app.characters.dress("b", b));
    viewer.setLives(lives);
    viewer.setFocus(focus);
    viewer.point(pointed);
    handles?.set(places);
    // Another motion has the moment that is shown at another frame.
    app.moved = true;
  });
}

/** three.js comes after the page itself is there, while the worker reads the demo. */
async function view(): Promise<void> {
  const [{ Viewer: Make }, { GroundHandles }] = await Promise.all([import("../viewer/viewer"), import("../viewer/handles")]);
  try {
    viewer = new Make(shell.stage, "The motion as a moving figure");
    handles = new GroundHandles(viewer, shell.stage);
    viewer.setFrame(...app.mode.frames());
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
  listenForKeys(app);
  window.addEventListener("beforeunload", (event) => {
    if (app.unsaved && !autosave.safe) event.preventDefault();
  });
  window.addEventListener("hashchange", () => void app.show(location.hash.slice(1) || app.modes[0].id));
  const given = motionsOf(location.search);
  // Where nothing was given or kept, the mode shows its demo.
  if (given.length > 0) app.mode.open(given);
  else void autosave.start().then(() => app.mode.enter());

  let last = performance.now();
  const tick = (now: number): void => {
    const { clock } = app;
    clock.advance((now - last) / 1000);
    if (app.mode.realTime?.advance((now - last) / 1000)) app.moved = true;
    last = now;
    if (app.moved) {
      app.moved = false;
      viewer?.setFrame(...app.mode.frames());
      shell.onFrame();
    }
    viewer?.render(now, clock.playing || app.mode.realTime?.running === true);
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

start();
