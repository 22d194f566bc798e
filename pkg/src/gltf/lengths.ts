/** Names and lengths of the animations of a file. */
import { AccessorReader } from "./accessor.js";
import { animationNames } from "./container.js";
import type { Gltf, GltfAnimation } from "./document.js";
import { channelTarget, isTransform } from "./tracks.js";

/** An animation of a file. */
export interface AnimationInfo {
  /** Name, as in the option `animation` of `load`. */
  name: string;
  /** Seconds from its first to its last key; 0 if it moves no node. */
  seconds: number;
  /** Whether it moves nodes; other animations, such as those of materials, are no motions. */
  moves: boolean;
}

/** Returns the name and the length of each animation. */
export function listAnimations(file: Gltf): AnimationInfo[] {
  const accessors = new AccessorReader(file);
  const names = animationNames(file);
  return (file.json.animations ?? []).map((animation, i) => {
    const seconds = lengthOf(file, animation, accessors);
    return { name: names[i] as string, seconds: Math.max(0, seconds), moves: seconds >= 0 };
  });
}

/** Returns the seconds between the first and the last key of the tracks that move nodes; -1 if there are none. */
function lengthOf({ json }: Gltf, { channels, samplers }: GltfAnimation, accessors: AccessorReader): number {
  let [from, to] = [Infinity, -Infinity];
  const inputs = new Set<number>();
  for (const channel of channels) {
    const target = channelTarget(channel, json.nodes?.length ?? 0);
    if (target && isTransform(target.path)) inputs.add(samplers[channel.sampler]?.input as number);
  }
  for (const input of inputs) {
    const { min, max } = accessors.accessor(input);
    const times = min?.length === 1 && max?.length === 1 ? [min[0], max[0]] : accessors.read(input);
    from = Math.min(from, times[0] as number);
    to = Math.max(to, times.at(-1) as number);
  }
  return Number.isFinite(to - from) ? to - from : -1;
}

/** Formats animations for messages: "Walk" (1.03 s). */
export const formatAnimations = (animations: readonly AnimationInfo[], quote: (name: string) => string): string[] =>
  animations.map(({ name, seconds }) => `${quote(name)} (${Math.round(seconds * 100) / 100} s)`);
