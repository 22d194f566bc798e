/** Reads the face animation of a VRM Animation file: expressions and gaze. */
import { getVrmaExtension, findFaceNodes, type FaceNode } from "./humanoid.js";
import type { Gltf } from "./document.js";
import { WebIO } from "./library.js";

/** The keys of one face node. */
export interface FaceTrack {
  target: FaceNode["target"];
  path: "translation" | "rotation";
  times: Float32Array;
  values: Float32Array;
  interpolation: string;
}

/** Expressions and gaze of a VRM Animation. */
export interface Face {
  tracks: FaceTrack[];
  /** Origin of the gaze relative to the head bone, copied from the file. */
  offsetFromHeadBone?: unknown;
}

/** Reads the face of the first animation of a file; `tracks` is empty if the file animates no face. */
export async function readFace({ json, binary }: Gltf): Promise<Face> {
  const targets = new Map(findFaceNodes(json).map(({ node, target }) => [node, target]));
  const channels = json.animations?.[0]?.channels ?? [];
  if (targets.size === 0) return { tracks: [] };
  const io = new WebIO().setLogger({ debug() {}, info() {}, warn() {}, error() {} });
  const document = await io.readJSON({
    json: json as never,
    resources: { "@glb.bin": binary as Uint8Array<ArrayBuffer> },
  });
  const readChannels = document.getRoot().listAnimations()[0]?.listChannels() ?? [];
  const tracks = channels.flatMap(({ target: { node, path } }, i): FaceTrack[] => {
    const target = targets.get(node ?? -1);
    const sampler = readChannels[i]?.getSampler();
    const [times, values] = [sampler?.getInput()?.getArray(), sampler?.getOutput()?.getArray()];
    if (!target || !sampler || !times || !values || (path !== "translation" && path !== "rotation")) return [];
    const interpolation = sampler.getInterpolation();
    return [{ target, path, times: Float32Array.from(times), values: Float32Array.from(values), interpolation }];
  });
  const { offsetFromHeadBone } = (getVrmaExtension(json)?.["lookAt"] ?? {}) as { offsetFromHeadBone?: unknown };
  return { tracks, ...(offsetFromHeadBone !== undefined && { offsetFromHeadBone }) };
}
