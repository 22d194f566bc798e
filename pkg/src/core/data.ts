/** Converts motions given as plain values ({@link MotionData}) to clips in wasm. */
import type { ClipHandle } from "../../wasm/kinestitch.js";
import { checkAttached } from "./attached.js";
import { freeAfter, callWasm } from "./error.js";
import type { MotionData } from "./motion-types.js";
import { formatValue, wrongOption } from "./options.js";
import { platform } from "./platform.js";

/** Returns whether a value is a motion as plain values. */
export const isMotionData = (value: unknown): value is MotionData =>
  typeof value === "object" && value !== null && "joints" in value && "rotations" in value && "translations" in value;

/** Checks plain values and creates a clip from them, in wasm; the caller frees the clip. */
export function dataHandle(data: MotionData, name: unknown = data.name ?? "clip"): ClipHandle {
  if (typeof name !== "string") throw wrongOption("name", `name must be a text, not ${formatValue(name)}`);
  const { fps, joints, rotations, translations, rig, warnings = [], leftOut = [] } = data;
  if (typeof fps !== "number") throw wrongOption("fps", `fps must be a number, not ${formatValue(fps)}`);
  if (!Array.isArray(joints))
    throw wrongOption("joints", `joints must be a list of joints, not ${formatValue(joints)}`);
  for (const [property, values] of Object.entries({ rotations, translations })) {
    if (!(values instanceof Float32Array))
      throw wrongOption(property, `${property} must be a Float32Array, not ${formatValue(values)}`);
    checkAttached(values, property);
  }
  for (const [property, texts] of Object.entries({ warnings, leftOut })) {
    if (!Array.isArray(texts) || !texts.every((text) => typeof text === "string"))
      throw wrongOption(property, `${property} must be a list of texts, not ${formatValue(texts)}`);
  }
  const remarks = { warnings, leftOut };
  const handle = callWasm(() => platform().module.ClipHandle.of(name, fps, joints, rotations, translations, remarks));
  const edits = Object.entries(rig ?? {}).filter(([, joint]) => joint !== undefined);
  return edits.length === 0 ? handle : freeAfter(handle, () => callWasm(() => handle.withRig(edits)));
}
