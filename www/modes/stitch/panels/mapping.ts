/** The panel of the bone mapping of a clip: shows the inferred mapping, which the user can correct. */
import { html, nothing } from "lit-html";
import type { Source } from "../../../core/library";
import type { Panel } from "../../../core/panel";
import { countRoles, ROLES } from "../../../core/roles";
import { choice } from "../../../ui/choice";
import { mappingRows, roleName } from "../../../ui/mapping";
import { mapRole, resetMapping } from "../project";
import type { Stitch } from "../stitch";

/** Returns the loaded sources of all items, each once. */
function sources(mode: Stitch): Source[] {
  const sourcesById = new Map<string, Source>();
  for (const item of mode.project.items) {
    const source = mode.sourceOf(item);
    if (source?.info) sourcesById.set(source.id, source);
  }
  return [...sourcesById.values()];
}

/** Returns the source of the selected item, else the first source. */
const shownSource = (mode: Stitch): Source | undefined => {
  const source = mode.sourceOf(mode.item(mode.selected));
  return source?.info ? source : sources(mode)[0];
};

/** Creates the panel of the bone mapping. */
export const mappingPanel = (mode: Stitch): Panel => ({
  id: "mapping",
  title: "Bone mapping",
  region: "right",
  note: () => {
    const source = shownSource(mode);
    if (!source?.info) return "";
    const edits = mode.project.rigs[source.id] ?? {};
    const roles = { ...source.info.rig, ...edits };
    return `${countRoles(roles).body} of ${ROLES.length}`;
  },
  view: () => {
    const source = shownSource(mode);
    if (!source?.info) return html`<p class="quiet">The joints of a clip and their roles appear here.</p>`;
    const inferred = source.info;
    const edits = mode.project.rigs[source.id];
    const selectClip = (event: Event): void => {
      const id = (event.target as HTMLSelectElement).value;
      mode.select(mode.project.items.find((item) => item.source === id)?.id);
    };
    return html`
      <div class="field inline"><label for="map-source">Clip</label>
        <select id="map-source" ${choice(source.id)} @change=${selectClip}>
          ${sources(mode).map(({ id, name }) => html`<option value=${id}>${name}</option>`)}
        </select></div>
      <p class="quiet">${
        inferred.kind === "biped"
          ? "Inferred from joint names and the shape of the skeleton. Corrections apply to the result at once."
          : inferred.kind === "quadruped"
            ? "A four-legged animal. The clip stitches with other four-legged animals; a mapping is not necessary."
            : "No human body was recognised. The clip plays and stitches with clips of the same skeleton; " +
              "map hips and both legs to use it with others."
      }</p>
      ${mappingRows({
        id: "map",
        auto: inferred,
        edits,
        change: (role, joint) =>
          mode.edit(`map ${roleName(role).toLowerCase()}`, (project) => mapRole(project, source.id, role, joint)),
        onHover: (role) => mode.point(role),
      })}
      ${
        edits
          ? html`<button class="button" type="button"
            @click=${() => mode.edit("inferred mapping", (project) => resetMapping(project, source.id))}>Restore the inferred mapping</button>`
          : nothing
      }`;
  },
});
