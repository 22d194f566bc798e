/** Checked options of `transitionTo`. */
import type { JoinOptions } from "../core/types.js";

/** Validated options with defaults. */
export interface CheckedOptions {
  within: number;
  blend: number;
  at: number | undefined;
  join: JoinOptions | "auto" | "inertialize";
}
