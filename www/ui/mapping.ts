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
  const withoutSide = role.replace(/^(Left|Right)/, "");
  return NAMES[withoutSide] ?? withoutSide;
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
  onHover?(role: Role | undefined): void;
}

function row({ id, auto, edits, change, onHover: point }: Mapping, role: Role): TemplateResult {
  const isEdited = edits !== undefined && role in edits;
  const joint = isEdited ? (edits[role] ?? "") : (auto.rig[role] ?? "");
  const fieldId = `${id}-${role}`;
  const choose = (event: Event): void => {
    const chosen = (event.target as HTMLSelectElement).value;
    change(role, chosen === (auto.rig[role] ?? "") ? undefined : chosen === "" ? null : chosen);
  };
  const onHover = (now: boolean) => () => point?.(now ? role : undefined);
  return html`<div class=${classMap({ "map-row": true, edited: isEdited, missing: joint === "" })}
      @pointerenter=${onHover(true)} @pointerleave=${onHover(false)} @focusin=${onHover(true)} @focusout=${onHover(false)}>
    <label for=${fieldId}>${roleName(role)}</label>
    <select id=${fieldId} ${choice(joint)} @change=${choose}>
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
