/** Checked options of `transitionTo`. */
import type { JoinOptions } from "../core/types.js";

/** Validated options with defaults. */
export interface CheckedOptions {
  within: number;
  /** Whether the caller gave `within`. */
  isWithinGiven: boolean;
  /** `undefined`: the default of the two motions. */
  arriveWithin: number | undefined;
  blend: number;
  at: number | undefined;
  join: JoinOptions | "auto" | "inertialize";
  /** Whether `join` was asked for, other than "auto" and "inertialize". */
  isJoinGiven: boolean;
}
