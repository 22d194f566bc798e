/** Face animation of a VRM Animation file: expressions, and the direction of the eyes. */
import { animationExtension, faceNodes, type FaceNode } from "./humanoid.js";
import type { Gltf } from "./document.js";
import { WebIO } from "./library.js";

/** The keys of one node of the face. */
export interface FaceTrack {
  place: FaceNode["place"];
  path: "translation" | "rotation";
  times: Float32Array;
  values: Float32Array;
  interpolation: string;
}

/** Expressions and gaze of a VRM Animation. */
export interface Face {
  tracks: FaceTrack[];
  /** Where the eyes look from, as seen from the head. */
  offsetFromHeadBone?: unknown;
}

/** The face of the first animation of a file; without tracks where it says nothing of one. */
export async function faceOf({ json, binary }: Gltf): Promise<Face> {
  const places = new Map(faceNodes(json).map(({ node, place }) => [node, place]));
  const channels = json.animations?.[0]?.channels ?? [];
  if (places.size === 0) return { tracks: [] };
  const io = new WebIO().setLogger({ debug() {}, info() {}, warn() {}, error() {} });
  const document = await io.readJSON({
    json: json as never,
    resources: { "@glb.bin": binary as Uint8Array<ArrayBuffer> },
  });
  const read = document.getRoot().listAnimations()[0]?.listChannels() ?? [];
  const tracks = channels.flatMap(({ target: { node, path } }, i): FaceTrack[] => {
    const place = places.get(node ?? -1);
    const sampler = read[i]?.getSampler();
    const [times, values] = [sampler?.getInput()?.getArray(), sampler?.getOutput()?.getArray()];
    if (!place || !sampler || !times || !values || (path !== "translation" && path !== "rotation")) return [];
    const interpolation = sampler.getInterpolation();
    return [{ place, path, times: Float32Array.from(times), values: Float32Array.from(values), interpolation }];
  });
  const { offsetFromHeadBone } = (animationExtension(json)?.["lookAt"] ?? {}) as { offsetFromHeadBone?: unknown };
  return { tracks, ...(offsetFromHeadBone !== undefined && { offsetFromHeadBone }) };
}
