/** Names the parts of a file's animation that a clip cannot hold. */
import { quote } from "../core/quote.js";
import type { FileBones } from "./bones.js";
import type { Gltf, GltfAnimation } from "./document.js";
import { findFaceNodes } from "./humanoid.js";
import { channelTarget, isTransform, pointerOf } from "./tracks.js";

/** Maximum number of names in a message. */
const MAX_NAMES = 6;

const list = (names: Iterable<string>): string => {
  const all = [...new Set(names)];
  return (
    all.slice(0, MAX_NAMES).map(quote).join(", ") +
    (all.length > MAX_NAMES ? ` and ${all.length - MAX_NAMES} more` : "")
  );
};

/** Returns one phrase for each kind of content that the animation has and the clip has not. */
export function leftOutOf({ json }: Gltf, { channels }: GltfAnimation, { nodes: bones }: FileBones): string[] {
  const { nodes = [] } = json;
  const known = new Set([...bones, ...findFaceNodes(json).map(({ node }) => node)]);
  const morphs: string[] = [];
  const others: string[] = [];
  const pointers: string[] = [];
  for (const channel of channels) {
    const target = channelTarget(channel, nodes.length);
    const name = target && (nodes[target.node]?.name ?? `node ${target.node}`);
    if (!target) pointers.push(...(channel.target.path === "pointer" ? [pointerOf(channel) ?? "?"] : []));
    else if (target.path === "weights") morphs.push(name as string);
    else if (isTransform(target.path) && !known.has(target.node)) others.push(name as string);
  }
  return [
    ...(morphs.length > 0 ? [`morph targets of ${list(morphs)}, except on a character with the same meshes`] : []),
    ...(others.length > 0 ? [`the motion of nodes that are no part of the body: ${list(others)}`] : []),
    ...(pointers.length > 0 ? [`animated properties that are not transforms of nodes: ${list(pointers)}`] : []),
  ];
}
