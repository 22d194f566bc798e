/**
 * Entry point `kinestitch-player` without a page, such as in server-side rendering. It does not define the element.
 * @module
 */
export type { KinestitchPlayer } from "./index.js";
