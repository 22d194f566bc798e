/** Opens dropped or chosen files: motions are added to the active mode, a character replaces the default figure. */
import type { App } from "./app";
import { problemOf, sentence } from "./engine";
import { count } from "./format";
import type { Origin } from "./library";
import { isProject, openProject } from "./project-file";
import type { Model } from "../viewer/model";
import { animationNames, isFbx, isModel, modelOf, packModel } from "./models";

/** Largest number of animations of one file that are added as clips without a choice. */
const MAX_ANIMATIONS = 8;

/** Reasons why a model does not show motions; each follows a sentence. */
const NO_BODY =
  " No hips with two legs were found among its bones, so it cannot show motions of people: map its bones in the panel Character.";
const NO_SKIN = " Its model cannot be the character: its meshes have no skin, so no bones move their vertices.";

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
    app.notify(`${file.name} is now the character.${app.characters.current?.info.kind === "other" ? NO_BODY : ""}`);
    if (names.length > 0) offerAnimations(app, file, names);
  } else if (names.length > 0) {
    if (names.length <= MAX_ANIMATIONS) addAnimations(app, file, names);
    else offerAnimations(app, file, names);
    const report =
      names.length > MAX_ANIMATIONS
        ? `${file.name} contains ${count(names.length, "animation")}.`
        : `${file.name}: ${count(names.length, "animation")} ${names.length === 1 ? "was added as a clip" : "were added as clips"}.`;
    if (!model?.isSkinned) app.notify(`${report}${model?.hasMeshes ? NO_SKIN : ""}`);
    else app.notify(`${report} Its model cannot be used: ${sentence(problemOf(lastError).message)}`, "error");
  } else if (lastError) app.notify(`${file.name} cannot be opened: ${sentence(problemOf(lastError).message)}`, "error");
  else {
    const animation = isFbx(file) ? "an animation" : "a skeletal animation";
    app.notify(`${file.name} contains neither a skinned mesh nor ${animation}.`, "error");
  }
}

const addAnimations = (app: App, file: File, names: readonly string[]): void =>
  app.mode.open(names.map((animation): Origin => ({ file, animation })));

/** Opens the dialog in which the user chooses animations. Its code is fetched when it is first needed. */
async function chooseFrom(app: App, file: File): Promise<void> {
  try {
    const { chooseAnimations } = await import("../ui/animations");
    await chooseAnimations(file, (names) => addAnimations(app, file, names));
  } catch (error) {
    app.notify(`The animations of ${file.name} cannot be listed: ${sentence(problemOf(error).message)}`, "error");
  }
}

/** Offers to add the animations of a file as clips: all of a few, or those that the user chooses. */
function offerAnimations(app: App, file: File, names: readonly string[]): void {
  const all = {
    label: names.length === 1 ? "Add as a clip" : `Add ${names.length} as clips`,
    run: () => addAnimations(app, file, names),
  };
  const choose = { label: "Choose animations…", run: () => void chooseFrom(app, file) };
  app.notices.ask({
    topic: "animations",
    kind: "info",
    text: `${file.name} ${app.characters.current?.file === file ? "also contains" : "contains"} ${count(names.length, "animation")}.`,
    actions: [...(names.length <= MAX_ANIMATIONS ? [all] : []), ...(names.length > 1 ? [choose] : [])],
  });
}
