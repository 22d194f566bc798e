/**
 * Entry `kinestitch/player` where there is no page, as under server-side rendering: nothing is defined.
 * @module
 */
export type { KinestitchPlayer } from "./player.js";
