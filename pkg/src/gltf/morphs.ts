/** Reads and writes the tracks of morph targets. */
import type { MorphTrack } from "../core/morphs.js";
import type { AccessorReader } from "./accessor.js";
import { componentCount } from "./accessor.js";
import type { Gltf, GltfAnimation, GltfJson } from "./document.js";
import { effectiveChannels } from "./tracks.js";
import { BinaryAppender } from "./write.js";

/** Largest number of weights of an animation. */
const MAX_WEIGHTS = 2 ** 23;

/** Returns the number of morph targets of a node's mesh. */
function targetsOf({ nodes = [], meshes = [] }: GltfJson, node: number): number {
  const [primitive] = meshes[nodes[node]?.mesh ?? -1]?.primitives ?? [];
  return (primitive as { targets?: unknown[] } | undefined)?.targets?.length ?? 0;
}

/**
 * Reads the tracks of morph targets of an animation. Splines become lines through their keys, and steps are kept.
 * Damaged tracks are left out. `from`: time of the first frame, seconds.
 */
export function readMorphs(
  { json }: Gltf,
  animation: GltfAnimation,
  accessors: AccessorReader,
  from: number,
): MorphTrack[] {
  let remaining = MAX_WEIGHTS;
  return effectiveChannels(animation, json.nodes?.length ?? 0).flatMap(({ target, sampler }): MorphTrack[] => {
    if (target.path !== "weights") return [];
    const targets = targetsOf(json, target.node);
    const { input = -1, output = -1, interpolation } = animation.samplers[sampler] ?? {};
    const keys = accessors.accessor(input).count;
    const isSpline = interpolation === "CUBICSPLINE";
    const stored = accessors.accessor(output);
    const needed = keys * targets * (isSpline ? 3 : 1);
    remaining -= needed;
    if (targets === 0 || componentCount(stored) !== 1 || stored.count < needed || remaining < 0) return [];
    const [keyTimes, values] = [accessors.read(input), accessors.read(output)];
    const elementAt = (key: number): Float32Array => {
      const start = isSpline ? (key * 3 + 1) * targets : key * targets;
      return values.subarray(start, start + targets);
    };
    const times: number[] = [];
    const weights: number[] = [];
    for (let key = 0; key < keys; key++) {
      const time = Math.max(0, (keyTimes[key] as number) - from);
      // Just before the next value of a step, the last one again.
      if (interpolation === "STEP" && key > 0 && time > (times.at(-1) as number) + 2 * STEP_SECONDS) {
        times.push(time - STEP_SECONDS);
        weights.push(...elementAt(key - 1));
      }
      times.push(time);
      weights.push(...elementAt(key));
    }
    const name = json.nodes?.[target.node]?.name ?? "";
    return [{ node: name, targets, times: Float32Array.from(times), weights: Float32Array.from(weights) }];
  });
}

/** Duration in which a step changes its value, seconds. */
const STEP_SECONDS = 1e-4;

/** Adds tracks of morph targets to the first animation of a file, for the nodes of the same names and meshes. */
export function addMorphs(file: Gltf, morphs: readonly MorphTrack[]): Gltf {
  const { json } = file;
  const [animation, ...others] = json.animations ?? [];
  const matched = morphs.flatMap((track) => {
    const node = (json.nodes ?? []).findIndex(
      ({ name }, i) => name === track.node && targetsOf(json, i) === track.targets,
    );
    return node >= 0 && track.times.length > 0 ? [{ node, track }] : [];
  });
  if (!animation || matched.length === 0) return file;
  const appender = new BinaryAppender(json, file.binary);
  const [channels, samplers] = [[...animation.channels], [...animation.samplers]];
  for (const { node, track } of matched) {
    const [input, output] = [appender.add(track.times, "SCALAR"), appender.add(track.weights, "SCALAR", false)];
    channels.push({
      sampler: samplers.push({ input, interpolation: "LINEAR", output }) - 1,
      target: { node, path: "weights" },
    });
  }
  const added = appender.finish();
  return { ...added, json: { ...added.json, animations: [{ ...animation, channels, samplers }, ...others] } };
}
