/** Combines the user's input, a goal or the demo path, and the settings to the input of a character. */
import type { ControlInput } from "kinestitch/worker";
import type { GroundPose } from "../../viewer/handles";
import type { Actor } from "./actor";
import type { CharacterEntry } from "./characters";
import type { Inputs } from "./inputs";
import type { Manner } from "./keeping";
import { byStick, type DemoPath, push, STAY, toGoal } from "./steering";

/** Speed on half of the demo path, as a multiple of walking. */
const DEMO_HASTE = 1.8;

/** What steers a character: the user first, then a goal, then the demo path. */
export interface Steerer {
  actor: Actor;
  /** Heading of the camera, radians. */
  heading: number;
  goal: GroundPose | undefined;
  demo: DemoPath | undefined;
}

/** Returns the input of the next step, and advances the demo path by `seconds`. */
export function controlInput(
  {
    entry,
    inputs,
    speed: wanted,
    strafes,
    noise,
    seed,
    style,
    action,
  }: Manner & {
    readonly entry: CharacterEntry | undefined;
    readonly inputs: Inputs;
  },
  { actor, heading, goal, demo }: Steerer,
  seconds: number,
): ControlInput {
  const { fastest, scale, styles, actions } = actor.controller;
  const [walk, run] = [(entry?.walk ?? 1.3) * scale, (entry?.run ?? 3) * scale];
  const { stick, fast, jump, facing } = inputs.read(seconds);
  const speed = Math.min(fastest, fast ? Math.max(run, wanted ?? 0) : (wanted ?? walk));
  const movement = (): ControlInput => {
    if (push(stick) > 0 || facing) return byStick(stick, heading, speed);
    if (goal) return toGoal(actor.spot, goal, speed);
    return demo?.next(actor.spot, Math.min(fastest, walk), Math.min(fastest, DEMO_HASTE * walk), seconds) ?? STAY;
  };
  const cameraDirection = strafes ? ([Math.sin(heading), Math.cos(heading)] as const) : undefined;
  const looks = facing ? byStick(facing, heading, 1).direction : cameraDirection;
  return {
    ...movement(),
    noise,
    seed,
    ...(looks && { facing: Math.atan2(looks[0], looks[1]) }),
    // Style and action of the previous character may not exist for this one.
    ...(style !== undefined && styles.includes(style) && { style }),
    ...(action !== undefined && actions.includes(action) && { action }),
    ...(jump && actions.includes("jump") && { action: "jump" }),
  };
}
