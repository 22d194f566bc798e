/** Reads the face animation of a VRM Animation file: expressions and gaze. */
import { AccessorReader } from "./accessor.js";
import { convertErrors } from "./check.js";
import type { Gltf } from "./document.js";
import { getVrmaExtension, findFaceNodes, type FaceNode } from "./humanoid.js";
import { effectiveChannels, type Keys, readKeys } from "./tracks.js";

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
    const accessors = new AccessorReader({ json, binary });
    const [animation] = json.animations ?? [];
    const channels = animation ? effectiveChannels(animation, json.nodes?.length ?? 0) : [];
    const tracks = channels.flatMap(({ target: { node, path }, sampler }): FaceTrack[] => {
      const target = targets.get(node);
      if (!animation || !target || path !== pathOf(target)) return [];
      const keys = readKeys(animation, sampler, path === "rotation" ? 4 : 3, accessors);
      return keys ? [{ target, path: pathOf(target), ...keys }] : [];
    });
    const { offsetFromHeadBone } = (getVrmaExtension(json)?.["lookAt"] ?? {}) as { offsetFromHeadBone?: unknown };
    return { tracks, ...(offsetFromHeadBone !== undefined && { offsetFromHeadBone }) };
  });
}
