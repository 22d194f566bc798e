/** Default locations of network files: registered by `kinestitch/networks`, or by an entry that knows its folder. */
import { KinestitchError } from "../core/error.js";
import type { NetworkOptions } from "../core/types.js";
import { packageUrl } from "../core/package-url.js";
import { placeOf } from "./manifest.js";
import { MANIFEST_VERSION } from "./manifest-check.js";

/** Addresses as text, so that they can be sent to a worker. */
export interface NetworkPlaces {
  /** The WebGPU module's script and file; absent if it cannot run, as in Node. */
  script?: string;
  wasm?: string;
  /** Size of that file; 0 if this build has none. */
  wasmBytes: number;
  /** Text of manifest.json; absent if it is read from the folder. */
  manifest?: string;
  /** Locations of weights, or their folder. */
  models: Record<string, string> | string;
}

/** Advice for an app that has not registered any locations. */
const HELP =
  'import "kinestitch/networks" once in your app, or of each network that it uses "kinestitch/networks/<name>", or name their places in init({ networks: { models } })';

let known: (() => NetworkPlaces) | undefined;
let found: NetworkPlaces | undefined;

/** Registration of one import: the manifest entry and files of a network, or the WebGPU module. */
export interface NetworkPart {
  /** Text of a manifest that lists one network. */
  manifest?: string;
  models?: Record<string, URL>;
  script?: URL;
  wasm?: URL;
  wasmBytes?: number;
}

const parts: (() => NetworkPart)[] = [];

/** Registers the locations of all files. `places` is called when a network is first used. */
export function provideNetworks(places: () => NetworkPlaces): void {
  known = places;
  found = undefined;
}

/** Registers the locations of the files of one network. */
export function addNetwork(part: () => NetworkPart): void {
  parts.push(part);
  found = undefined;
}

/** The registered locations: of all files, or of networks imported one by one. */
export function networkPlaces(): NetworkPlaces | undefined {
  return (found ??= known ? known() : parts.length > 0 ? together(parts.map((part) => part())) : undefined);
}

function together(brought: readonly NetworkPart[]): NetworkPlaces {
  const manifests = brought.flatMap(({ manifest }) =>
    manifest === undefined ? [] : [JSON.parse(manifest) as { version: number; networks: object[] }],
  );
  const gpu = brought.find(({ script, wasm }) => script && wasm);
  return {
    ...(gpu?.script && gpu.wasm && { script: packageUrl(gpu.script).href, wasm: packageUrl(gpu.wasm).href }),
    wasmBytes: gpu?.wasmBytes ?? 0,
    manifest: JSON.stringify({
      version: manifests[0]?.version ?? MANIFEST_VERSION,
      networks: manifests.flatMap(({ networks }) => networks),
    }),
    models: Object.fromEntries(
      brought.flatMap(({ models = {} }) =>
        Object.entries(models).map(([name, place]) => [name, packageUrl(place).href]),
      ),
    ),
  };
}

/** Location of a file of `models/`. */
export function modelPlace(file: string, { models }: NetworkOptions): URL | string {
  const folder = models ?? networkPlaces()?.models;
  if (folder === undefined) throw new KinestitchError("weights", `this app has no networks: ${HELP}`);
  return typeof folder === "string" || folder instanceof URL ? placeOf(file, folder) : placeOf(file, undefined, folder);
}

/** The WebGPU module: its script, its file or the user's own, and its size if known. */
export interface GpuPlaces {
  script: string;
  wasm: NonNullable<NetworkOptions["wasm"]>;
  bytes: number;
}

/** Location of the WebGPU module; `undefined` if there is none. */
export function gpuPlaces({ wasm, script }: NetworkOptions): GpuPlaces | undefined {
  const places = networkPlaces();
  const isPlace = typeof wasm === "string" || wasm instanceof URL;
  // The user's own module has its script beside it.
  const beside = isPlace ? String(wasm).replace(/[^/]*$/, "networks.js") : undefined;
  const itsScript = script ?? (isPlace ? beside : places?.script);
  const file = wasm ?? ((places?.wasmBytes ?? 0) > 0 ? places?.wasm : undefined);
  if (itsScript === undefined || file === undefined) return undefined;
  return { script: absolute(itsScript), wasm: file, bytes: wasm === undefined ? (places?.wasmBytes ?? 0) : 0 };
}

/** `import` resolves URLs relative to its own file, but the user's URLs are relative to the page. */
function absolute(place: URL | string): string {
  return new URL(place, globalThis.document?.baseURI ?? globalThis.location?.href).href;
}
