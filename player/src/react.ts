/**
 * Entry `kinestitch-player/react`: the element `<kinestitch-player>` with its types in the JSX of React 19 and later.
 * @module kinestitch-player/react
 */
import "./index.js";
import type { KinestitchPlayerJsx } from "./index.js";

export type { KinestitchPlayer, KinestitchPlayerAttributes, KinestitchPlayerJsx } from "./index.js";

// React belongs to the app: where its types are missing, this entry is not used.
// @ts-ignore
declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "kinestitch-player": KinestitchPlayerJsx;
    }
  }
}
