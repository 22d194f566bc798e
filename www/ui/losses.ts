/** Shows a notice if the worker or WebGL is permanently lost, and offers to save the work. */
import type { App } from "../core/app";
import { onWorkerLost, problemOf, sentence } from "../core/engine";
import type { NoticeAction } from "../core/notices";
import { saveProject } from "../core/project-file";

/** Time in which WebGL may recover, such as after a reset of the graphics card, milliseconds. */
const RECOVERY_MS = 4000;

/** Saves a project file, and shows the result as a notice. */
export async function saveProjectFile(app: App): Promise<void> {
  try {
    const name = await saveProject(app);
    app.notify(
      name
        ? `Saved ${name}. To open it, drop it on this page.`
        : "There is nothing to save yet: the demo is not part of a project.",
    );
  } catch (error) {
    app.notify(`The project could not be saved: ${sentence(problemOf(error).message)}`, "error");
  }
}

const lossActions = (app: App): NoticeAction[] => [
  { label: "Save project file", run: () => void saveProjectFile(app) },
  { label: "Reload the page", run: () => location.reload() },
];

/** Shows a notice if the worker is lost. */
export function watchWorker(app: App): void {
  onWorkerLost((reason) => {
    // The package's message is for developers.
    console.error(reason);
    app.notices.ask({
      topic: "worker",
      kind: "error",
      actions: lossActions(app),
      text:
        "The worker that reads and joins motions has stopped and cannot be restarted. Your work is unchanged: " +
        "save it, then reload the page.",
    });
  });
}

/** Shows a notice if WebGL is lost, and removes it if WebGL is restored. */
export function watchCanvas(app: App, canvas: HTMLCanvasElement): void {
  let timer = 0;
  canvas.addEventListener("webglcontextlost", () => {
    timer = window.setTimeout(
      () =>
        app.notices.ask({
          topic: "webgl",
          kind: "error",
          actions: lossActions(app),
          text:
            "The browser has stopped WebGL, so the figure is not drawn. Your work is unchanged; " +
            "stitching and export still work.",
        }),
      RECOVERY_MS,
    );
  });
  canvas.addEventListener("webglcontextrestored", () => {
    window.clearTimeout(timer);
    const question = app.notices.questions.find(({ topic }) => topic === "webgl");
    if (question) app.notices.dismiss(question);
  });
}
