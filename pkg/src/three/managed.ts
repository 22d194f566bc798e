/** Finds changes to the mixer that transitions do not make, so that none of them is silently ignored. */
import { AdditiveAnimationBlendMode, type AnimationAction, type AnimationMixer } from "three";
import { wrongOption } from "../core/options.js";
import type { Player } from "./player.js";

/** Maximum speed of an action, seconds of the clip per second. */
const MAX_SPEED = 1000;

/** The list of actions of a mixer, of which the first ones are active; its type declarations lack it. */
interface ActionList {
  _actions?: readonly AnimationAction[];
  _nActiveActions?: number;
}

/** The fade of an action that has not begun; its type declarations lack it. */
interface FadingAction {
  _weightInterpolant?: object | null;
}

/** Returns whether an action is added to a base motion. */
export const isAdditive = (action: AnimationAction): boolean => action.blendMode === AdditiveAnimationBlendMode;

const nameOf = (action: AnimationAction): string => `"${action.getClip().name || "animation"}"`;

/** Throws if a speed is not a usable number; nothing has advanced then. */
export function checkSpeeds(mixer: AnimationMixer, player: Player): void {
  const check = (timeScale: number, owner: string): void => {
    if (Math.abs(timeScale) <= MAX_SPEED) return;
    throw wrongOption("timeScale", `timeScale of ${owner} must be a number from -1000 to 1000, not ${timeScale}`);
  };
  check(mixer.timeScale, "the mixer");
  for (const action of managedActions(player)) check(action.timeScale, `the action ${nameOf(action)}`);
}

function managedActions({ playing, layers }: Player): Set<AnimationAction> {
  return new Set([...(playing ? [playing.action] : []), ...[...layers].map(({ action }) => action)]);
}

/**
 * Throws if an action was started, faded or disabled by its own methods (`play`, `crossFadeTo`, `fadeOut`), and undoes
 * that. `movesBones`: whether a clip moves bones of the model; actions that do not, such as a face, play beside.
 */
export function checkActions(
  mixer: AnimationMixer,
  player: Player,
  movesBones: (action: AnimationAction) => boolean,
): void {
  const { _actions = [], _nActiveActions = 0 } = mixer as ActionList;
  const managed = managedActions(player);
  for (const action of _actions.slice(0, _nActiveActions)) {
    if (managed.has(action) || action.getEffectiveWeight() === 0 || !movesBones(action)) continue;
    action.stop();
    const use = isAdditive(action) ? "layer(action)" : "transitionTo(action), or layer(action, mask)";
    throw wrongOption(
      "action",
      `the action ${nameOf(action)} was started by play or crossFadeTo: use transitions.${use}`,
    );
  }
  const current = player.playing?.action;
  if (!current || !player.isAction) return;
  const isFading = Boolean((current as FadingAction)._weightInterpolant);
  if (!isFading && current.getEffectiveWeight() === 1) return;
  current.enabled = true;
  current.stopFading().stopWarping().setEffectiveWeight(1);
  throw wrongOption(
    "action",
    `the weight of the current action ${nameOf(current)} was changed by crossFadeTo, fadeOut or weight: use transitions.transitionTo(next)`,
  );
}
