/** Networks of control, phases and judge: loaded by the function that needs them, once per file. */
import { CpuController, CpuJudge, CpuPeriodic } from "../../wasm/live.js";
import { callLiveWasm as callWasm, KinestitchError } from "../core/error.js";
import { SharedWork } from "../core/shared.js";
import type { NetworkOptions, NetworkTask, TaskOptions } from "../core/types.js";
import { live } from "../core/wasm.js";
import { Download } from "./download.js";
import type { Encoding, Judging, Own, Steering } from "./loaded.js";
import { choose, fileOf } from "./manifest.js";
import type { OwnNetwork } from "./network-settings.js";
import type { NetworkSource } from "./source.js";

/** Parameters for loading a network that its task loads itself. */
type NetworkRequest<Cpu> = OwnNetwork & {
  task: NetworkTask;
  make(bytes: Uint8Array): Cpu;
};

/** Networks that `createController`, `livePhases` and the judge load for themselves. */
export class OwnNetworks {
  readonly #source: NetworkSource;
  /** By the file's SHA-256: characters of one kind share a network. */
  readonly #controllers = new Map<string, SharedWork<Steering>>();
  readonly #encoders = new Map<string, SharedWork<Encoding>>();
  readonly #judges = new Map<string, SharedWork<Judging>>();

  constructor(source: NetworkSource) {
    this.#source = source;
  }

  /** Removes all networks: the module that held them was restarted. */
  clear(): void {
    for (const known of [this.#controllers, this.#encoders, this.#judges]) known.clear();
  }

  /** The network that moves a character. */
  controller(
    request: OwnNetwork & { character: string },
    settings: NetworkOptions,
    task: TaskOptions,
  ): Promise<Steering> {
    const make = (bytes: Uint8Array): CpuController => new CpuController(bytes);
    return this.#load({ ...request, task: "control", make }, settings, task, this.#controllers);
  }

  /** The network for the phases of a whole body. */
  encoder(request: OwnNetwork, settings: NetworkOptions, task: TaskOptions): Promise<Encoding> {
    const make = (bytes: Uint8Array): CpuPeriodic => new CpuPeriodic(bytes);
    return this.#load({ ...request, task: "phases", make }, settings, task, this.#encoders);
  }

  /** The judge of recorded motion. */
  judge(request: OwnNetwork, settings: NetworkOptions, task: TaskOptions): Promise<Judging> {
    const make = (bytes: Uint8Array): CpuJudge => new CpuJudge(bytes);
    return this.#load({ ...request, task: "judge", make }, settings, task, this.#judges);
  }

  async #load<Cpu>(
    { task: name, character, set, models, device, make }: NetworkRequest<Cpu>,
    general: NetworkOptions,
    task: TaskOptions,
    known: Map<string, SharedWork<Own<Cpu>>>,
  ): Promise<Own<Cpu>> {
    if (device === "webgpu")
      throw new KinestitchError(
        "device",
        `device: a network for "${name}" runs on the CPU, where it answers within a frame; ask for "cpu" or "auto"`,
      );
    const settings = { ...general, ...(models !== undefined && { models }) };
    const { networks, where } = await this.#source.manifest(settings.models, task.signal);
    const hasSet = networks.some(
      (network) => network.for === name && network.character === character && network.set === settings.set,
    );
    const own = set ?? (hasSet ? settings.set : undefined);
    const model = choose(networks, { task: name, character, set: own }, where);
    const weights = fileOf(model, "weights");
    let loading = known.get(weights.sha256);
    if (!loading || loading.isStopped) {
      loading = new SharedWork(async (shared) => {
        const download = new Download(shared, 0, weights.bytes);
        const file = this.#source.file(settings, weights, networks, download.part(1));
        const [bytes] = await Promise.all([file, live.ensure()]);
        const cpu = callWasm(() => make(bytes));
        download.end();
        return { model, cpu };
      });
      known.set(weights.sha256, loading);
    }
    return loading.wait(task);
  }
}
