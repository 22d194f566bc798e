/** How the page looks and behaves; no part of the document, so not undone. Remembered in this browser only. */
import type { Device } from "kinestitch/worker";

export type Compare = "off" | "swap" | "split";

export interface Settings {
  theme: "auto" | "light" | "dark";
  ghosts: boolean;
  path: boolean;
  contacts: boolean;
  follow: boolean;
  /** The same where keys are placed: there one wants to see them all. */
  followKeys: boolean;
  body: boolean;
  compare: Compare;
  /** In a swap comparison: which side is shown. */
  side: "a" | "b";
  /** Keys without Ctrl or Alt act; some assistive tools need them for themselves. */
  singleKeys: boolean;
  /** The network was fetched in this browser: it is the default from then on. */
  network: boolean;
  /** What "Automatic" needs is fetched by itself, after the first picture. */
  improve: boolean;
  /** On what the network runs. */
  device: Device;
  /** Which network, by the recordings it learned from; empty: the first there is. */
  networkSet: string;
  /** Likewise of characters that are steered. */
  controlSet: string;
  /** Open panel of the dock. */
  dock: string;
  /** Panels folded in the side columns. */
  folded: string[];
}

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
const KEPT = [
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

/** Words that a setting may be; another one would leave the page half drawn. */
const WORDS: { [Key in keyof Settings]?: readonly unknown[] } = {
  theme: ["auto", "light", "dark"],
  device: ["auto", "cpu", "webgpu"],
};

/** Whether a value that was read from storage may be used for a setting. */
function isValid(key: (typeof KEPT)[number], value: unknown): boolean {
  if (Array.isArray(DEFAULTS[key])) return Array.isArray(value) && value.every((part) => typeof part === "string");
  return typeof value === typeof DEFAULTS[key] && WORDS[key]?.includes(value) !== false;
}

export function readSettings(): Settings {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Record<string, unknown>;
    const settings = { ...DEFAULTS };
    for (const key of KEPT) {
      if (isValid(key, kept[key])) Object.assign(settings, { [key]: kept[key] });
    }
    return settings;
  } catch {
    return { ...DEFAULTS };
  }
}

export function keepSettings(settings: Settings): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(Object.fromEntries(KEPT.map((key) => [key, settings[key]]))));
  } catch {
    // Storage may be switched off; the page works without.
  }
}

/** The theme in force. */
export const isDark = (settings: Settings): boolean =>
  settings.theme === "auto" ? matchMedia("(prefers-color-scheme: dark)").matches : settings.theme === "dark";
