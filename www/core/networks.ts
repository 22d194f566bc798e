/** The network of a task: those of the site, loading, and their properties. */
import type { Device, NetworkInfo, NetworkTask, Progress } from "kinestitch/worker";
import manifest from "../../models/manifest.json";
import { beginOperation, type Operation } from "./operation";
import { isCached, loadNetworks, networkInfo, problemOf, type Problem } from "./engine";

/** An entry of the manifest, known before anything is loaded. */
export interface ShippedNetwork {
  name: string;
  for: string;
  /** Training data: "open" or "research". */
  set: string;
  files: { role: string; name: string; bytes: number; sha256: string }[];
  licence: string;
  data: { name: string; licence: string }[];
  /** Absent before they are measured. Held-out recordings → method → measure → value. */
  scores?: Record<string, Record<string, Record<string, number>>>;
}

/** Networks for a task that come with this site, or those of one name; open ones first. */
export const shippedFor = (task: NetworkTask, name?: string): readonly ShippedNetwork[] =>
  (manifest.networks as unknown as ShippedNetwork[])
    .filter((network) => network.for === task && (name === undefined || network.name === name))
    .sort((a, b) => Number(b.set === "open") - Number(a.set === "open"));

/** Choice of the user. */
export interface NetworkChoice {
  device: Device;
  set: string;
}

/** The networks of one task or method: loading, and the network in use. */
export class Networks {
  /** The network in use; absent until one was loaded. */
  info: NetworkInfo | undefined;
  /** Progress of loading and starting. */
  busy: Operation | undefined;
  problem: Problem | undefined;
  /** The site's networks for the task. */
  readonly shippedNetworks: readonly ShippedNetwork[];
  readonly #task: NetworkTask;
  readonly #name: string | undefined;
  #abort: AbortController | undefined;
  #changed: () => void;

  constructor(task: NetworkTask, changed: () => void, name?: string) {
    this.shippedNetworks = shippedFor(task, name);
    this.#task = task;
    this.#name = name;
    this.#changed = changed;
  }

  /** The network with this training data, or the first; `undefined` where the site has none. */
  shippedNetwork(set: string): ShippedNetwork | undefined {
    return this.shippedNetworks.find((network) => network.set === set) ?? this.shippedNetworks[0];
  }

  /** Whether the weights are already in this browser. */
  isCached(set: string): Promise<boolean> {
    const network = this.shippedNetwork(set);
    return network
      ? Promise.all(network.files.map(({ sha256 }) => isCached(sha256))).then((kept) => kept.every(Boolean))
      : Promise.resolve(false);
  }

  /** Loads a network; resolves to whether it is available, and never rejects. */
  async load(choice: NetworkChoice): Promise<boolean> {
    this.cancel();
    const network = this.shippedNetwork(choice.set);
    if (!network) return false;
    const abort = (this.#abort = new AbortController());
    this.busy = beginOperation("network", this.#changed);
    this.problem = undefined;
    this.#changed();
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
          this.#changed();
        },
      });
      if (abort.signal.aborted) return false;
      this.info = info;
    } catch (error) {
      if (abort.signal.aborted) return false;
      this.problem = problemOf(error);
    }
    this.busy = undefined;
    this.#changed();
    return !this.problem;
  }

  /** Checks the device again, because a graphics device can be lost. Returns the reason where it changed. */
  async recheckDevice(): Promise<string | undefined> {
    const before = this.info;
    if (!before || this.busy) return undefined;
    const info = await networkInfo({ for: this.#task, ...(this.#name && { name: this.#name }) }).catch(() => undefined);
    if (!info || before !== this.info || info.device.used === before.device.used) return undefined;
    this.info = info;
    this.#changed();
    return info.device.reason;
  }

  cancel(): void {
    this.#abort?.abort();
    this.busy = undefined;
    this.#changed();
  }
}

/** Bytes as megabytes. */
export const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 9.95e6 ? 1 : 0);

/** Download size of the first use: the weights and, with a graphics card, its module. */
export function downloadSize({ files }: ShippedNetwork): string {
  const weights = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const weightsText = `${megabytes(weights)} MB`;
  return NETWORK_MODULE_BYTES > 0 && "gpu" in navigator
    ? `${weightsText}, with WebGPU up to ${megabytes(weights + NETWORK_MODULE_BYTES)} MB`
    : weightsText;
}

/** Progress text for the stage "network". */
export function loadingText({ bytes = 0, totalBytes = 0 }: Progress): string {
  // Measuring the devices takes a moment.
  if (totalBytes > 0 && bytes >= totalBytes) return "Starting the network…";
  return totalBytes > 0
    ? `Fetching the network: ${megabytes(bytes)} of ${megabytes(totalBytes)} MB`
    : "Fetching the network…";
}
