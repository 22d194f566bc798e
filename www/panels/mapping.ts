/** The bone mapping of a clip: found by itself, shown, corrected by hand. */
import { html, nothing, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import { guard } from "lit-html/directives/guard.js";
import type { ClipInfo, Role } from "kinestitch/worker";
import type { App } from "../app/app";
import type { Source } from "../app/library";
import { mapRole, unmap } from "../app/project";
import { choice } from "../ui/choice";
import type { Panel } from "./panel";

const GROUPS: readonly { title: string; roles: readonly Role[] }[] = [
  { title: "Body", roles: ["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"] },
  { title: "Left leg", roles: ["LeftUpLeg", "LeftLeg", "LeftFoot", "LeftToe"] },
  { title: "Right leg", roles: ["RightUpLeg", "RightLeg", "RightFoot", "RightToe"] },
  { title: "Left arm", roles: ["LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"] },
  { title: "Right arm", roles: ["RightShoulder", "RightArm", "RightForeArm", "RightHand"] },
];

/** Part names within a group; the rest keep their role's name. */
const NAMES: Record<string, string> = {
  Spine1: "Chest", Spine2: "Upper chest", UpLeg: "Thigh", Leg: "Shin", Shoulder: "Collar bone", Arm: "Upper arm", ForeArm: "Forearm",
};

function roleName(role: Role): string {
  const bare = role.replace(/^(Left|Right)/, "");
  return NAMES[bare] ?? bare;
}

function roleRow(app: App, source: Source, auto: ClipInfo, role: Role): TemplateResult {
  const edits = app.project.rigs[source.id];
  const edited = edits !== undefined && role in edits;
  const joint = edited ? (edits[role] ?? "") : (auto.rig[role] ?? "");
  const id = `map-${role}`;
  const change = (event: Event): void => {
    const chosen = (event.target as HTMLSelectElement).value;
    const value = chosen === (auto.rig[role] ?? "") ? undefined : chosen === "" ? null : chosen;
    app.edit(`map ${roleName(role).toLowerCase()}`, (project) => mapRole(project, source.id, role, value));
  };
  const point = (now: boolean) => () => app.point(now ? role : undefined);
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
function sources(app: App): Source[] {
  const found = new Map<string, Source>();
  for (const item of app.project.items) {
    const source = app.sourceOf(item);
    if (source?.info) found.set(source.id, source);
  }
  return [...found.values()];
}

const chosen = (app: App): Source | undefined => {
  const source = app.sourceOf(app.item(app.selected));
  return source?.info ? source : sources(app)[0];
};

export const mapping: Panel = {
  id: "mapping",
  title: "Bone mapping",
  place: "right",
  note: (app) => {
    const source = chosen(app);
    if (!source?.info) return "";
    const edits = app.project.rigs[source.id] ?? {};
    const roles = { ...source.info.rig, ...edits };
    return `${Object.values(roles).filter(Boolean).length} of 22`;
  },
  view: (app) => {
    const source = chosen(app);
    if (!source?.info) return html`<p class="quiet">The joints of a clip and what they were taken for appear here.</p>`;
    const auto = source.info;
    const edits = app.project.rigs[source.id];
    const pick = (event: Event): void => {
      const id = (event.target as HTMLSelectElement).value;
      app.select(app.project.items.find((item) => item.source === id)?.id);
    };
    return html`
      <div class="field inline"><label for="map-source">Clip</label>
        <select id="map-source" ${choice(source.id)} @change=${pick}>
          ${sources(app).map(({ id, name }) => html`<option value=${id}>${name}</option>`)}
        </select></div>
      <p class="quiet">${auto.kind === "biped"
        ? "Found by name and shape. Correct what is wrong; the result follows."
        : "No human body was recognised. The clip plays and stitches with clips of the same skeleton; map hips and both legs to use it with others."}</p>
      ${guard([auto, edits], () => GROUPS.map(({ title, roles }) =>
        html`<fieldset class="map-group"><legend>${title}</legend>${roles.map((role) => roleRow(app, source, auto, role))}</fieldset>`))}
      ${edits
        ? html`<button class="button" type="button" @click=${() => app.edit("automatic mapping", (project) => unmap(project, source.id))}>Back to the automatic mapping</button>`
        : nothing}`;
  },
};
