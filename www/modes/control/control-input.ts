/** Computes the input of a character from the user's input, a goal or the demo path, and the settings. */
import type { ControlInput } from "kinestitch/worker";
import type { GroundPose } from "../../viewer/handles";
import type { Actor } from "./actor";
import type { CharacterEntry } from "./characters";
import type { Inputs } from "./inputs";
import type { ControlSettings } from "./storage";
import { stickToInput, type DemoPath, deflection, STAND_STILL, goalToInput } from "./steering";

/** Speed on the fast half of the demo path, as a multiple of the walking speed. */
const FAST_DEMO_FACTOR = 1.8;

/** A character, and its steering. Without input of the user, it moves to the goal, or else along the demo path. */
export interface Steering {
  actor: Actor;
  /** Heading of the camera, radians. */
  heading: number;
  goal: GroundPose | undefined;
  demo: DemoPath | undefined;
}

/** Returns the input of the next step of `seconds`. Advances the demo path by it, if the demo path is followed. */
export function controlInput(
  {
    entry,
    inputs,
    speed: requestedSpeed,
    strafes,
    noise,
    seed,
    style,
    action,
  }: ControlSettings & {
    readonly entry: CharacterEntry | undefined;
    readonly inputs: Inputs;
  },
  { actor, heading, goal, demo }: Steering,
  seconds: number,
): ControlInput {
  const { fastest, scale, styles, actions } = actor.controller;
  const [walk, run] = [(entry?.walk ?? 1.3) * scale, (entry?.run ?? 3) * scale];
  const { stick, fast, jump, facing } = inputs.read(seconds);
  const speed = Math.min(fastest, fast ? Math.max(run, requestedSpeed ?? 0) : (requestedSpeed ?? walk));
  const movement = (): ControlInput => {
    if (deflection(stick) > 0 || facing) return stickToInput(stick, heading, speed);
    if (goal) return goalToInput(actor.groundPose, goal, speed);
    return (
      demo?.next(actor.groundPose, Math.min(fastest, walk), Math.min(fastest, FAST_DEMO_FACTOR * walk), seconds) ??
      STAND_STILL
    );
  };
  const cameraDirection = strafes ? ([Math.sin(heading), Math.cos(heading)] as const) : undefined;
  const facingDirection = facing ? stickToInput(facing, heading, 1).direction : cameraDirection;
  return {
    ...movement(),
    noise,
    seed,
    ...(facingDirection && { facing: Math.atan2(facingDirection[0], facingDirection[1]) }),
    // Style and action of the previous character may not exist for this one.
    ...(style !== undefined && styles.includes(style) && { style }),
    ...(action !== undefined && actions.includes(action) && { action }),
    ...(jump && actions.includes("jump") && { action: "jump" }),
  };
}
