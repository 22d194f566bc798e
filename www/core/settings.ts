/** Appearance and behaviour of the page; not part of the document, so not undone. Stored in this browser only. */
import type { Device } from "kinestitch/worker";

/** Comparison of two results: none, one at a time, or side by side. */
export type Compare = "off" | "swap" | "split";

/** Settings of the page. */
export interface Settings {
  theme: "auto" | "light" | "dark";
  ghosts: boolean;
  path: boolean;
  contacts: boolean;
  follow: boolean;
  /** The same in the in-between mode, where all keys should be visible. */
  followKeys: boolean;
  body: boolean;
  compare: Compare;
  /** Shown side in a swap comparison. */
  side: "a" | "b";
  /** Whether keys work without Ctrl or Alt; some assistive tools need them. */
  singleKeys: boolean;
  /** Whether the network was loaded in this browser; it is then the default. */
  network: boolean;
  /** Whether the files of "Automatic" are loaded automatically after the first picture. */
  improve: boolean;
  /** Device of the network. */
  device: Device;
  /** Training data of the network; empty for the first available. */
  networkSet: string;
  /** Training data of controllers, likewise. */
  controlSet: string;
  /** Open panel of the dock. */
  dock: string;
  /** Panels folded in the side columns. */
  folded: string[];
}

/** Settings of a first visit. */
export const DEFAULTS: Settings = {
  theme: "auto",
  ghosts: true,
  path: true,
  contacts: true,
  follow: true,
  followKeys: false,
  body: true,
  compare: "off",
  side: "a",
  singleKeys: true,
  network: false,
  improve: true,
  device: "auto",
  networkSet: "",
  controlSet: "",
  dock: "curves",
  folded: [],
};

const KEY = "kinestitch-settings";
const STORED_KEYS = [
  "theme",
  "ghosts",
  "path",
  "contacts",
  "follow",
  "followKeys",
  "body",
  "singleKeys",
  "network",
  "improve",
  "device",
  "networkSet",
  "controlSet",
  "folded",
] as const;

/** Allowed words of settings; other values would break the page. */
const ALLOWED_VALUES: { [Key in keyof Settings]?: readonly unknown[] } = {
  theme: ["auto", "light", "dark"],
  device: ["auto", "cpu", "webgpu"],
};

/** Whether a stored value is valid for a setting. */
function isValid(key: (typeof STORED_KEYS)[number], value: unknown): boolean {
  if (Array.isArray(DEFAULTS[key])) return Array.isArray(value) && value.every((part) => typeof part === "string");
  return typeof value === typeof DEFAULTS[key] && ALLOWED_VALUES[key]?.includes(value) !== false;
}

/** The stored settings; invalid values are replaced by defaults. */
export function readSettings(): Settings {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, unknown>;
    const settings = { ...DEFAULTS };
    for (const key of STORED_KEYS) {
      if (isValid(key, kept[key])) Object.assign(settings, { [key]: kept[key] });
    }
    return settings;
  } catch {
    return { ...DEFAULTS };
  }
}

/** Stores the settings in this browser. */
export function storeSettings(settings: Settings): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(STORED_KEYS.map((key) => [key, settings[key]]))));
  } catch {
    // Storage may be disabled; the page works without.
  }
}

/** The theme in force. */
export const isDark = (settings: Settings): boolean =>
  settings.theme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : settings.theme === "dark";
