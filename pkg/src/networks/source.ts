/** Reads manifests and files of networks, from the browser's cache or from their folder. */
import type { ReadLocation } from "../core/files.js";
import type { NetworkFile, NetworkModel, NetworkOptions, TaskOptions } from "../core/types.js";
import { mismatch, nameOf, PACKAGED, unreadable, verify } from "./manifest.js";
import { parseManifest } from "./manifest-check.js";
import { cached, keep } from "./model-cache.js";
import { modelPlace, networkPlaces } from "./places.js";

/** The networks that a manifest lists. */
export interface NetworkList {
  networks: NetworkModel[];
  /** Address of the manifest, for messages. */
  where: string;
}

/** Reads manifests and the files of networks, from the browser's cache or their folder. */
export class NetworkSource {
  readonly read: ReadLocation;

  constructor(read: ReadLocation) {
    this.read = read;
  }

  /** The manifest of a folder; without a folder, the manifest of the imports or of the package. */
  async manifest(folder: NetworkOptions["models"], signal?: AbortSignal): Promise<NetworkList> {
    const packaged = folder === undefined ? networkPlaces()?.manifest : undefined;
    if (packaged !== undefined) return { networks: parseManifest(packaged, PACKAGED), where: PACKAGED };
    const place = modelPlace("manifest.json", folder === undefined ? {} : { models: folder });
    try {
      const text = new TextDecoder().decode(await this.read(place, signal ? { signal } : {}));
      const where = nameOf(place);
      return { networks: parseManifest(text, where), where };
    } catch (error) {
      throw unreadable(error);
    }
  }

  /** A file of a network. Files of networks that `all` does not list leave the cache. */
  async file(
    settings: NetworkOptions,
    file: NetworkFile,
    all: readonly NetworkModel[],
    task: TaskOptions,
  ): Promise<Uint8Array> {
    const kept = await cached(file.sha256);
    if (kept && !(await mismatch(kept, file))) return kept;
    const place = modelPlace(file.name, settings);
    try {
      const bytes = await this.read(place, task);
      await verify(bytes, file, nameOf(place));
      await keep(
        file.sha256,
        bytes,
        all.flatMap(({ files }) => files.map(({ sha256 }) => sha256)),
      );
      return bytes;
    } catch (error) {
      throw unreadable(error);
    }
  }
}
