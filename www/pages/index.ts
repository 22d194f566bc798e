/** The main page: creates the app, its layout and the 3D view, restores stored work, and runs the clock. */
import "../core/locale";
import "../style/index.css";
import { App } from "../core/app";
import { Autosave } from "../core/autosave";
import type { Host } from "../core/command";
import { problemOf, sentence } from "../core/engine";
import { parseLink } from "../core/links";
import { closeLoadingGate, markFirstDrawing, openLoadingGate } from "../core/loading-gate";
import { openFiles } from "../core/open";
import { isDark } from "../core/settings";
import { MODES } from "../modes";
import { acceptDrops, chooseFiles } from "../ui/drop";
import { toggleExport } from "../ui/export";
import { toggleHelp } from "../ui/help";
import { listenForKeys } from "../ui/keys";
import { watchCanvas, watchWorker } from "../ui/losses";
import { markState, Shell } from "../ui/shell";
import { FallbackView } from "../viewer/fallback";
import type { GroundHandles } from "../viewer/handles";
import type { Viewer } from "../viewer/viewer";

let viewer: Viewer | undefined;
let handles: GroundHandles | undefined;

/** Resolves when stored work is restored. Files are opened afterwards: the restored work would replace them. */
let whenReady: Promise<void> = Promise.resolve();
let isReady = false;
const open = (files: File[]): void => void whenReady.then(() => openFiles(app, files));
const host: Host = {
  openFiles: () => chooseFiles(open),
  toggleHelp,
  toggleExport: () => toggleExport(app),
  view: (name) => {
    const framedPoints = name === "frame" ? app.mode.stageContents().handles?.framedPoints : undefined;
    if (framedPoints?.length) viewer?.camera.frameAll(framedPoints);
    else viewer?.camera.view(name);
  },
  orbit: (right, up) => viewer?.camera.orbit(right, up),
  zoom: (factor) => viewer?.camera.zoom(factor),
  storeWork: () => autosave.flush(),
  markPending: () => markState("pending"),
  heading: () => viewer?.camera.heading ?? 0,
};

// A failure to start is shown in the page.
const app = await App.start(host, MODES).catch((error: unknown) => {
  const loading = document.querySelector(".loading");
  if (loading)
    loading.textContent =
      `The page could not be started: ${sentence(problemOf(error).message)} ` +
      "Check the connection, and reload the page.";
  throw error;
});
const shell = new Shell(app);
const autosave = new Autosave(app);
const fallback = new FallbackView(shell.stage);
closeLoadingGate();

function applyTheme(): void {
  const { settings } = app;
  document.documentElement.dataset.theme = settings.theme;
  viewer?.setTheme(isDark(settings));
}

function onAppChange(): void {
  applyTheme();
  shell.render();
  // Runs in a separate task, because building the view of a new result takes a while and would delay the page.
  setTimeout(() => {
    if (!viewer) return;
    const { settings, mode } = app;
    const { a, b, liveSkeletons = [], markedRole, focus, terrain, handles: handleList } = mode.stageContents();
    viewer.camera.follow = settings[mode.followSetting];
    viewer.setOptions(settings);
    viewer.setMotion("a", app.characters.displayOnCharacter("a", a));
    viewer.setMotion("b", app.characters.displayOnCharacter("b", b));
    viewer.setLiveSkeletons(liveSkeletons);
    viewer.setTerrain(terrain);
    viewer.setFocus(focus);
    viewer.markRole(markedRole);
    handles?.set(handleList);
    // The frame must be set again: a new motion may have another timing.
    app.frameChanged = true;
  });
}

/** Called after the first render: loads the 3D view, and lets the plot library load. */
function onFirstRender(): void {
  if (app.isDrawn) return;
  app.isDrawn = true;
  markFirstDrawing();
  void loadViewer();
  app.requestUpdate();
}

/** Loads the 3D view immediately if there is no motion that could be displayed on the 2D canvas first. */
function startViewIfEmpty(): void {
  const isEmpty = isReady && app.mode.settled && app.mode.stageContents().a === undefined;
  if (!app.isDrawn && (app.mode.id !== "stitch" || isEmpty)) onFirstRender();
}

/** Loads three.js and creates the 3D view, which replaces the 2D canvas. */
async function loadViewer(): Promise<void> {
  const chunks = await Promise.all([import("../viewer/viewer"), import("../viewer/handles")]).catch(() => undefined);
  if (!chunks) {
    app.notify(
      "The 3D view could not be fetched: the motion is shown as bones. Check the connection, and reload the page.",
      "error",
    );
    openLoadingGate();
    return;
  }
  const [{ Viewer: ViewerClass }, { GroundHandles }] = chunks;
  try {
    viewer = new ViewerClass(shell.stage, "The motion as a moving figure");
    handles = new GroundHandles(viewer, shell.stage);
    viewer.setFrame(...app.mode.frames());
    watchCanvas(app, viewer.canvas);
    app.requestUpdate();
  } catch {
    openLoadingGate();
    app.notify("This browser has no WebGL 2: the motion is shown as bones. Stitching and export work.", "error");
  }
}

/** Restores stored work; if there is none, opens the motions of a link; without a link, the mode shows its demo. */
async function restoreOrOpen(): Promise<void> {
  const { motions, problems } = parseLink(location.search);
  const isRestored = await autosave
    .start(motions.length > 0 ? location.pathname + location.search : "")
    .catch((error: unknown) => {
      app.notify(
        `Your last work could not be restored: ${sentence(problemOf(error).message)} ` +
          "It is kept in this browser. Reload the page to try again.",
        "error",
      );
      return false;
    });
  const foreign = motions.filter(({ origin }) => origin !== location.origin);
  if (isRestored || motions.length === 0 || foreign.length > 0) app.mode.enter();
  else app.mode.open(motions);
  if (!isRestored && foreign.length > 0) askToFetch(motions, foreign);
  if (problems.length > 0) app.notices.ask({ topic: "link", kind: "error", text: problems.join(" "), actions: [] });
}

/** Asks the user whether to fetch the motions of a link from other sites, which would learn of this visit. */
function askToFetch(motions: readonly URL[], foreign: readonly URL[]): void {
  const sites = [...new Set(foreign.map(({ host }) => host))];
  app.notices.ask({
    topic: "fetch",
    kind: "info",
    text:
      `This link opens ${motions.length === 1 ? "a motion" : `${motions.length} motions`} from ${sites.join(", ")}. ` +
      `${sites.length === 1 ? "That site" : "Those sites"} would learn of your visit; none of your data is sent.`,
    actions: [
      {
        label: "Fetch",
        run: () =>
          void import("../core/foreign-files").then(
            ({ agreeToFetch }) => {
              agreeToFetch(foreign);
              app.mode.open(motions);
            },
            () => {
              app.notify("The motions could not be fetched. Check the connection and try again.", "error");
              askToFetch(motions, foreign);
            },
          ),
      },
    ],
  });
}

function start(): void {
  document.body.replaceChildren();
  shell.render();
  app.onChange(onAppChange);
  app.onChange(startViewIfEmpty);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => app.requestUpdate());
  acceptDrops(open);
  listenForKeys(app);
  window.addEventListener("beforeunload", (event) => {
    if (app.unsaved && !autosave.isStored) event.preventDefault();
  });
  window.addEventListener("hashchange", () => void app.show(location.hash.slice(1) || app.modes[0].id));
  watchWorker(app);
  whenReady = restoreOrOpen().finally(() => {
    isReady = true;
    app.requestUpdate();
  });

  let last = performance.now();
  const tick = (now: number): void => {
    const { clock } = app;
    clock.advance((now - last) / 1000);
    if (app.mode.realTime?.advance((now - last) / 1000)) app.frameChanged = true;
    last = now;
    if (app.frameChanged) {
      app.frameChanged = false;
      viewer?.setFrame(...app.mode.frames());
      shell.onFrame();
    }
    viewer?.render(now, clock.playing || app.mode.realTime?.isRunning === true);
    autosave.onDrawn();
    if (viewer?.isDrawn) {
      fallback.dispose();
      openLoadingGate();
    } else if (fallback.draw(app)) onFirstRender();
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

start();
