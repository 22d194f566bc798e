/** Changes of the settings of networks. */
import { KinestitchError } from "../core/error.js";
import { devices, type LoadNetworksOptions, type NetworkOptions } from "../core/types.js";

/** Options for loading a network of {@link OnDemandNetworks}. */
export interface OnDemandOptions extends Pick<NetworkOptions, "device" | "set" | "models"> {
  /** Character that the network moves; only for the task "control". */
  character?: string | undefined;
}

const SETTING_KEYS = ["device", "set", "models", "wasm", "script"] as const;

/**
 * Returns the options of `loadNetworks` that change the settings of all networks: none for the judge, and all but `set`
 * for a network that is loaded by name.
 */
export function commonOptions({ for: task, name, set, ...options }: LoadNetworksOptions): NetworkOptions {
  if (task === "judge") return {};
  return name === undefined && set !== undefined ? { ...options, set } : options;
}

/** Returns `settings` with the options that are set in `options`; returns the same object if nothing changes. */
export function mergeSettings(settings: NetworkOptions, options: NetworkOptions): NetworkOptions {
  const { device } = options;
  if (device !== undefined && !devices.includes(device)) {
    throw new KinestitchError("option", `device must be one of ${devices.join(", ")}, not "${String(device)}"`, {
      option: "device",
    });
  }
  const changedKeys = SETTING_KEYS.filter((key) => options[key] !== undefined && !isSame(options[key], settings[key]));
  return changedKeys.length === 0
    ? settings
    : { ...settings, ...Object.fromEntries(changedKeys.map((key) => [key, options[key]])) };
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a instanceof URL && b instanceof URL && a.href === b.href);
}
