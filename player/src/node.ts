/**
 * Entry `kinestitch-player` without a page, such as in server-side rendering: defines nothing.
 * @module
 */
export type { KinestitchPlayer } from "./index.js";
