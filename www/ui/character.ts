/** The panel of the character: file, bone mapping, and problems. */
import { html, nothing, type TemplateResult } from "lit-html";
import type { App } from "../core/app";
import { sentence } from "../core/engine";
import type { Panel } from "../core/panel";
import { countRoles, ROLES } from "../core/roles";
import { icon } from "./icons";
import { mappingRows } from "./mapping";

/** Renders the note on a character of stored work that could not be read. */
const unreadNote = (name: string, problem: string, remove: () => void): TemplateResult => html`
  <p class="trouble" role="alert">${icon("warn")} ${name} could not be read: ${sentence(problem)}</p>
  <p class="quiet">It stays stored, and is read again when you reload the page.</p>
  <button class="button small" type="button" @click=${remove}>Remove the character</button>`;

/** Creates the panel of the character. */
export const characterPanel = (app: App): Panel => ({
  id: "character",
  title: "Character",
  region: "right",
  note: () => app.characters.current?.name ?? "",
  view: () => {
    const { characters, host } = app;
    const { current, unread, problem } = characters;
    const remove = (): void =>
      app.history.push("remove the character", () => characters.capture(), characters.removeUndoably());
    if (!current) {
      return html`${unread?.problem ? unreadNote(unread.file.name, unread.problem, remove) : nothing}
        <p class="quiet">Drop a character (GLB, VRM or FBX, with a skin): it replaces the figure, and is
        included in the exported GLB.</p>
        <button class="button" type="button" @click=${() => host.openFiles()}>Choose a character…</button>`;
    }
    const { info, edits } = current;
    const { body, details } = countRoles({ ...info.rig, ...edits });
    const more = details > 0 ? ` and ${details} joints of fingers and face` : "";
    const hasEdits = Object.keys(edits).length > 0;
    return html`
      ${problem ? html`<p class="trouble" role="alert">${icon("warn")} ${sentence(problem)}</p>` : nothing}
      <p class="quiet">${
        info.kind === "quadruped"
          ? `A four-legged body of ${info.joints.length} bones: the dog of the mode Control can be shown on it.`
          : `${body} of ${ROLES.length} parts of the body${more} found among ${info.joints.length} bones.`
      } Export GLB saves it with the motion.</p>
      ${
        info.kind === "quadruped"
          ? nothing
          : html`<details class="mapping"><summary>Bones of ${current.name}</summary>
        ${mappingRows({
          id: "character",
          auto: info,
          edits,
          change: (role, joint) => characters.setJoint(role, joint),
        })}
      </details>`
      }
      <span class="row">
        ${
          hasEdits
            ? html`<button class="button small" type="button"
              @click=${() => characters.clearEdits()}>Restore the inferred mapping</button>`
            : nothing
        }
        <button class="button small" type="button" @click=${remove}>Remove the character</button>
      </span>`;
  },
});
