/**
 * Downloads for the method "Automatic". The WebAssembly module with the judge (the network that scores how natural a
 * motion is) is loaded while the page is idle, after the first render. The networks that the method may also try are
 * loaded if the user requests them.
 */
import type { Progress } from "kinestitch/worker";
import { defaultNetwork, networkMethods } from "kinestitch/ui";
import { loadNetworks, networkInfo, problemOf, type Problem } from "./engine";
import { bytesOf, shippedFor } from "./networks";

/** Delay of the download in browsers without `requestIdleCallback`, milliseconds. */
const IDLE_DELAY_MS = 1500;

/** Network Information API, which TypeScript's DOM types lack. */
interface Connection {
  saveData?: boolean;
  type?: string;
  effectiveType?: string;
}

/** Returns the reason not to load anything automatically on this connection, or `undefined` if there is none. */
export function reasonNotToLoad(): string | undefined {
  const { connection } = navigator as Navigator & { connection?: Connection };
  if (connection?.saveData) return "the data saver of this browser is on";
  if (connection?.type === "cellular") return "this connection is metered";
  if (/2g$/.test(connection?.effectiveType ?? "")) return "this connection is slow";
  return undefined;
}

function networkBytes(task: "judge" | "stitch" | "inbetween", name?: string): number {
  const [network] = shippedFor(task, name);
  return network ? bytesOf(network) : 0;
}

/** Compressed bytes of the judge. */
export const JUDGE_BYTES = networkBytes("judge");

/** Networks that "Automatic" may also try, if the site ships them: the refiner and the package's default gap filler. */
const POSSIBLE_NETWORKS = [
  { for: "stitch", name: "rmr" },
  { for: "inbetween", name: defaultNetwork },
] as const;
const OPTIONAL_NETWORKS = POSSIBLE_NETWORKS.filter((network) => shippedFor(network.for, network.name).length > 0);
/** Compressed bytes of the optional networks. */
export const NETWORK_BYTES = OPTIONAL_NETWORKS.reduce(
  (sum, network) => sum + networkBytes(network.for, network.name),
  0,
);

/** Whether the refiner or an in-betweener is loaded. */
async function isNetworkLoaded(): Promise<boolean> {
  const infos = await Promise.all([
    networkInfo({ for: "stitch" }),
    ...networkMethods.map((name) => networkInfo({ for: "inbetween", name })),
  ]);
  return infos.some((info) => info !== undefined);
}

/** Download of the files of "Automatic", and its state. */
export class Automatic {
  /** Whether the module and the judge are loaded: joins can be tried and compared. */
  isReady = false;
  /** Whether the optional networks are loaded. */
  hasNetworks = false;
  /** Progress of the running download. */
  busy: Progress | undefined;
  problem: Problem | undefined;
  /** Whether the user has cancelled the last download. */
  isCancelled = false;
  /** Whether a download was requested, by the user or by {@link loadWhenIdle}. */
  #hasStarted = false;
  #isScheduled = false;
  #abort: AbortController | undefined;
  /** The running download of the module and the judge. */
  #loading: Promise<boolean> | undefined;
  #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** A key that changes when "Automatic" may choose differently for the same clips. */
  get version(): string {
    return `${this.isReady} ${this.hasNetworks}`;
  }

  /** Loads once when the page is idle, unless the user (`isAllowed`) or the connection forbids it. */
  loadWhenIdle(isAllowed: () => boolean): void {
    if (this.#hasStarted || this.#isScheduled || !isAllowed() || reasonNotToLoad()) return;
    this.#isScheduled = true;
    const idle = window.requestIdleCallback as typeof window.requestIdleCallback | undefined;
    const run = (): void => {
      this.#isScheduled = false;
      if (!this.#hasStarted && isAllowed()) void this.load();
    };
    if (idle) idle(run, { timeout: 10_000 });
    else setTimeout(run, IDLE_DELAY_MS);
  }

  /** Loads the module and the judge, or waits for their running download. Resolves to whether they are available. */
  async load(): Promise<boolean> {
    this.#hasStarted = true;
    if (this.isReady) return true;
    return (this.#loading ??= this.#loadJudge());
  }

  async #loadJudge(): Promise<boolean> {
    this.isReady = await this.#fetch([{ for: "judge" }]);
    this.#loading = undefined;
    return this.isReady;
  }

  /** Loads the optional networks, after the module and the judge. Resolves to whether they are available. */
  async loadNetworks(): Promise<boolean> {
    if (!(await this.load()) || this.hasNetworks || this.busy) return this.hasNetworks;
    return (this.hasNetworks = await this.#fetch(OPTIONAL_NETWORKS));
  }

  cancel(): void {
    this.#abort?.abort();
  }

  async #fetch(requests: readonly { for: "judge" | "stitch" | "inbetween"; name?: string }[]): Promise<boolean> {
    const { signal } = (this.#abort = new AbortController());
    this.busy = { stage: "network", done: 0 };
    this.problem = undefined;
    this.isCancelled = false;
    this.#onChange();
    try {
      for (const network of requests)
        await loadNetworks({
          ...network,
          // "Automatic" needs only the CPU. A device is that of all networks: those that the user has loaded keep theirs.
          ...(network.for !== "judge" && !(await isNetworkLoaded()) && { device: "cpu" as const }),
          models: new URL("models/", document.baseURI),
          signal,
          onProgress: (progress) => {
            this.busy = progress;
            this.#onChange();
          },
        });
    } catch (error) {
      if (signal.aborted) this.isCancelled = true;
      else this.problem = problemOf(error);
    }
    this.busy = undefined;
    this.#onChange();
    return !this.problem && !signal.aborted;
  }
}
