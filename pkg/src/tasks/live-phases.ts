/**
 * `livePhases`: sine waves of the motion of a whole body. The network is loaded asynchronously; each query (`at`) is
 * computed synchronously on the calling thread.
 */
import type { PeriodicSession } from "../../wasm/kinestitch.js";
import { KinestitchClip } from "../core/clip.js";
import { callWasm, release } from "../core/error.js";
import { oneOf, url, formatValue, text, wrongOption } from "../core/options.js";
import { task } from "../core/task.js";
import { type Clip, devices, type LivePhases, type LivePhasesOptions, type NetworkModel } from "../core/types.js";
import type { PhaseNetwork } from "../networks/loaded.js";
import { pickNetworkOptions } from "./networks.js";

/**
 * Creates a session that computes the phases of a whole body at times of a clip. Times are rounded to a thirtieth of a
 * second and limited to the clip. Loads the network on first use. Clips of `kinestitch/worker` are accepted too.
 *
 * @throws {KinestitchError} `rig` for rigs other than bipeds, `too-short` for a clip without frames, `clip` for a freed
 * clip, `option` for an argument that is not a clip or a set that is not in the manifest, `weights` if there is no such
 * network or a file cannot be used, `device` for "webgpu", `aborted`.
 * @example
 * ```js
 * import "kinestitch/networks/periodic"; // in browsers: registers the URLs of the network's files
 *
 * const phases = await livePhases(walk);
 * const waves = new Float32Array(phases.channels * 4);
 * phases.at(1.5, waves); // amplitude, frequency, phase and offset of each wave
 * ```
 * @function
 */
export const livePhases = /* @__PURE__ */ task<(clip: Clip, options?: LivePhasesOptions) => Promise<LivePhases>>({
  name: "livePhases",
  resultKind: "value",
  argumentCount: 1,
  options: { set: text, models: url, device: /* @__PURE__ */ oneOf(devices) },
  async run({ networks }, { set, models, device, ...options }, clip) {
    const { bytes } = KinestitchClip.packedOf(clip, "the clip");
    const encoder = await networks().periodicEncoder(pickNetworkOptions({ set, models, device }), options);
    return new KinestitchPhases(encoder, bytes);
  },
});

class KinestitchPhases implements LivePhases {
  readonly channels: number;
  readonly set: string;
  readonly licence: string;
  #session: PeriodicSession | undefined;

  constructor({ model, cpu }: { model: NetworkModel; cpu: PhaseNetwork["cpu"] }, clip: Uint8Array) {
    const session = callWasm(() => cpu.session(clip));
    this.#session = session;
    this.channels = session.channels;
    this.set = model.set;
    this.licence = model.licence;
  }

  at(seconds: number, into: Float32Array): void {
    const session = this.#session;
    if (!session) throw wrongOption("phases", "these phases were freed; create new ones");
    if (typeof seconds !== "number")
      throw wrongOption("seconds", `seconds must be a number, not ${formatValue(seconds)}`);
    if (!(into instanceof Float32Array))
      throw wrongOption("into", `into must be a Float32Array, not ${formatValue(into)}`);
    callWasm(() => session.at(seconds, into));
  }

  free(): void {
    release(this.#session);
    this.#session = undefined;
  }
}
