/**
 * Entry point `kinestitch-player/react`: the element `<kinestitch-player>` with its types in the JSX of React 19 and
 * later.
 * @module kinestitch-player/react
 */
import "./index.js";
import type { HtmlAttributes, KinestitchPlayer, KinestitchPlayerJsx } from "./index.js";

export type { KinestitchPlayer, KinestitchPlayerAttributes, KinestitchPlayerJsx } from "./index.js";

// The app provides React and its types. Without them, as in this package, the compiler does not find this module.
// @ts-ignore
declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "kinestitch-player": KinestitchPlayerJsx &
        Omit<HtmlAttributes<IntrinsicElements>, "ref"> & {
          /** Receives the element. */
          ref?: ((element: KinestitchPlayer | null) => void) | { current: KinestitchPlayer | null } | null;
        };
    }
  }
}
