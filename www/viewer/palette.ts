/** Colours of clips, and of the stage in both themes. */

/** Colours of clips: distinguishable with every common kind of colour vision. */
export const CLIP_COLORS = [
  "#4c8dff",
  "#ff9440",
  "#21b8a2",
  "#d964b4",
  "#c9a92a",
  "#8d7bf5",
  "#ee6666",
  "#62ad3f",
] as const;

/** Returns the colour of a clip by its colour index. */
export const clipColor = (index: number): string => CLIP_COLORS[index % CLIP_COLORS.length];

/**
 * Colours of the stage in one theme, as CSS colours. `print`: footprints. `sky`, `ground`: light from above and below.
 * `shadow`: opacity. `light`: intensity of the sun.
 */
export interface StageColors {
  background: string;
  grid: string;
  joint: string;
  contact: string;
  print: string;
  seam: string;
  shadow: number;
  sky: string;
  ground: string;
  light: number;
}

/** The stage in the dark theme. */
export const DARK: StageColors = {
  background: "#17191f",
  grid: "#8a94ab",
  joint: "#e8ebf2",
  contact: "#ffe14d",
  print: "#9aa3b8",
  seam: "#ffffff",
  shadow: 0.45,
  sky: "#dfe6f5",
  ground: "#3a3c44",
  light: 2.1,
};

/** The stage in the light theme. */
export const LIGHT: StageColors = {
  background: "#eceef2",
  grid: "#5d6880",
  joint: "#2c3140",
  contact: "#e0a100",
  print: "#5d6880",
  seam: "#1b1e26",
  shadow: 0.22,
  sky: "#ffffff",
  ground: "#9a9ca6",
  light: 2.2,
};
