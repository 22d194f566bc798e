/** Map of the angles by which a network changes an interpolation: one row per joint, one column per frame. */
import type { ClipInfo, Role } from "kinestitch/worker";
import { ROLES } from "../../core/roles";
import { rotationAngle, type MotionSection } from "./gap";

/** Angle at full colour, degrees. */
const FULL_COLOR_DEGREES = 45;

/** The largest change of a rotation: its joint, frame and angle. */
export interface RotationChange {
  role: Role;
  /** Frame of the gap; 1 is the first. */
  frame: number;
  degrees: number;
}

/**
 * Draws the map, and returns the largest change; `undefined` if nothing can be drawn. `names`: list that gets the role
 * of each row. `color`: colour of the changes.
 */
export function drawChanges(
  canvas: HTMLCanvasElement,
  names: HTMLElement,
  info: ClipInfo,
  interpolation: MotionSection,
  prediction: MotionSection,
  color: string,
): RotationChange | undefined {
  const rows = ROLES.flatMap((role) => {
    const joint = info.joints.findIndex(({ name }) => name === info.rig[role]);
    return joint < 0 ? [] : [{ role, joint }];
  });
  names.replaceChildren(...rows.map(({ role }) => Object.assign(document.createElement("li"), { textContent: role })));
  canvas.width = interpolation.frames;
  canvas.height = rows.length;
  const context = canvas.getContext("2d");
  if (!context) return undefined;
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = color;
  let largest: RotationChange | undefined;
  rows.forEach(({ role, joint }, row) => {
    for (let frame = 0; frame < interpolation.frames; frame++) {
      const degrees = rotationAngle(interpolation, prediction, frame, joint);
      if (!largest || degrees > largest.degrees) largest = { role, frame, degrees };
      context.globalAlpha = Math.min(1, degrees / FULL_COLOR_DEGREES);
      context.fillRect(frame, row, 1, 1);
    }
  });
  return largest;
}
