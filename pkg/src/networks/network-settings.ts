/** Settings of the networks, and their changes. */
import { KinestitchError } from "../core/error.js";
import { devices, type NetworkOptions } from "../core/types.js";

/** Criteria for a network that its user loads. */
export interface OwnNetwork extends Pick<NetworkOptions, "device" | "set" | "models"> {
  /** Its character, for "control". */
  character?: string | undefined;
}

const KEYS = ["device", "set", "models", "wasm", "script"] as const;

/** Returns the settings with the given options; the same object if nothing changes. */
export function changed(settings: NetworkOptions, options: NetworkOptions): NetworkOptions {
  const { device } = options;
  if (device !== undefined && !devices.includes(device)) {
    throw new KinestitchError("option", `device is one of ${devices.join(", ")}, not "${String(device)}"`);
  }
  const news = KEYS.filter((key) => options[key] !== undefined && !same(options[key], settings[key]));
  return news.length === 0 ? settings : { ...settings, ...Object.fromEntries(news.map((key) => [key, options[key]])) };
}

function same(a: unknown, b: unknown): boolean {
  return a === b || (a instanceof URL && b instanceof URL && a.href === b.href);
}
