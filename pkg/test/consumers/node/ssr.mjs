// Imports without calls, as in server-side rendering.
import { load } from "kinestitch";
import { methods } from "kinestitch/ui";
import { init } from "kinestitch/slim";
import { stitch } from "kinestitch/worker";

export const render = () => `<p>${[load, stitch, init].map((exported) => typeof exported).join(" ")} ${methods[0]}</p>`;
