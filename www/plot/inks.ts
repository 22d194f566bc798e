/** Colours of plots on a canvas. A canvas does not resolve `light-dark()`, so an element resolves each colour. */
import type { Inks } from "./plot";

/** Colours of motion plots. */
export type MotionInks = Inks & Record<"left" | "right" | "jerk", string>;

/** Returns a text that changes with the theme of the page, also if the page uses the theme of the system. */
export function themeKey(): string {
  const { colorScheme } = getComputedStyle(document.documentElement);
  return `${colorScheme} ${matchMedia("(prefers-color-scheme: dark)").matches}`;
}

/** Returns the colours of the current theme in a form that a canvas accepts. */
export function inks(): MotionInks {
  const sheet = getComputedStyle(document.documentElement);
  const probe = document.createElement("span");
  document.body.append(probe);
  const color = (name: string): string => {
    probe.style.color = sheet.getPropertyValue(name).trim();
    return getComputedStyle(probe).color;
  };
  const colors = {
    text: color("--text-2"),
    grid: color("--plot-grid"),
    seam: color("--text-2"),
    band: color("--plot-band"),
    left: color("--plot-left"),
    right: color("--plot-right"),
    jerk: color("--plot-jerk"),
  };
  probe.remove();
  return colors;
}
