/** Starts Web Workers, also from a script on another origin. */
import { KinestitchError, messageOf } from "../core/error.js";
import { packageUrl, VITE_ADVICE } from "../core/package-url.js";
import type { WorkerPort } from "./link.js";

/** Worker script of a package entry point. */
export interface WorkerScript {
  /** Name of the worker in debuggers. */
  name: string;
  /** Name of the script in `dist/` of the package. */
  file: string;
  /**
   * Absolute URL of the wasm module. If it is not in `wasm/` of a package, a bundler has renamed or moved the files of
   * the package.
   */
  wasm: URL;
  /** Starts the worker, by the expression `new Worker(new URL(…, import.meta.url))`, which bundlers recognise. */
  start(): Worker;
}

/**
 * Returns advice for a script that did not start. `url`: URL of the script; `undefined` if the entry point itself
 * located it, on the origin of the page.
 */
function startupHint({ file, wasm }: WorkerScript, url: string | undefined): string {
  const pageOrigin = globalThis.location?.origin;
  const origin = url === undefined ? pageOrigin : new URL(url, globalThis.location?.href).origin;
  // The origin of URLs such as `file:` is the text "null", which a policy cannot name.
  const isSameOrigin = origin === undefined || origin === "null" || origin === pageOrigin;
  const sources = isSameOrigin
    ? "worker-src 'self' and script-src 'self' 'wasm-unsafe-eval'"
    : `worker-src blob: ${origin}, script-src ${origin} 'wasm-unsafe-eval' and connect-src ${origin}`;
  const vite = packageUrl(wasm).href === wasm.href ? "" : `${VITE_ADVICE}, or `;
  return (
    `${vite}pass the URL of the worker script (dist/${file} of this package) as init({ worker }); ` +
    `if the page sets a Content-Security-Policy, it must allow ${sources}`
  );
}

/** Starts the worker of an entry point; `scriptUrl`: the URL of the script that the user has set. */
export function startWorker(script: WorkerScript, scriptUrl: string | undefined): WorkerPort {
  const url = scriptUrl ?? fallbackScriptUrl(script);
  const hint = startupHint(script, url);
  try {
    return webWorker(url === undefined ? script.start() : moduleWorker(url, script.name), hint);
  } catch (error) {
    throw new KinestitchError("wasm", `this page cannot start a worker: ${messageOf(error)}; ${hint}`, {
      cause: error,
    });
  }
}

/**
 * Returns the URL of the script if the worker cannot be started by the entry point's own expression: the script is on
 * another origin, such as a CDN, or Vite's development server has moved the entry point away from the other files of
 * the package. Otherwise returns `undefined`.
 */
function fallbackScriptUrl({ file, wasm }: WorkerScript): string | undefined {
  const url = packageUrl(wasm);
  const isMoved = url.href !== wasm.href;
  const isCrossOrigin = url.protocol.startsWith("http") && url.origin !== globalThis.location?.origin;
  // A bundler renames and moves files; then only the entry point's own expression has the correct URL.
  const [, packageRoot] = /^(.*\/)wasm\/kinestitch(_small)?_bg\.wasm$/.exec(url.origin + url.pathname) ?? [];
  return packageRoot !== undefined && (isMoved || isCrossOrigin) ? `${packageRoot}dist/${file}` : undefined;
}

/**
 * Starts a module worker. Browsers refuse to start a worker from a script on another origin, but a script on the page's
 * origin may import that script.
 */
export function moduleWorker(url: string, name: string): Worker {
  const { href, origin, protocol } = new URL(url, globalThis.location?.href);
  if (origin === globalThis.location?.origin || !/^https?:$/.test(protocol))
    return new Worker(href, { type: "module", name });
  const shim = URL.createObjectURL(new Blob([`import ${JSON.stringify(href)};\n`], { type: "text/javascript" }));
  const worker = new Worker(shim, { type: "module", name });
  const revokeShim = (): void => URL.revokeObjectURL(shim);
  worker.addEventListener("message", revokeShim, { once: true });
  worker.addEventListener("error", revokeShim, { once: true });
  return worker;
}

/** Wraps a Web Worker as a `WorkerPort`. `hint`: advice for a script that cannot be loaded. */
function webWorker(worker: Worker, hint: string): WorkerPort {
  return {
    listen(receive, fail) {
      worker.addEventListener("message", (event) => receive(event.data));
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        fail(event.message || `its script could not be loaded; ${hint}`);
      });
    },
    post: (message) => worker.postMessage(message),
    terminate: () => worker.terminate(),
    // Only Node needs this: there, the process must not exit before an awaited answer. A page stays open by itself.
    setBusy() {},
  };
}
