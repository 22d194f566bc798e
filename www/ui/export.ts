/** The dialog "Export and project": exports motions, saves and opens project files, and starts a new project. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../core/app";
import { problemOf, sentence } from "../core/engine";
import { exportChosen } from "../core/export";
import type { Exportable } from "../core/mode";
import { exportsCharacter, type Format } from "../core/save";
import { allowsVrma } from "../core/vrma";
import { icon } from "./icons";
import { saveProjectFile } from "./losses";

const dialog = (): HTMLDialogElement | null => document.querySelector("#export");

/** Opens or closes the export dialog. */
export function toggleExport(app: App): void {
  if (dialog()?.open) return dialog()?.close();
  dialog()?.showModal();
  void refreshWorks(app);
  void updateFormats(app);
}

/** The list of other work. Its code is fetched when the dialog first opens. */
let works: typeof import("./works") | undefined;

async function refreshWorks(app: App): Promise<void> {
  try {
    works = await import("./works");
    await works.refreshOtherWorks(app);
  } catch (error) {
    app.notify(`The other work in this browser cannot be listed: ${sentence(problemOf(error).message)}`, "error");
  }
}

/** Whether the result can be exported as VRM Animation. Updated when the dialog opens, and for each new result. */
let canExportVrma = false;
/** The result that {@link canExportVrma} is about. */
let checkedClip: Exportable["clip"] | undefined;

async function updateFormats(app: App): Promise<void> {
  const clip = (checkedClip = app.mode.exportable()?.clip);
  const isAllowed = await allowsVrma(clip).catch(() => false);
  if (clip !== checkedClip) return;
  canExportVrma = isAllowed;
  app.requestUpdate();
}

function submit(app: App, event: SubmitEvent): void {
  event.preventDefault();
  const data = new FormData(event.target as HTMLFormElement);
  const fps = Number(data.get("fps"));
  dialog()?.close();
  void exportChosen(app, {
    contents: String(data.get("what") ?? "result"),
    format: String(data.get("format")) as Format,
    inPlace: data.get("place") !== null,
    ...(fps > 0 && { fps }),
  });
}

/** Renders the dialog "Export and project". */
export function exportSheet(app: App): TemplateResult {
  const clips = app.mode.exportableClips?.() ?? [];
  if (dialog()?.open && app.mode.exportable()?.clip !== checkedClip) void updateFormats(app);
  const vrmaOption = canExportVrma ? html`<option value="vrma">VRMA, for VRM avatars</option>` : nothing;
  const onCharacter = exportsCharacter(app) ? `, on ${app.characters.current?.name}` : "";
  const [glbLabel, fbxLabel] = [`GLB${onCharacter}`, `FBX${onCharacter}`];
  return html`<dialog id="export" class="sheet narrow" aria-labelledby="export-title"
    @click=${(event: Event) => event.target === event.currentTarget && dialog()?.close()}>
    <div class="sheet-inner">
      <div class="sheet-head"><h2 id="export-title">Export and project</h2>
        <form method="dialog"><button class="tool"
          aria-label="Close" title="Close (Esc)">${icon("remove")}</button></form></div>
      <form class="export" @submit=${(event: SubmitEvent) => submit(app, event)}>
        <div class="field inline"><label for="export-what">What</label>
          <select id="export-what" name="what">
            <option value="result">The result</option>
            ${clips.length > 1 ? html`<option value="clips">All clips, one file each</option>` : nothing}
            ${clips.map(({ id, name }, i) => html`<option value=${id}>Clip ${i + 1}: ${name}</option>`)}
          </select></div>
        <div class="field inline"><label for="export-format">Format</label>
          <select id="export-format" name="format"><option value="bvh">BVH</option><option
            value="glb">${glbLabel}</option><option value="fbx">${fbxLabel}</option>${vrmaOption}</select></div>
        <div class="field inline"><label for="export-fps">Frames per second</label>
          <input id="export-fps" name="fps" type="number" min="1" max="240" step="any" placeholder="unchanged"></div>
        <label class="switch"><input type="checkbox" role="switch"
          name="place"><span>In place: without movement over the ground</span></label>
        <button class="button primary" type="submit">${icon("save")}<span>Export</span></button>
      </form>
      <h3>Project</h3>
      <p class="quiet">Your work is stored in this browser and restored on your next visit. A project file contains all
        of it, including the motion files.</p>
      <span class="row">
        <button class="button" type="button" @click=${() => {
          dialog()?.close();
          void saveProjectFile(app);
        }}>Save project file</button>
        <button class="button" type="button" @click=${() => {
          dialog()?.close();
          app.host.openFiles();
        }}>Open project file…</button>
        <button class="button" type="button" @click=${() => {
          dialog()?.close();
          app.startNewProject();
        }}>New project</button>
      </span>
      ${works?.otherWorksList(app) ?? nothing}
    </div>
  </dialog>`;
}
