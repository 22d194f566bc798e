/**
 * Entry point `kinestitch-player/react`: the element `<kinestitch-player>` with its types in the JSX of React 19 and
 * later.
 * @module kinestitch-player/react
 */
import "./index.js";
import type { KinestitchPlayerJsx } from "./index.js";

export type { KinestitchPlayer, KinestitchPlayerAttributes, KinestitchPlayerJsx } from "./index.js";

// The app provides React. If the types of React are missing, the app does not use this entry point.
// @ts-ignore
declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "kinestitch-player": KinestitchPlayerJsx;
    }
  }
}
