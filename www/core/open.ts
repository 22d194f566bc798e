/** What becomes of files that are given to the page: motions go to the mode, a character takes the place of the figure. */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";
import { count } from "./format";
import type { Origin } from "./library";
import { isProject, openProject } from "./project-file";
import type { Model } from "../viewer/model";
import { animationNames, isFbx, isModel, modelOf } from "./models";

/** More animations of one file than this are not made clips of all at once. */
const MOST_PARTS = 8;

export async function openFiles(app: App, files: readonly File[]): Promise<void> {
  const project = files.find(isProject);
  if (project) {
    await openProject(app, project).catch((error: unknown) => app.notify(`${project.name} cannot be opened: ${sentence(problemOf(error).message)}`, "error"));
    return;
  }
  const motions = files.filter((file) => !isModel(file));
  if (motions.length > 0 || files.length === 0) app.mode.open(motions);
  for (const file of files.filter(isModel)) await openModel(app, file);
}

/** Puts a character in the place of the figure, as a step that can be undone. */
async function takeCharacter(app: App, file: File, model: Model): Promise<void> {
  const capture = (): (() => void) => app.characters.capture();
  const back = capture();
  await app.characters.take(file, model);
  app.steps.push(`character ${file.name}`, capture, back);
}

async function openModel(app: App, file: File): Promise<void> {
  app.notify(`Reading ${file.name}…`);
  let trouble: unknown;
  const keep = (error: unknown): undefined => void (trouble = error);
  const model = await modelOf(file).catch(keep);
  const names = await animationNames(file).catch(keep);
  if (model?.skinned) await takeCharacter(app, file, model).catch(keep);
  const parts = (names ?? []).slice(0, MOST_PARTS);
  if (parts.length > 0) app.mode.open(parts.map((animation): Origin => ({ file, animation })));
  const worn = app.characters.current?.file === file;
  const motions = parts.length > 0 ? `${worn ? "; " : ""}${parts.length === names?.length ? "its" : `${parts.length} of its ${names?.length}`} ${count(parts.length, "animation").replace(/^\S+ /, "")} added as clips` : "";
  if (worn || parts.length > 0) app.notify(`${file.name}: ${worn ? "in the place of the figure" : ""}${motions}.`);
  else if (trouble) app.notify(`${file.name} cannot be opened: ${sentence(problemOf(trouble).message)}`, "error");
  else app.notify(`${file.name} holds neither a body with a skin nor an animation${isFbx(file) ? "" : " of bones"}: nothing in it can move.`, "error");
}
