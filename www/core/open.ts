/** Opens dropped or chosen files: motions are added to the active mode, a character replaces the default figure. */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";
import { count } from "./format";
import type { Origin } from "./library";
import { isProject, openProject } from "./project-file";
import type { Model } from "../viewer/model";
import { animationNames, isFbx, isModel, modelOf, packModel } from "./models";

/** Maximum number of animations of one file that are added as clips. */
const MAX_ANIMATIONS = 8;

/**
 * Opens files of any known format: a project, characters and motions. If there is a project, only it is opened. Errors
 * are shown as notices.
 */
export async function openFiles(app: App, files: readonly File[]): Promise<void> {
  const project = files.find(isProject);
  if (project) {
    const ignored = files.length > 1 ? " The other files were not opened: add them separately." : "";
    await openProject(app, project, ignored).catch((error: unknown) =>
      app.notify(`${project.name} cannot be opened: ${sentence(problemOf(error).message)}${ignored}`, "error"),
    );
    return;
  }
  // Buffers and textures are read with the glTF documents that refer to them.
  const isGltf = ({ name }: File): boolean => /\.gltf$/i.test(name);
  const companions = files.some(isGltf) ? files.filter(({ name }) => /\.(bin|png|jpe?g|webp|ktx2)$/i.test(name)) : [];
  const motions = files.filter((file) => !isModel(file) && !companions.includes(file));
  if (motions.length > 0) app.mode.open(motions);
  for (const file of files.filter(isModel)) await openModel(app, file, isGltf(file) ? companions : undefined);
}

/** Replaces the default figure or the current character, as an undoable step. */
async function replaceCharacter(app: App, file: File, model: Model): Promise<void> {
  const restore = await app.characters.replace(file, model);
  app.history.push(`use character ${file.name}`, () => app.characters.capture(), restore);
}

/**
 * Opens a character or an animated model, and shows the result as a notice. `companions`: files opened together with a
 * glTF document, which are packed with it into one GLB.
 */
async function openModel(app: App, input: File, companions: readonly File[] | undefined): Promise<void> {
  app.notify(`Reading ${input.name}…`);
  let file = input;
  try {
    if (companions) file = await packModel(input, companions);
  } catch (error) {
    return app.notify(`${input.name} cannot be opened: ${sentence(problemOf(error).message)}`, "error");
  }
  let lastError: unknown;
  const rememberError = (error: unknown): undefined => void (lastError = error);
  const model = await modelOf(file).catch(rememberError);
  const names = (await animationNames(file).catch(rememberError)) ?? [];
  if (model?.isSkinned) await replaceCharacter(app, file, model).catch(rememberError);
  const isReplaced = app.characters.current?.file === file;
  if (isReplaced) {
    app.notify(`${file.name} is now the character.`);
    if (names.length > 0) offerAnimations(app, file, names);
  } else if (names.length > 0) {
    addAnimations(app, file, names);
    const added = Math.min(names.length, MAX_ANIMATIONS);
    const text = added < names.length ? `the first ${added} of ${names.length} animations` : count(added, "animation");
    const report = `${file.name}: ${text} ${added === 1 ? "was added as a clip" : "were added as clips"}.`;
    if (!model?.isSkinned) app.notify(report);
    else app.notify(`${report} Its model cannot be used: ${sentence(problemOf(lastError).message)}`, "error");
  } else if (lastError) app.notify(`${file.name} cannot be opened: ${sentence(problemOf(lastError).message)}`, "error");
  else {
    const animation = isFbx(file) ? "an animation" : "a skeletal animation";
    app.notify(`${file.name} contains neither a skinned mesh nor ${animation}.`, "error");
  }
}

const addAnimations = (app: App, file: File, names: readonly string[]): void =>
  app.mode.open(names.slice(0, MAX_ANIMATIONS).map((animation): Origin => ({ file, animation })));

const addLabel = (animations: number): string => {
  if (animations === 1) return "Add as a clip";
  return `Add ${animations > MAX_ANIMATIONS ? `the first ${MAX_ANIMATIONS}` : animations} as clips`;
};

/** Offers to add the animations of a character as clips. */
function offerAnimations(app: App, file: File, names: readonly string[]): void {
  app.notices.ask({
    topic: "animations",
    kind: "info",
    text: `${file.name} also contains ${count(names.length, "animation")}.`,
    actions: [{ label: addLabel(names.length), run: () => addAnimations(app, file, names) }],
  });
}
