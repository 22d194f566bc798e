/** Web Workers: location of their script, and how to start one from another origin. */
import { KinestitchError, messageOf } from "../core/error.js";
import { packageUrl } from "../core/package-url.js";
import type { WorkerPort } from "./link.js";

const HELP = "name the place of the worker's script (dist/worker-host.js of this package) in init({ worker })";

/** Worker script of an entry. */
export interface WorkerScript {
  /** Name in debuggers. */
  name: string;
  /** The script's file in `dist/`. */
  file: string;
  /** Location of the wasm module relative to the entry's own address: in `wasm/` of the package, without bundling. */
  wasm: URL;
  /** Starts it in the form that bundlers recognise: `new Worker(new URL(…))`, written out. */
  start(): Worker;
}

/** Advice for a script that did not start: from another origin, a policy of the page may block it. */
function helpWith(place: string | undefined): string {
  const origin = place === undefined ? globalThis.location?.origin : new URL(place, globalThis.location?.href).origin;
  if (origin === undefined || origin === "null" || origin === globalThis.location?.origin) {
    return `${HELP}; where the page has a Content-Security-Policy, it must hold worker-src 'self' and script-src 'self' 'wasm-unsafe-eval'`;
  }
  return `${HELP}; where the page has a Content-Security-Policy, it must hold worker-src blob: ${origin}, script-src ${origin} 'wasm-unsafe-eval' and connect-src ${origin}`;
}

/** The worker of an entry; `given`: the user's own location of its script. */
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
 * Location of the script if the entry's own expression gives one that cannot be started: on another origin, such as a
 * CDN, or after Vite's development server has moved the entry away from the files beside it.
 */
function elsewhere({ file, wasm }: WorkerScript): string | undefined {
  const place = packageUrl(wasm);
  const isMoved = place.href !== wasm.href;
  const isForeign = place.protocol.startsWith("http") && place.origin !== globalThis.location?.origin;
  // Bundlers rename and move files; then only the entry's own expression is correct.
  const [, dist] = /^(.*\/)wasm\/kinestitch(_small)?_bg\.wasm$/.exec(place.origin + place.pathname) ?? [];
  return dist !== undefined && (isMoved || isForeign) ? `${dist}dist/${file}` : undefined;
}

/**
 * Starts a script. Browsers do not start workers from another origin, but a script of the page's own origin may
 * import it.
 */
export function moduleWorker(place: string, name: string): Worker {
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

/** Adapts a Web Worker to the link. */
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
