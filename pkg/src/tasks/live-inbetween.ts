/** `liveInbetween`: in-betweening while keys are dragged, on the calling thread. */
import type { InbetweenSession } from "../../wasm/kinestitch.js";
import { clipOf } from "../core/clip-methods.js";
import { freeAfter, callWasm, release } from "../core/error.js";
import { defaultFrames, type NetworkMethodName } from "../generated/methods.js";
import { AUTO, inbetweenChoice } from "../core/method.js";
import { faultOf, formatValue, wrongOption } from "../core/options.js";
import { task } from "../core/task.js";
import type {
  Clip,
  InbetweenChoice,
  InbetweenKey,
  InbetweenOptions,
  InbetweenReport,
  GroundPose,
  LiveInbetween,
} from "../core/types.js";
import { options as schema } from "./inbetween.js";
import { checkCount, checkGroundPose, defaultMethodFor, prepareKeys, wasmOptions } from "./inbetween-keys.js";
import { checkSeed, needsCandidates, withPathDuration } from "./inbetween-candidates.js";

/**
 * Creates a session for dragging keys. Its methods are synchronous, on the calling thread. Clips of `kinestitch/worker`
 * are accepted too.
 *
 * @param keys As in {@link inbetween}.
 * @param options As in {@link inbetween}, except that `method` cannot be "auto".
 * @returns A session: change its keys, `solve()`, read `positions(array)`; call `free()` at the end.
 * @throws {KinestitchError} The same errors as {@link inbetween}.
 * @function
 * @example
 * ```js
 * const live = await liveInbetween([{ clip, frame: 0 }, { clip, frame: 60 }]);
 * live.place(1, { x: 1, z: 2, heading: 0 });
 * const frames = live.solve();
 * live.free();
 * ```
 */
export const liveInbetween = /* @__PURE__ */ task<
  (keys: readonly InbetweenKey[], options?: InbetweenOptions) => Promise<LiveInbetween>
>({
  name: "liveInbetween",
  resultKind: "value",
  argumentCount: 1,
  options: schema,
  async run(context, givenOptions, keys) {
    const options = withPathDuration(givenOptions, keys);
    if (needsCandidates(options))
      throw wrongOption(
        "path",
        "liveInbetween does not find paths: set the path of a result of inbetween, with timedPath: true",
      );
    checkSeed(options);
    if (options.method === AUTO)
      throw wrongOption(
        "method",
        'liveInbetween makes one motion at a time: name a method, or use "auto" with inbetween',
      );
    const { wasmKeys, method, defaultNetwork, fps } = await prepareKeys(context, options, keys);
    return freeAfter(wasmKeys, () => {
      const session = callWasm(() => wasmKeys.session(wasmOptions(options, method as InbetweenChoice)));
      const { frames = defaultFrames } = options;
      const gaps = typeof frames === "number" ? Array<number>(keys.length - 1).fill(frames) : [...frames];
      return new KinestitchLive(session, defaultNetwork && { network: defaultNetwork, gaps, fps });
    });
  },
});

/** Choice of the default method of a session. */
interface DefaultChoice {
  /** Network that is used while it supports the lengths of all gaps. */
  network: NetworkMethodName;
  /** Number of frames of each gap. */
  gaps: number[];
  /** Frame rate of the result, frames per second. */
  fps: number;
}

class KinestitchLive implements LiveInbetween {
  readonly #session: InbetweenSession;
  /** Set until a method is named, if the default can be a network. */
  #defaultChoice: DefaultChoice | undefined;

  constructor(session: InbetweenSession, defaultChoice: DefaultChoice | undefined) {
    this.#session = session;
    this.#defaultChoice = defaultChoice;
  }

  place(key: number, at: GroundPose | undefined): void {
    const pose = checkGroundPose(at, `key ${checkCount("key", key)}`, "at");
    callWasm(() => this.#session.place(key, pose?.x, pose?.z, pose?.heading));
  }

  setFrames(gap: number, frames: number): void {
    callWasm(() => this.#session.setFrames(checkCount("gap", gap), checkCount("frames", frames)));
    if (!this.#defaultChoice) return;
    const { network, gaps, fps } = this.#defaultChoice;
    gaps[gap] = frames;
    callWasm(() => this.#session.setMethod(defaultMethodFor(network, gaps, fps)));
  }

  setMethod(method: InbetweenChoice): void {
    if (!inbetweenChoice.is(method)) throw wrongOption("method", faultOf("method", inbetweenChoice, method));
    callWasm(() => this.#session.setMethod(method));
    this.#defaultChoice = undefined;
  }

  groundPoses(): GroundPose[] {
    const values = callWasm(() => this.#session.groundPoses());
    return Array.from({ length: values.length / 3 }, (_, key) => {
      const [x = 0, z = 0, heading = 0] = values.subarray(key * 3, key * 3 + 3);
      return { x, z, heading };
    });
  }

  solve(): number {
    return callWasm(() => this.#session.solve());
  }

  positions(into: Float32Array): number {
    checkArray(into);
    return callWasm(() => this.#session.positions(into));
  }

  rotations(into: Float32Array): number {
    checkArray(into);
    return callWasm(() => this.#session.rotations(into));
  }

  report(): InbetweenReport {
    return callWasm(() => this.#session.report()) as InbetweenReport;
  }

  clip(): Clip {
    return clipOf(callWasm(() => this.#session.clip()));
  }

  free(): void {
    release(this.#session);
  }
}

function checkArray(into: unknown): void {
  if (!(into instanceof Float32Array))
    throw wrongOption("into", `into must be a Float32Array, not ${formatValue(into)}`);
}
