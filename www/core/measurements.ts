/** Comparison of measurements of motions. */
import type { Motion } from "./engine";

/** Whether the feet of a motion are known. Without them, as of animals, a foot skate of 0 is not a measurement. */
export const hasKnownFeet = ({ motion }: { motion: Motion }): boolean => motion.curves.footSpeed[0].length > 0;

/** Whether a value is the smallest of several, and looks smaller than another one. False if one is not a number. */
export const isBest = (value: number, values: readonly number[], text: (value: number) => string): boolean =>
  value === Math.min(...values) && values.some((other) => text(other) !== text(value));
