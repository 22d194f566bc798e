/** Contents of the stage: the characters, their ground, and the goal. */
import type { GroundPose, Handles } from "../../viewer/handles";
import type { StageContents } from "../../viewer/stage-contents";
import type { Actor } from "./actor";
import type { Control } from "./control";
import { groundField } from "./grounds";

/** Colour of the handle at the goal. */
const GOAL_COLOR = "#c9a92a";

/** Creates the contents of the stage. `setGoal`: called with the goal that the user chooses on the ground. */
export function createStageContents(
  mode: Control,
  goal: GroundPose | undefined,
  setGoal: (goal: GroundPose) => void,
): StageContents {
  const { actor } = mode;
  if (!actor) return {};
  const others = mode.both ? [...mode.cast.actors.values()].filter((other) => other !== actor) : [];
  return {
    liveSkeletons: [actor, ...others].map(({ live }) => live),
    focus: actor.focus,
    terrain: groundField(mode.ground),
    handles: createHandles(actor, goal, setGoal),
  };
}

function createHandles(actor: Actor, goal: GroundPose | undefined, setGoal: (goal: GroundPose) => void): Handles {
  return {
    height: actor.skeleton.height,
    list: goal ? [{ ...goal, id: "goal", color: GOAL_COLOR, selected: true }] : [],
    framedPoints: [],
    onSelect: () => undefined,
    onMove: (_, groundPose) => setGoal(groundPose),
    onGround: (x, z) => {
      const from = actor.groundPose;
      setGoal({ x, z, heading: Math.atan2(x - from.x, z - from.z) });
    },
  };
}
