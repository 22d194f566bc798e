/** Rows of a bone mapping: each shows the joint of a role, and lets the user choose another joint. */
import { html, type TemplateResult } from "lit-html";
import { classMap } from "lit-html/directives/class-map.js";
import { guard } from "lit-html/directives/guard.js";
import type { ClipInfo, RigEdits, Role } from "kinestitch/worker";
import { ROLE_GROUPS } from "../core/roles";
import { choice } from "./choice";

/** Displayed names of roles without their side; other roles are displayed by their own names. */
const ROLE_NAMES: Record<string, string> = {
  Spine1: "Chest",
  Spine2: "Upper chest",
  UpLeg: "Thigh",
  Leg: "Shin",
  Shoulder: "Collar bone",
  Arm: "Upper arm",
  ForeArm: "Forearm",
};

/** Returns the displayed name of a role, without its side. */
export function roleName(role: Role): string {
  const withoutSide = role.replace(/^(Left|Right)/, "");
  return ROLE_NAMES[withoutSide] ?? withoutSide;
}

interface Mapping {
  /** Prefix of the fields' ids, unique per mapping on the page. */
  id: string;
  /** The inferred mapping. */
  auto: ClipInfo;
  edits: RigEdits | undefined;
  /** Assigns a joint to a role: `null` for no joint, `undefined` for the inferred joint. */
  change(role: Role, joint: string | null | undefined): void;
  /** Called with the role that the pointer or focus enters, and with `undefined` when it leaves. */
  onHover?(role: Role | undefined): void;
}

function row({ id, auto, edits, change, onHover }: Mapping, role: Role): TemplateResult {
  const isEdited = edits !== undefined && role in edits;
  const joint = isEdited ? (edits[role] ?? "") : (auto.rig[role] ?? "");
  const fieldId = `${id}-${role}`;
  const choose = (event: Event): void => {
    const chosen = (event.target as HTMLSelectElement).value;
    change(role, chosen === (auto.rig[role] ?? "") ? undefined : chosen === "" ? null : chosen);
  };
  const hover = (isInside: boolean) => () => onHover?.(isInside ? role : undefined);
  return html`<div class=${classMap({ "map-row": true, edited: isEdited, missing: joint === "" })}
      @pointerenter=${hover(true)} @pointerleave=${hover(false)} @focusin=${hover(true)} @focusout=${hover(false)}>
    <label for=${fieldId}>${roleName(role)}</label>
    <select id=${fieldId} ${choice(joint)} @change=${choose}>
      <option value="">not mapped</option>
      ${auto.joints.map(({ name }) => html`<option value=${name}>${name}</option>`)}
    </select>
  </div>`;
}

/** Renders the rows of a mapping, grouped by body part. */
export function mappingRows(mapping: Mapping): unknown {
  return guard([mapping.auto, mapping.edits], () =>
    ROLE_GROUPS.map(
      ({ title, roles }) =>
        html`<fieldset
          class="map-group"><legend>${title}</legend>${roles.map((role) => row(mapping, role))}</fieldset>`,
    ),
  );
}
