/** The worker script of `kinestitch/worker` in browsers. */
import "./browser-platform.js";
import { fetchBytes } from "./core/fetch.js";
import { provideFiles } from "./core/files.js";
import { platform } from "./core/platform.js";
import * as tasks from "./tasks/index.js";
import { animateGlb, animations, listAnimations, packGlb, reader } from "./worker/gltf-static.js";
import { serve } from "./worker/serve.js";

provideFiles({ read: fetchBytes, gltf: reader, load: tasks.load });

serve(
  { ...tasks, animations, animateGlb, listAnimations, packGlb },
  {
    listen: (receive) => self.addEventListener("message", (event) => receive(event.data)),
    // `postMessage` of a worker has no origin parameter; the DOM types here describe a window.
    post: (message, transfer) => (self as unknown as Worker).postMessage(message, transfer),
  },
  platform().networks(),
);
