/** Web Workers: where their script lies, and how one starts that lies elsewhere. */
import { KinestitchError, messageOf } from "../core/error.js";
import { unbundled } from "../core/place.js";
import type { WorkerPort } from "./link.js";

const HELP = "name the place of the worker's script (dist/worker-host.js of this package) in init({ worker })";

/** What an entry knows of its worker. */
export interface WorkerScript {
  /** Shown by debuggers. */
  name: string;
  /** The script's file in `dist/`. */
  file: string;
  /** Where the wasm module lies by the entry's own address: in `wasm/` of the package, where nothing was bundled. */
  wasm: URL;
  /** Starts it as bundlers see it: `new Worker(new URL(…))`, spelled out. */
  start(): Worker;
}

/** What to do about a script that did not start: of another origin a policy of the page may be what holds it. */
function helpWith(place: string | undefined): string {
  const origin = place === undefined ? globalThis.location?.origin : new URL(place, globalThis.location?.href).origin;
  if (origin === undefined || origin === "null" || origin === globalThis.location?.origin) {
    return `${HELP}; where the page has a Content-Security-Policy, it must hold worker-src 'self' and script-src 'self' 'wasm-unsafe-eval'`;
  }
  return `${HELP}; where the page has a Content-Security-Policy, it must hold worker-src blob: ${origin}, script-src ${origin} 'wasm-unsafe-eval' and connect-src ${origin}`;
}

/** The worker of an entry; `given` is the user's own place for its script. */
export function startWorker(script: WorkerScript, given: string | undefined): WorkerPort {
  const place = given ?? elsewhere(script);
  try {
    return webWorker(place === undefined ? script.start() : moduleWorker(place, script.name), helpWith(place));
  } catch (error) {
    throw new KinestitchError("wasm", `this page cannot start a worker: ${messageOf(error)}; ${helpWith(place)}`, {
      cause: error,
    });
  }
}

/**
 * Where the script lies when the entry's own expression does not lead to one that may be started: on another origin, as of a CDN,
 * or where Vite's development server has moved the entry away from the files beside it.
 */
function elsewhere({ file, wasm }: WorkerScript): string | undefined {
  const place = unbundled(wasm);
  const isMoved = place.href !== wasm.href;
  const isForeign = place.protocol.startsWith("http") && place.origin !== globalThis.location?.origin;
  // A bundler gives files other names and other folders; then only its own expression leads to the script.
  const [, dist] = /^(.*\/)wasm\/kinestitch(_small)?_bg\.wasm$/.exec(place.origin + place.pathname) ?? [];
  return dist !== undefined && (isMoved || isForeign) ? `${dist}dist/${file}` : undefined;
}

/** Starts a script; browsers start none of another origin, but a script of the page's own may import it. */
function moduleWorker(place: string, name: string): Worker {
  const { href, origin } = new URL(place, globalThis.location?.href);
  if (origin === globalThis.location?.origin || !/^https?:$/.test(new URL(href).protocol))
    return new Worker(href, { type: "module", name });
  const shim = URL.createObjectURL(new Blob([`import ${JSON.stringify(href)};\n`], { type: "text/javascript" }));
  const worker = new Worker(shim, { type: "module", name });
  const forget = (): void => URL.revokeObjectURL(shim);
  worker.addEventListener("message", forget, { once: true });
  worker.addEventListener("error", forget, { once: true });
  return worker;
}

/** A Web Worker as the link takes it. */
function webWorker(worker: Worker, help: string): WorkerPort {
  return {
    listen(receive, fail) {
      worker.addEventListener("message", (event) => receive(event.data));
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        fail(event.message || `its script could not be loaded; ${help}`);
      });
    },
    post: (message) => worker.postMessage(message),
    terminate: () => worker.terminate(),
    busy() {},
  };
}
