/** Rows of a bone mapping: which joint plays which part of the body, each to be corrected. */
import { html, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import { guard } from "lit-html/directives/guard.js";
import type { ClipInfo, RigEdits, Role } from "kinestitch/worker";
import { ROLE_GROUPS } from "../core/roles";
import { choice } from "./choice";

/** Part names within a group; the rest keep their role's name. */
const NAMES: Record<string, string> = {
  Spine1: "Chest",
  Spine2: "Upper chest",
  UpLeg: "Thigh",
  Leg: "Shin",
  Shoulder: "Collar bone",
  Arm: "Upper arm",
  ForeArm: "Forearm",
};

/** A part of the body in words. */
export function roleName(role: Role): string {
  const bare = role.replace(/^(Left|Right)/, "");
  return NAMES[bare] ?? bare;
}

interface Mapping {
  /** Tells the fields of two mappings apart. */
  id: string;
  /** As it was found. */
  auto: ClipInfo;
  edits: RigEdits | undefined;
  /** A joint, `null` for none, `undefined` for what was found. */
  change(role: Role, joint: string | null | undefined): void;
  /** A part is pointed at, or none any more. */
  point?(role: Role | undefined): void;
}

function row({ id, auto, edits, change, point }: Mapping, role: Role): TemplateResult {
  const edited = edits !== undefined && role in edits;
  const joint = edited ? (edits[role] ?? "") : (auto.rig[role] ?? "");
  const field = `${id}-${role}`;
  const choose = (event: Event): void => {
    const chosen = (event.target as HTMLSelectElement).value;
    change(role, chosen === (auto.rig[role] ?? "") ? undefined : chosen === "" ? null : chosen);
  };
  const at = (now: boolean) => () => point?.(now ? role : undefined);
  return html`<div class=${classMap({ "map-row": true, edited, missing: joint === "" })}
      @pointerenter=${at(true)} @pointerleave=${at(false)} @focusin=${at(true)} @focusout=${at(false)}>
    <label for=${field}>${roleName(role)}</label>
    <select id=${field} ${choice(joint)} @change=${choose}>
      <option value="">not mapped</option>
      ${auto.joints.map(({ name }) => html`<option value=${name}>${name}</option>`)}
    </select>
  </div>`;
}

export function mappingRows(mapping: Mapping): unknown {
  return guard([mapping.auto, mapping.edits], () =>
    ROLE_GROUPS.map(
      ({ title, roles }) =>
        html`<fieldset class="map-group"><legend>${title}</legend>${roles.map((role) => row(mapping, role))}</fieldset>`,
    ),
  );
}
