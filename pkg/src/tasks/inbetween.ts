/** `inbetween`: the motion between keys. */
import { freeAfterAsync } from "../core/error.js";
import { AUTO, inbetweenChoiceOrAuto } from "../core/method.js";
import { grounds } from "../core/ground-types.js";
import { count, flag, frameCounts, groundPath, oneOf, positive, seed, text } from "../core/options.js";
import { runWithProgress } from "../core/progress.js";
import { type DefinitionOf, task } from "../core/task.js";
import {
  devices,
  type InbetweenClip,
  type InbetweenKey,
  type InbetweenOptions,
  inbetweenSpeeds,
} from "../core/types.js";
import { checkAutoDevice, fillAutomatically } from "./inbetween-auto.js";
import { requiredNetworks, prepareKeys, wasmOptions } from "./inbetween-keys.js";
import { takeResult } from "./inbetween-result.js";
import { checkSeed, makeCandidates, needsCandidates, pathAndStyle, withPathDuration } from "./inbetween-candidates.js";

/** Options of `inbetween` and `liveInbetween`. */
export const options = {
  frames: frameCounts,
  method: inbetweenChoiceOrAuto,
  footLock: flag,
  ground: /* @__PURE__ */ oneOf(grounds),
  device: /* @__PURE__ */ oneOf(devices),
  seed,
  timedPath: flag,
  speed: /* @__PURE__ */ oneOf(inbetweenSpeeds),
  candidates: count,
  similarTo: groundPath,
  fps: positive,
  name: text,
};

/** Type of `inbetween`: returns several results with `candidates`, otherwise one. */
export interface InbetweenTask {
  (keys: readonly InbetweenKey[], options: InbetweenOptions & { candidates: number }): Promise<InbetweenClip[]>;
  (keys: readonly InbetweenKey[], options?: InbetweenOptions & { candidates?: undefined }): Promise<InbetweenClip>;
  readonly definition: DefinitionOf<
    (keys: readonly InbetweenKey[], options?: InbetweenOptions) => Promise<InbetweenClip | InbetweenClip[]>
  >;
}

/**
 * Makes the motion between two or more keys, which are poses or ranges of clips, on the first key's skeleton. Key
 * frames are not changed.
 *
 * @param keys The keys, in order; each is a clip with a `frame`, or with `from` and `to`, and optionally its ground
 * pose (`at`).
 * @param options `frames` between keys, the `method`, and more; see {@link InbetweenOptions}.
 * @returns A clip with a report on keys and gaps; with `candidates` a list of clips.
 * @throws {KinestitchError} `option`, `rig` if skeletons differ and cannot be retargeted, `weights`, `device` if
 * "webgpu" was requested and is not available, `aborted`.
 * @example
 * ```js
 * const keys = [{ clip: walk, frame: 20 }, { clip: run, frame: 30, at: { x: 1, z: 3, heading: 0 } }];
 * const motion = await inbetween(keys, { frames: 30 });
 * ```
 * @function
 */
export const inbetween = /* @__PURE__ */ task<
  (keys: readonly InbetweenKey[], options?: InbetweenOptions) => Promise<InbetweenClip | InbetweenClip[]>
>({
  name: "inbetween",
  resultKind: "clip",
  argumentCount: 1,
  options,
  async run(context, givenOptions, keys) {
    const options = withPathDuration(givenOptions, keys);
    checkSeed(options);
    checkAutoDevice(options);
    const prepared = await prepareKeys(context, options, keys);
    if (needsCandidates(options)) return makeCandidates(prepared, options);
    const { wasmKeys, method, warnings } = prepared;
    return freeAfterAsync(wasmKeys, async () => {
      if (method === AUTO) return fillAutomatically(wasmKeys, options, warnings);
      const started = performance.now();
      for (const name of requiredNetworks(method)) {
        const makeInputs = (): Float32Array[] => wasmKeys.networkInputs(wasmOptions(options, method));
        const outputs = await context.networks().predictOnGpu(name, makeInputs, options);
        for (const rows of outputs) wasmKeys.addNetworkOutput(rows);
      }
      const handle = runWithProgress(options, (report) => wasmKeys.run(wasmOptions(options, method), report));
      return takeResult(handle, started, pathAndStyle(method));
    });
  },
}) as InbetweenTask;
