/** The computing side of `kinestitch/worker` in browsers: the script of the Web Worker. */
import { bestSeam, inbetween, init, load, loadNetworks, lscore, networkInfo, networkModels, seamMap, stitch } from "./browser.js";
import { serve } from "./serve.js";

serve({ init, load, stitch, inbetween, lscore, bestSeam, seamMap, loadNetworks, networkInfo, networkModels }, {
  listen: (receive) => self.addEventListener("message", (event) => receive(event.data)),
  // `postMessage` of a worker takes no origin; the DOM's types know only the one of a window here.
  post: (message, transfer) => (self as unknown as Worker).postMessage(message, transfer),
});
