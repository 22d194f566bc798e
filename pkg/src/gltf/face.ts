/** Reads the face animation of a VRM Animation file: expressions and gaze. */
import { type Keys, readKeys } from "./channel.js";
import { convertErrors } from "./check.js";
import type { Gltf } from "./document.js";
import { rejectCompressed } from "./gather.js";
import { getVrmaExtension, findFaceNodes, type FaceNode } from "./humanoid.js";
import { WebIO } from "./library.js";
import { prune } from "./prune.js";

/** The keys of one face node. */
export interface FaceTrack extends Keys {
  target: FaceNode["target"];
  path: "translation" | "rotation";
}

/** Expressions and gaze of a VRM Animation. */
export interface Face {
  tracks: FaceTrack[];
  /** Origin of the gaze relative to the head bone, copied from the file. */
  offsetFromHeadBone?: unknown;
}

/** An expression's weight is the x component of its node's translation; the gaze is the rotation of its node. */
const pathOf = ([kind]: FaceNode["target"]): FaceTrack["path"] => (kind === "lookAt" ? "rotation" : "translation");

/**
 * Reads the face of the first animation of a file; `tracks` is empty if the file animates no face. Channels that do not
 * affect the face, such as the rotation of an expression's node, are left out.
 *
 * @throws {KinestitchError} `glb`, `limit`.
 */
export function readFace({ json, binary }: Gltf): Promise<Face> {
  return convertErrors(async () => {
    const targets = new Map(findFaceNodes(json).map(({ node, target }) => [node, target]));
    if (targets.size === 0) return { tracks: [] };
    rejectCompressed(json);
    const { json: pruned, origins } = prune(json, binary, new Set(targets.keys()), 0);
    const io = new WebIO().setLogger({ debug() {}, info() {}, warn() {}, error() {} });
    const document = await io.readJSON({
      json: pruned as never,
      resources: { "@glb.bin": binary as Uint8Array<ArrayBuffer> },
    });
    const readChannels = document.getRoot().listAnimations()[0]?.listChannels() ?? [];
    const channels = pruned.animations?.[0]?.channels ?? [];
    const tracks = channels.flatMap(({ target: { node, path } }, i): FaceTrack[] => {
      const target = targets.get(origins[node ?? -1] ?? -1);
      const channel = readChannels[i];
      if (!target || !channel || path !== pathOf(target)) return [];
      const keys = readKeys(channel);
      return keys ? [{ target, path: pathOf(target), ...keys }] : [];
    });
    const { offsetFromHeadBone } = (getVrmaExtension(json)?.["lookAt"] ?? {}) as { offsetFromHeadBone?: unknown };
    return { tracks, ...(offsetFromHeadBone !== undefined && { offsetFromHeadBone }) };
  });
}
