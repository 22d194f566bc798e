/**
 * Settings of the page. They are not part of a document, so undo does not change them. Those in {@link STORED_KEYS} are
 * stored in this browser.
 */
import type { Device } from "kinestitch/worker";

/** Comparison of two results: off, one at a time ("swap"), or side by side ("split"). */
export type Compare = "off" | "swap" | "split";

/** Settings of the page. */
export interface Settings {
  /** "auto": as in the visitor's system. */
  theme: "auto" | "light" | "dark";
  /** Whether to show the source clips faintly beside the result. */
  ghosts: boolean;
  /** Whether to show the root's path and the seams on the ground. */
  path: boolean;
  /** Whether to show footprints, and highlight feet in contact. */
  contacts: boolean;
  /** Whether the camera follows the figure. */
  follow: boolean;
  /** Like `follow`, for the in-between mode. Off by default: the camera stays where all keys are visible. */
  followKeys: boolean;
  /** Whether to show a body instead of bones. */
  body: boolean;
  compare: Compare;
  /** Displayed side of the comparison "swap". */
  side: "a" | "b";
  /** Whether single keys run commands. Users can switch this off, because speech input may trigger single keys. */
  singleKeys: boolean;
  /** Whether the refiner was loaded in this browser before. Later visits then load it from the cache. */
  network: boolean;
  /** Whether the files of the method "Automatic" are downloaded after the first render without a click. */
  improve: boolean;
  /** Device on which networks run. */
  device: Device;
  /** Training data of the refiner and the in-betweeners: "open" or "research"; empty: the first that the site has. */
  networkSet: string;
  /** Training data of the controllers; empty: the package's default. */
  controlSet: string;
  /** Id of the open panel in the dock. */
  dock: string;
  /** Ids of the closed panels in the side columns. */
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
/** Settings that are stored in this browser. */
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

/** Allowed values of settings with a fixed set of words. */
const ALLOWED_VALUES: { [Key in keyof Settings]?: readonly unknown[] } = {
  theme: ["auto", "light", "dark"],
  device: ["auto", "cpu", "webgpu"],
};

/** Whether a stored value is valid for a setting. */
function isValid(key: (typeof STORED_KEYS)[number], value: unknown): boolean {
  if (Array.isArray(DEFAULTS[key])) return Array.isArray(value) && value.every((entry) => typeof entry === "string");
  return typeof value === typeof DEFAULTS[key] && ALLOWED_VALUES[key]?.includes(value) !== false;
}

/** Reads the stored settings. Invalid values are replaced by defaults. */
export function readSettings(): Settings {
  try {
    const stored = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, unknown>;
    const settings = { ...DEFAULTS };
    for (const key of STORED_KEYS) {
      if (isValid(key, stored[key])) Object.assign(settings, { [key]: stored[key] });
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
    // Storage may be disabled. The settings then last until the page is closed.
  }
}

/** Whether the page is dark now. */
export const isDark = (settings: Settings): boolean =>
  settings.theme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : settings.theme === "dark";
