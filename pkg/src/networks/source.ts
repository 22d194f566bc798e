/** Reads manifests and files of networks, from the browser's cache or from their folder. */
import type { ReadLocation } from "../core/files.js";
import type { NetworkFile, NetworkModel, NetworkOptions, TaskOptions } from "../core/types.js";
import { mismatch, displayUrl, PACKAGED, addHelp, verify } from "./manifest.js";
import { parseManifest } from "./manifest-check.js";
import { readCached, writeCached } from "./model-cache.js";
import { modelUrl, networkUrls } from "./urls.js";

/** The networks of a manifest. */
export interface NetworkList {
  networks: NetworkModel[];
  /** URL of the manifest, for messages. */
  manifestName: string;
}

/** Reads manifests and the files of networks, from the browser's cache or their folder. */
export class NetworkSource {
  readonly read: ReadLocation;

  constructor(read: ReadLocation) {
    this.read = read;
  }

  /** Reads the manifest of a folder; without a folder, the manifest of the imported networks or of the package. */
  async manifest(folder: NetworkOptions["models"], signal?: AbortSignal): Promise<NetworkList> {
    const packaged = folder === undefined ? networkUrls()?.manifest : undefined;
    if (packaged !== undefined) return { networks: parseManifest(packaged, PACKAGED), manifestName: PACKAGED };
    const url = modelUrl("manifest.json", folder === undefined ? {} : { models: folder });
    try {
      const text = new TextDecoder().decode(await this.read(url, signal ? { signal } : {}));
      const manifestName = displayUrl(url);
      return { networks: parseManifest(text, manifestName), manifestName };
    } catch (error) {
      throw addHelp(error);
    }
  }

  /** Reads a file of a network. Files of networks that are not in `networks` are removed from the cache. */
  async file(
    settings: NetworkOptions,
    file: NetworkFile,
    networks: readonly NetworkModel[],
    task: TaskOptions,
  ): Promise<Uint8Array> {
    const cachedBytes = await readCached(file.sha256);
    if (cachedBytes && !(await mismatch(cachedBytes, file))) return cachedBytes;
    const url = modelUrl(file.name, settings);
    try {
      const bytes = await this.read(url, task);
      await verify(bytes, file, displayUrl(url));
      await writeCached(
        file.sha256,
        bytes,
        networks.flatMap(({ files }) => files.map(({ sha256 }) => sha256)),
      );
      return bytes;
    } catch (error) {
      throw addHelp(error);
    }
  }
}
