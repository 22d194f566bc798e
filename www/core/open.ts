/** Opens dropped or chosen files: motions are added to the active mode, a character replaces the default figure. */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";
import { count } from "./format";
import type { Origin } from "./library";
import { isProject, openProject } from "./project-file";
import type { Model } from "../viewer/model";
import { animationNames, isFbx, isModel, modelOf, packedModel } from "./models";

/** Only this many animations of a file become clips. */
const MAX_ANIMATIONS = 8;

/** Opens files of any known format: a project, a character, or motions. Errors are shown as notices. */
export async function openFiles(app: App, files: readonly File[]): Promise<void> {
  const project = files.find(isProject);
  if (project) {
    await openProject(app, project).catch((error: unknown) =>
      app.notify(`${project.name} cannot be opened: ${sentence(problemOf(error).message)}`, "error"),
    );
    return;
  }
  // Buffers and textures are read with the glTF documents that refer to them.
  const isDocument = ({ name }: File): boolean => /\.gltf$/i.test(name);
  const beside = files.some(isDocument) ? files.filter(({ name }) => /\.(bin|png|jpe?g|webp)$/i.test(name)) : [];
  const motions = files.filter((file) => !isModel(file) && !beside.includes(file));
  if (motions.length > 0 || files.length === 0) app.mode.open(motions);
  for (const file of files.filter(isModel)) await openModel(app, file, isDocument(file) ? beside : undefined);
}

/** Replaces the figure by a character, as an undoable step. */
async function takeCharacter(app: App, file: File, model: Model): Promise<void> {
  const capture = (): (() => void) => app.characters.capture();
  const back = capture();
  await app.characters.take(file, model);
  app.history.push(`character ${file.name}`, capture, back);
}

/**
 * Opens a character or an animated model. `beside`: files given together with a glTF document, which are packed with it
 * into one GLB.
 */
async function openModel(app: App, given: File, beside: readonly File[] | undefined): Promise<void> {
  app.notify(`Reading ${given.name}…`);
  let file = given;
  try {
    if (beside) file = await packedModel(given, beside);
  } catch (error) {
    return app.notify(`${given.name} cannot be opened: ${sentence(problemOf(error).message)}`, "error");
  }
  let trouble: unknown;
  const keep = (error: unknown): undefined => void (trouble = error);
  const model = await modelOf(file).catch(keep);
  const names = (await animationNames(file).catch(keep)) ?? [];
  if (model?.skinned) await takeCharacter(app, file, model).catch(keep);
  const worn = app.characters.current?.file === file;
  if (worn) {
    app.notify(`${file.name} replaces the figure.`);
    if (names.length > 0) offerAnimations(app, file, names);
  } else if (names.length > 0) {
    addAnimations(app, file, names);
    app.notify(
      `${file.name}: ${names.length > MAX_ANIMATIONS ? `${MAX_ANIMATIONS} of its ${names.length} animations` : count(names.length, "animation")} added as clips.`,
    );
  } else if (trouble) app.notify(`${file.name} cannot be opened: ${sentence(problemOf(trouble).message)}`, "error");
  else
    app.notify(
      `${file.name} holds neither a body with a skin nor an animation${isFbx(file) ? "" : " of bones"}: nothing in it can move.`,
      "error",
    );
}

const addAnimations = (app: App, file: File, names: readonly string[]): void =>
  app.mode.open(names.slice(0, MAX_ANIMATIONS).map((animation): Origin => ({ file, animation })));

const addLabel = (animations: number): string => {
  if (animations === 1) return "Add it as a clip";
  return `Add ${animations > MAX_ANIMATIONS ? `the first ${MAX_ANIMATIONS}` : "them"} as clips`;
};

/** After opening a character, its animations are offered as clips. */
function offerAnimations(app: App, file: File, names: readonly string[]): void {
  app.notices.ask({
    about: "animations",
    kind: "info",
    text: `${file.name} holds ${count(names.length, "animation")} too.`,
    actions: [{ label: addLabel(names.length), run: () => addAnimations(app, file, names) }],
  });
}
