/** Networks of a task: lists the site's networks, loads one of them and holds its properties. */
import type { Device, NetworkInfo, NetworkTask, Progress } from "kinestitch/worker";
import manifest from "../../models/manifest.json";
import { beginOperation, type Operation } from "./operation";
import { isCached as isFileCached, loadNetworks, networkInfo, problemOf, type Problem } from "./engine";

/** A network of this site, as the manifest describes it. Known before the network is loaded. */
export interface ShippedNetwork {
  name: string;
  /** Task: "stitch", "inbetween" and so on. */
  for: string;
  /** Character that the network moves; only for the task "control", default "biped". */
  character?: string;
  /** Training data: "open" or "research". */
  set: string;
  files: { role: string; name: string; bytes: number; sha256: string }[];
  licence: string;
  data: { name: string; licence: string }[];
  /**
   * Scores by test, method and measure, such as `peakJerk`; absent if not measured yet. This is the shape of the scores
   * that the pages read. Some scores of in-betweeners and controllers are lists or texts instead.
   */
  scores?: Record<string, Record<string, Record<string, number>>>;
}

/**
 * Returns the site's networks for a task; with `name`, only those of this method. Networks trained on open data come
 * first.
 */
export const shippedFor = (task: NetworkTask, name?: string): readonly ShippedNetwork[] =>
  (manifest.networks as unknown as ShippedNetwork[])
    .filter((network) => network.for === task && (name === undefined || network.name === name))
    .sort((a, b) => Number(b.set === "open") - Number(a.set === "open"));

/** The user's choice of a network: its device and its training data. */
export interface NetworkChoice {
  device: Device;
  set: string;
}

/** The site's networks for one task, or for one method (`name`) of the task. */
export class Networks {
  /** Properties of the loaded network. */
  info: NetworkInfo | undefined;
  /** The running download and start of a network. */
  busy: Operation | undefined;
  problem: Problem | undefined;
  readonly shippedNetworks: readonly ShippedNetwork[];
  readonly #task: NetworkTask;
  readonly #name: string | undefined;
  #abort: AbortController | undefined;
  #onChange: () => void;

  constructor(task: NetworkTask, onChange: () => void, name?: string) {
    this.shippedNetworks = shippedFor(task, name);
    this.#task = task;
    this.#name = name;
    this.#onChange = onChange;
  }

  /** Returns the network with this training data, or the first; `undefined` if the site has none. */
  shippedNetwork(set: string): ShippedNetwork | undefined {
    return this.shippedNetworks.find((network) => network.set === set) ?? this.shippedNetworks[0];
  }

  /** Whether the weights are already in this browser's cache. */
  isCached(set: string): Promise<boolean> {
    const network = this.shippedNetwork(set);
    return network
      ? Promise.all(network.files.map(({ sha256 }) => isFileCached(sha256))).then((cached) => cached.every(Boolean))
      : Promise.resolve(false);
  }

  /** Loads a network. Resolves to whether it is available; never rejects. */
  async load(choice: NetworkChoice): Promise<boolean> {
    this.cancel();
    const network = this.shippedNetwork(choice.set);
    if (!network) return false;
    const abort = (this.#abort = new AbortController());
    this.busy = beginOperation("network", this.#onChange);
    this.problem = undefined;
    this.#onChange();
    try {
      const info = await loadNetworks({
        for: this.#task,
        ...(this.#name && { name: this.#name }),
        device: choice.device,
        models: new URL("models/", document.baseURI),
        set: network.set,
        signal: abort.signal,
        onProgress: (progress) => {
          if (!this.busy || abort.signal.aborted) return;
          this.busy.progress = progress;
          this.#onChange();
        },
      });
      if (abort.signal.aborted) return false;
      this.info = info;
    } catch (error) {
      if (abort.signal.aborted) return false;
      this.problem = problemOf(error);
    }
    this.busy = undefined;
    this.#onChange();
    return !this.problem;
  }

  /**
   * Asks the package which device it uses now, because a graphics device can be lost. If the device has changed,
   * resolves to the reason.
   */
  async recheckDevice(): Promise<string | undefined> {
    const previous = this.info;
    if (!previous || this.busy) return undefined;
    const info = await networkInfo({ for: this.#task, ...(this.#name && { name: this.#name }) }).catch(() => undefined);
    if (!info || previous !== this.info || info.device.used === previous.device.used) return undefined;
    this.info = info;
    this.#onChange();
    return info.device.reason;
  }

  cancel(): void {
    this.#abort?.abort();
    this.busy = undefined;
    this.#onChange();
  }
}

/** Formats bytes as megabytes, without the unit. */
export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 9.95e6 ? 1 : 0);

/** Returns the total size of the files of a network. */
export const bytesOf = ({ files }: Pick<ShippedNetwork, "files">): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);

/** Describes the size of the first download: the weights and, if the browser has WebGPU, the module for WebGPU. */
export function downloadSize(network: ShippedNetwork): string {
  const weights = bytesOf(network);
  const weightsText = `${megabytes(weights)} MB`;
  return NETWORK_MODULE_BYTES > 0 && "gpu" in navigator
    ? `${weightsText}, with WebGPU up to ${megabytes(weights + NETWORK_MODULE_BYTES)} MB`
    : weightsText;
}

/** Describes the progress of the stage "network". */
export function loadingText({ bytes = 0, totalBytes = 0 }: Progress): string {
  // After the download, the package starts the network on a device; it may first measure which device is faster.
  if (totalBytes > 0 && bytes >= totalBytes) return "Starting the network…";
  return totalBytes > 0
    ? `Fetching the network: ${megabytes(bytes)} of ${megabytes(totalBytes)} MB`
    : "Fetching the network…";
}
