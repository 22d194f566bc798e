/** What "Automatic" compares ways by: the module that tries them and the judge, fetched while the page is idle, after the first picture. */
import type { Progress } from "kinestitch/worker";
import { loadNetworks, problemOf, type Problem } from "./engine";
import { shippedFor } from "./networks";
import type { Settings } from "./settings";

/** The page has been still for this long, where the browser does not say by itself when it is idle, milliseconds. */
const REST_MS = 1500;

interface Connection {
  saveData?: boolean;
  type?: string;
  effectiveType?: string;
}

/** Why nothing is fetched unasked on this connection; `undefined` where it may be. */
export function sparing(): string | undefined {
  const { connection } = navigator as Navigator & { connection?: Connection };
  if (connection?.saveData) return "this browser saves data";
  if (connection?.type === "cellular") return "this connection is metered";
  if (/2g$/.test(connection?.effectiveType ?? "")) return "this connection is slow";
  return undefined;
}

const bytesOf = (task: "judge" | "stitch" | "inbetween", name?: string): number =>
  shippedFor(task, name)[0]?.files.reduce((sum, { bytes }) => sum + bytes, 0) ?? 0;

/** Bytes of the first part: the module and the judge, as they are transferred. */
export const FIRST_BYTES = LIVE_MODULE_BYTES + bytesOf("judge");

/** Networks that the second part adds: the refiner and the gap filler that the package takes by itself. */
const SECOND = [
  { for: "stitch", name: "rmr" },
  { for: "inbetween", name: "delta" },
] as const;
const networks = SECOND.filter((network) => shippedFor(network.for, network.name).length > 0);
export const SECOND_BYTES = networks.reduce((sum, network) => sum + bytesOf(network.for, network.name), 0);

export class Automatic {
  /** Ways can be tried, and compared by the judge. */
  isReady = false;
  /** Networks are among the ways. */
  hasNetworks = false;
  busy: Progress | undefined;
  problem: Problem | undefined;
  #asked = false;
  #abort: AbortController | undefined;
  #changed: () => void;

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Another text where the same clips may have another most natural way. */
  get version(): string {
    return `${this.isReady} ${this.hasNetworks}`;
  }

  /** Fetches when the page is idle, once, unless the user or the connection is against it. */
  whenIdle({ improve }: Settings): void {
    if (this.#asked || !improve || sparing()) return;
    this.#asked = true;
    const idle = window.requestIdleCallback as typeof window.requestIdleCallback | undefined;
    const run = (): void => void this.load();
    if (idle) idle(run, { timeout: 10_000 });
    else setTimeout(run, REST_MS);
  }

  /** Fetches the module and the judge; resolves to whether they are there, and never rejects. */
  async load(): Promise<boolean> {
    this.#asked = true;
    if (this.isReady || this.busy) return this.isReady;
    return (this.isReady = await this.#fetch([{ for: "judge" }]));
  }

  /** Fetches the networks that may be tried, too. */
  async loadNetworks(): Promise<boolean> {
    if (!(await this.load()) || this.hasNetworks || this.busy) return this.hasNetworks;
    return (this.hasNetworks = await this.#fetch(networks));
  }

  cancel(): void {
    this.#abort?.abort();
  }

  async #fetch(all: readonly { for: "judge" | "stitch" | "inbetween"; name?: string }[]): Promise<boolean> {
    const { signal } = (this.#abort = new AbortController());
    this.busy = { stage: "network", done: 0 };
    this.problem = undefined;
    this.#changed();
    try {
      for (const network of all)
        await loadNetworks({
          ...network,
          ...(network.for !== "judge" && { device: "cpu" as const }),
          models: new URL("models/", document.baseURI),
          signal,
          onProgress: (progress) => {
            this.busy = progress;
            this.#changed();
          },
        });
    } catch (error) {
      if (!signal.aborted) this.problem = problemOf(error);
    }
    this.busy = undefined;
    this.#changed();
    return !this.problem && !signal.aborted;
  }
}
