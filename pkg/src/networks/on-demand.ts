/** Networks of controllers, phases and judge: the functions that need them load them, each file once. */
import { CpuController, CpuJudge, CpuPeriodic } from "../../wasm/kinestitch.js";
import { callWasm, KinestitchError } from "../core/error.js";
import { SharedWork } from "../core/shared.js";
import type { NetworkOptions, NetworkTask, TaskOptions } from "../core/types.js";
import { mainModule } from "../core/wasm.js";
import { Download } from "./download.js";
import type { PhaseNetwork, JudgeNetwork, OnDemandNetwork, ControllerNetwork } from "./loaded.js";
import { choose, fileOf } from "./manifest.js";
import type { OnDemandOptions } from "./network-settings.js";
import type { NetworkSource } from "./source.js";

/** Parameters for loading a network; `make` creates the network from its weights. */
type NetworkRequest<Cpu> = OnDemandOptions & {
  task: NetworkTask;
  make(bytes: Uint8Array): Cpu;
};

/** Networks that `createController`, `livePhases` and `naturalness` load when they are called. */
export class OnDemandNetworks {
  readonly #source: NetworkSource;
  /** Networks by the SHA-256 of their weights: several characters of the same kind share a network. */
  readonly #controllers = new Map<string, SharedWork<ControllerNetwork>>();
  readonly #encoders = new Map<string, SharedWork<PhaseNetwork>>();
  readonly #judges = new Map<string, SharedWork<JudgeNetwork>>();

  constructor(source: NetworkSource) {
    this.#source = source;
  }

  /** Removes all networks, after a restart of the module that held them. */
  clear(): void {
    for (const networks of [this.#controllers, this.#encoders, this.#judges]) networks.clear();
  }

  /** Returns the network that moves a character. */
  controller(
    request: OnDemandOptions & { character: string },
    settings: NetworkOptions,
    task: TaskOptions,
  ): Promise<ControllerNetwork> {
    const make = (bytes: Uint8Array): CpuController => new CpuController(bytes);
    return this.#load({ ...request, task: "control", make }, settings, task, this.#controllers);
  }

  /** Returns the encoder of the periodic autoencoder, which computes the phases of a whole body. */
  periodicEncoder(request: OnDemandOptions, settings: NetworkOptions, task: TaskOptions): Promise<PhaseNetwork> {
    const make = (bytes: Uint8Array): CpuPeriodic => new CpuPeriodic(bytes);
    return this.#load({ ...request, task: "phases", make }, settings, task, this.#encoders);
  }

  /** Returns the judge of naturalness. */
  judge(request: OnDemandOptions, settings: NetworkOptions, task: TaskOptions): Promise<JudgeNetwork> {
    const make = (bytes: Uint8Array): CpuJudge => new CpuJudge(bytes);
    return this.#load({ ...request, task: "judge", make }, settings, task, this.#judges);
  }

  async #load<Cpu>(
    { task: name, character, set, models, device, make }: NetworkRequest<Cpu>,
    defaults: NetworkOptions,
    task: TaskOptions,
    loaded: Map<string, SharedWork<OnDemandNetwork<Cpu>>>,
  ): Promise<OnDemandNetwork<Cpu>> {
    if (device === "webgpu")
      throw new KinestitchError(
        "device",
        `device: a network for "${name}" runs on the CPU, where it answers within a frame; use "cpu" or "auto"`,
      );
    const settings = { ...defaults, ...(models !== undefined && { models }) };
    const { networks, manifestName } = await this.#source.manifest(settings.models, task.signal);
    const hasSet = networks.some(
      (network) => network.for === name && network.character === character && network.set === settings.set,
    );
    const chosenSet = set ?? (hasSet ? settings.set : undefined);
    const model = choose(networks, { task: name, character, set: chosenSet }, manifestName);
    const weights = fileOf(model, "weights");
    let loading = loaded.get(weights.sha256);
    if (!loading || loading.isStopped) {
      loading = new SharedWork(async (shared) => {
        const download = new Download(shared, weights.bytes);
        const file = this.#source.file(settings, weights, networks, download.fileTask(0));
        const [bytes] = await Promise.all([file, mainModule.ensure()]);
        const cpu = callWasm(() => make(bytes));
        download.end();
        return { model, cpu };
      });
      loaded.set(weights.sha256, loading);
    }
    return loading.wait(task);
  }
}
