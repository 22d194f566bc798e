/** Rows of a bone mapping: the joint of each role, each with a correction. */
import { html, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import { guard } from "lit-html/directives/guard.js";
import type { ClipInfo, RigEdits, Role } from "kinestitch/worker";
import { ROLE_GROUPS } from "../core/roles";
import { choice } from "./choice";

/** Names of roles within a group; the others keep their names. */
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
  /** Distinguishes the fields of two mappings. */
  id: string;
  /** The inferred mapping. */
  auto: ClipInfo;
  edits: RigEdits | undefined;
  /** A joint, `null` for none, `undefined` for the inferred one. */
  change(role: Role, joint: string | null | undefined): void;
  /** Called when the pointer enters or leaves a role. */
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

/** The rows of a mapping, grouped by body part. */
export function mappingRows(mapping: Mapping): unknown {
  return guard([mapping.auto, mapping.edits], () =>
    ROLE_GROUPS.map(
      ({ title, roles }) =>
        html`<fieldset class="map-group"><legend>${title}</legend>${roles.map((role) => row(mapping, role))}</fieldset>`,
    ),
  );
}
