/** The bone mapping of a clip: found by itself, shown, corrected by hand. */
import { html, nothing, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import { guard } from "lit-html/directives/guard.js";
import type { ClipInfo, Role } from "kinestitch/worker";
import type { Source } from "../../../core/library";
import type { Panel } from "../../../core/panel";
import { ROLE_GROUPS } from "../../../core/roles";
import { choice } from "../../../ui/choice";
import { mapRole, unmap } from "../project";
import type { Stitch } from "../stitch";

/** Part names within a group; the rest keep their role's name. */
const NAMES: Record<string, string> = {
  Spine1: "Chest", Spine2: "Upper chest", UpLeg: "Thigh", Leg: "Shin", Shoulder: "Collar bone", Arm: "Upper arm", ForeArm: "Forearm",
};

function roleName(role: Role): string {
  const bare = role.replace(/^(Left|Right)/, "");
  return NAMES[bare] ?? bare;
}

function roleRow(mode: Stitch, source: Source, auto: ClipInfo, role: Role): TemplateResult {
  const edits = mode.project.rigs[source.id];
  const edited = edits !== undefined && role in edits;
  const joint = edited ? (edits[role] ?? "") : (auto.rig[role] ?? "");
  const id = `map-${role}`;
  const change = (event: Event): void => {
    const chosen = (event.target as HTMLSelectElement).value;
    const value = chosen === (auto.rig[role] ?? "") ? undefined : chosen === "" ? null : chosen;
    mode.edit(`map ${roleName(role).toLowerCase()}`, (project) => mapRole(project, source.id, role, value));
  };
  const point = (now: boolean) => () => mode.point(now ? role : undefined);
  return html`<div class=${classMap({ "map-row": true, edited, missing: joint === "" })}
      @pointerenter=${point(true)} @pointerleave=${point(false)} @focusin=${point(true)} @focusout=${point(false)}>
    <label for=${id}>${roleName(role)}</label>
    <select id=${id} ${choice(joint)} @change=${change}>
      <option value="">not mapped</option>
      ${auto.joints.map(({ name }) => html`<option value=${name}>${name}</option>`)}
    </select>
  </div>`;
}

/** Sources in use, each once. */
function sources(mode: Stitch): Source[] {
  const found = new Map<string, Source>();
  for (const item of mode.project.items) {
    const source = mode.sourceOf(item);
    if (source?.info) found.set(source.id, source);
  }
  return [...found.values()];
}

const chosen = (mode: Stitch): Source | undefined => {
  const source = mode.sourceOf(mode.item(mode.selected));
  return source?.info ? source : sources(mode)[0];
};

export const mapping = (mode: Stitch): Panel => ({
  id: "mapping",
  title: "Bone mapping",
  place: "right",
  note: () => {
    const source = chosen(mode);
    if (!source?.info) return "";
    const edits = mode.project.rigs[source.id] ?? {};
    const roles = { ...source.info.rig, ...edits };
    return `${Object.values(roles).filter(Boolean).length} of 22`;
  },
  view: () => {
    const source = chosen(mode);
    if (!source?.info) return html`<p class="quiet">The joints of a clip and what they were taken for appear here.</p>`;
    const auto = source.info;
    const edits = mode.project.rigs[source.id];
    const pick = (event: Event): void => {
      const id = (event.target as HTMLSelectElement).value;
      mode.select(mode.project.items.find((item) => item.source === id)?.id);
    };
    return html`
      <div class="field inline"><label for="map-source">Clip</label>
        <select id="map-source" ${choice(source.id)} @change=${pick}>
          ${sources(mode).map(({ id, name }) => html`<option value=${id}>${name}</option>`)}
        </select></div>
      <p class="quiet">${auto.kind === "biped"
        ? "Found by name and shape. Correct what is wrong; the result follows."
        : "No human body was recognised. The clip plays and stitches with clips of the same skeleton; map hips and both legs to use it with others."}</p>
      ${guard([auto, edits], () => ROLE_GROUPS.map(({ title, roles }) =>
        html`<fieldset class="map-group"><legend>${title}</legend>${roles.map((role) => roleRow(mode, source, auto, role))}</fieldset>`))}
      ${edits
        ? html`<button class="button" type="button" @click=${() => mode.edit("automatic mapping", (project) => unmap(project, source.id))}>Back to the automatic mapping</button>`
        : nothing}`;
  },
});
