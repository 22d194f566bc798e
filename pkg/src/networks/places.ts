/** Where the files of networks lie, unless the user says: as `kinestitch/networks` tells it, or an entry that knows its folder. */
import { KinestitchError } from "../core/error.js";
import type { NetworkOptions } from "../core/types.js";
import { unbundled } from "../core/place.js";
import { MANIFEST_VERSION, placeOf } from "./manifest.js";

/** Addresses as text, so that a worker can be told of them. */
export interface NetworkPlaces {
  /** The WebGPU module's script and file; absent where it cannot run, as in Node. */
  script?: string;
  wasm?: string;
  /** Size of that file; 0 where this build has none, or none yet. */
  wasmBytes: number;
  /** Text of manifest.json; absent where it is read from the folder. */
  manifest?: string;
  /** Weights in `models/`, or their folder. */
  models: Record<string, string> | string;
}

/** What an app does that has not said where networks lie. */
const HELP =
  'import "kinestitch/networks" once in your app, or of each network that it uses "kinestitch/networks/<name>", or name their places in init({ networks: { models } })';

let known: (() => NetworkPlaces) | undefined;
let found: NetworkPlaces | undefined;

/** What one import brings: of a network its part of manifest.json and its files, or the WebGPU module. */
export interface NetworkPart {
  /** Text of a manifest that lists one network. */
  manifest?: string;
  models?: Record<string, URL>;
  script?: URL;
  wasm?: URL;
  wasmBytes?: number;
}

const parts: (() => NetworkPart)[] = [];

/** Tells where the files lie. Nothing is asked before a network is wanted. */
export function provideNetworks(places: () => NetworkPlaces): void {
  known = places;
  found = undefined;
}

/** Tells where the files of one network lie, beside those of others. */
export function addNetwork(part: () => NetworkPart): void {
  parts.push(part);
  found = undefined;
}

/** Where the files lie, as far as anyone told: all of them, or those that were imported one by one. */
export function networkPlaces(): NetworkPlaces | undefined {
  return (found ??= known ? known() : parts.length > 0 ? together(parts.map((part) => part())) : undefined);
}

function together(brought: readonly NetworkPart[]): NetworkPlaces {
  const manifests = brought.flatMap(({ manifest }) =>
    manifest === undefined ? [] : [JSON.parse(manifest) as { version: number; networks: object[] }],
  );
  const gpu = brought.find(({ script, wasm }) => script && wasm);
  return {
    ...(gpu?.script && gpu.wasm && { script: unbundled(gpu.script).href, wasm: unbundled(gpu.wasm).href }),
    wasmBytes: gpu?.wasmBytes ?? 0,
    manifest: JSON.stringify({
      version: manifests[0]?.version ?? MANIFEST_VERSION,
      networks: manifests.flatMap(({ networks }) => networks),
    }),
    models: Object.fromEntries(
      brought.flatMap(({ models = {} }) =>
        Object.entries(models).map(([name, place]) => [name, unbundled(place).href]),
      ),
    ),
  };
}

/** A file of `models/`. */
export function modelPlace(file: string, { models }: NetworkOptions): URL | string {
  const folder = models ?? networkPlaces()?.models;
  if (folder === undefined) throw new KinestitchError("weights", `this app has no networks: ${HELP}`);
  return typeof folder === "string" || folder instanceof URL ? placeOf(file, folder) : placeOf(file, undefined, folder);
}

/** The WebGPU module: its script, its file or the user's own, and its size where that is known. */
export interface GpuPlaces {
  script: string;
  wasm: NonNullable<NetworkOptions["wasm"]>;
  bytes: number;
}

/** Where the WebGPU module lies; `undefined` where there is none. */
export function gpuPlaces({ wasm, script }: NetworkOptions): GpuPlaces | undefined {
  const places = networkPlaces();
  const isPlace = typeof wasm === "string" || wasm instanceof URL;
  // One that the user has elsewhere has its script beside it.
  const beside = isPlace ? String(wasm).replace(/[^/]*$/, "networks.js") : undefined;
  const itsScript = script ?? (isPlace ? beside : places?.script);
  const file = wasm ?? ((places?.wasmBytes ?? 0) > 0 ? places?.wasm : undefined);
  if (itsScript === undefined || file === undefined) return undefined;
  return { script: absolute(itsScript), wasm: file, bytes: wasm === undefined ? (places?.wasmBytes ?? 0) : 0 };
}

/** `import` takes addresses as relative to its own file: those of the user are relative to the page. */
function absolute(place: URL | string): string {
  return new URL(place, globalThis.document?.baseURI ?? globalThis.location?.href).href;
}
