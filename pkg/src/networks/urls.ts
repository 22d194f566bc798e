/** Default URLs of network files: registered by `kinestitch/networks`, or in Node by the entry point. */
import { KinestitchError } from "../core/error.js";
import type { NetworkOptions } from "../core/types.js";
import { packageUrl } from "../core/package-url.js";
import { fileUrl } from "./manifest.js";
import { MANIFEST_VERSION } from "./manifest-check.js";

/** URLs of network files, as texts, so that they can be sent to a worker. */
export interface NetworkUrls {
  /** URL of the script of the WebGPU module; absent if the module cannot run, as in Node. */
  script?: string;
  /** URL of the wasm file of the WebGPU module. */
  wasm?: string;
  /** Size of the wasm file, bytes; 0 if this build has no WebGPU module. */
  wasmBytes: number;
  /** Text of manifest.json; absent if the file is read from the folder `models`. */
  manifest?: string;
  /** URLs of weights by file name, or the URL of their folder. */
  models: Record<string, string> | string;
}

/** Advice for an app that has not registered any URLs. */
const HELP =
  'import "kinestitch/networks" once in your app, or "kinestitch/networks/<name>" for each network that it uses, ' +
  "or pass the URL of the folder models/: init({ networks: { models } })";

let registered: (() => NetworkUrls) | undefined;
let cachedUrls: NetworkUrls | undefined;

/** Registration by one import: manifest and files of a network, or the WebGPU module. */
export interface NetworkPart {
  /** Text of a manifest that lists one network. */
  manifest?: string;
  models?: Record<string, URL>;
  script?: URL;
  wasm?: URL;
  wasmBytes?: number;
}

const registeredParts: (() => NetworkPart)[] = [];

/** Registers the URLs of all files. `urls` is called when a network is first used. */
export function provideNetworks(urls: () => NetworkUrls): void {
  registered = urls;
  cachedUrls = undefined;
}

/** Registers the files of one network, or the WebGPU module. `part` is called when a network is first used. */
export function addNetwork(part: () => NetworkPart): void {
  registeredParts.push(part);
  cachedUrls = undefined;
}

/** Returns the registered URLs: of all files if they are registered, else of the parts imported one by one. */
export function networkUrls(): NetworkUrls | undefined {
  return (cachedUrls ??= registered
    ? registered()
    : registeredParts.length > 0
      ? mergeParts(registeredParts.map((part) => part()))
      : undefined);
}

function mergeParts(parts: readonly NetworkPart[]): NetworkUrls {
  const manifests = parts.flatMap(({ manifest }) =>
    manifest === undefined ? [] : [JSON.parse(manifest) as { version: number; networks: object[] }],
  );
  const gpu = parts.find(({ script, wasm }) => script && wasm);
  return {
    ...(gpu?.script && gpu.wasm && { script: packageUrl(gpu.script).href, wasm: packageUrl(gpu.wasm).href }),
    wasmBytes: gpu?.wasmBytes ?? 0,
    manifest: JSON.stringify({
      version: manifests[0]?.version ?? MANIFEST_VERSION,
      networks: manifests.flatMap(({ networks }) => networks),
    }),
    models: Object.fromEntries(
      parts.flatMap(({ models = {} }) => Object.entries(models).map(([name, url]) => [name, packageUrl(url).href])),
    ),
  };
}

/** Returns the URL of a file of `models/`. */
export function modelUrl(file: string, { models }: NetworkOptions): URL | string {
  const folder = models ?? networkUrls()?.models;
  if (folder === undefined) throw new KinestitchError("weights", `this app has no networks: ${HELP}`);
  return typeof folder === "string" || folder instanceof URL ? fileUrl(file, folder) : fileUrl(file, undefined, folder);
}

/** The WebGPU module: this package's, or the user's. */
export interface GpuUrls {
  /** URL of the script. */
  script: string;
  /** The wasm file. */
  wasm: NonNullable<NetworkOptions["wasm"]>;
  /** Size of the wasm file, bytes; 0 for the user's file, whose size is unknown. */
  bytes: number;
}

/** Returns the URLs of the WebGPU module; `undefined` if there is none. */
export function gpuUrls({ wasm, script }: NetworkOptions): GpuUrls | undefined {
  const urls = networkUrls();
  const isUrl = typeof wasm === "string" || wasm instanceof URL;
  // The script of a user's module is in the same folder.
  const scriptInFolder = isUrl ? String(wasm).replace(/[^/]*$/, "networks.js") : undefined;
  const scriptUrl = script ?? (isUrl ? scriptInFolder : urls?.script);
  const file = wasm ?? ((urls?.wasmBytes ?? 0) > 0 ? urls?.wasm : undefined);
  if (scriptUrl === undefined || file === undefined) return undefined;
  return { script: absolute(scriptUrl), wasm: file, bytes: wasm === undefined ? (urls?.wasmBytes ?? 0) : 0 };
}

/**
 * Returns the absolute URL: `import` resolves URLs relative to its own file, but the user's are relative to the page.
 */
function absolute(url: URL | string): string {
  return new URL(url, globalThis.document?.baseURI ?? globalThis.location?.href).href;
}
