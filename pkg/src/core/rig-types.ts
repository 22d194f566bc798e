/** Bone mapping: the joint that plays each role of a humanoid body. */

/** The canonical roles of a humanoid body, with the names and in the order of LAFAN1's joints. */
export type BodyRole =
  | "Hips"
  | "LeftUpLeg"
  | "LeftLeg"
  | "LeftFoot"
  | "LeftToe"
  | "RightUpLeg"
  | "RightLeg"
  | "RightFoot"
  | "RightToe"
  | "Spine"
  | "Spine1"
  | "Spine2"
  | "Neck"
  | "Head"
  | "LeftShoulder"
  | "LeftArm"
  | "LeftForeArm"
  | "LeftHand"
  | "RightShoulder"
  | "RightArm"
  | "RightForeArm"
  | "RightHand";

/**
 * Optional roles: the bones of the fingers, from the palm to the tip ("LeftIndex1" to "LeftIndex3"; "LeftThumb1" lies
 * inside the palm), the eyes and the jaw. They are mapped by name only.
 */
export type DetailRole =
  | `${"Left" | "Right"}${"Thumb" | "Index" | "Middle" | "Ring" | "Pinky"}${1 | 2 | 3}`
  | "LeftEye"
  | "RightEye"
  | "Jaw";

/** Roles of joints: those of the body, and the optional ones. */
export type Role = BodyRole | DetailRole;

/** Joint name of each role; roles that are not mapped are absent. */
export type RigMap = Partial<Record<Role, string>>;

/** Corrections to a bone mapping: the name of a joint, or `null` to unmap the role. Other roles are not changed. */
export type RigEdits = Partial<Record<Role, string | null>>;
