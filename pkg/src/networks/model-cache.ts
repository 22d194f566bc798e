/**
 * Weights in the browser's Cache Storage, by SHA-256: the same weights are downloaded once, even under other URLs or
 * names. Without Cache Storage (Node, private windows, insecure pages), weights are downloaded again.
 */
const CACHE_NAME = "kinestitch-models";

const cacheUrl = (sha256: string): string => new URL(`/.kinestitch/${sha256}`, globalThis.location.origin).href;

/** Returns the file with this hash from the cache; `undefined` if it is not in the cache, or if there is no cache. */
export async function readCached(sha256: string): Promise<Uint8Array | undefined> {
  try {
    const response = await (await caches.open(CACHE_NAME)).match(cacheUrl(sha256));
    return response && new Uint8Array(await response.arrayBuffer());
  } catch {
    return undefined;
  }
}

/** Removes all files whose hashes are not in `listedHashes`, and stores a file. */
export async function writeCached(sha256: string, bytes: Uint8Array, listedHashes: readonly string[]): Promise<void> {
  try {
    const cache = await caches.open(CACHE_NAME);
    // First, so that outdated files leave space for the new one.
    const listedUrls = new Set(listedHashes.map(cacheUrl));
    for (const request of await cache.keys()) if (!listedUrls.has(request.url)) await cache.delete(request);
    await cache.put(cacheUrl(sha256), new Response(bytes as Uint8Array<ArrayBuffer>));
  } catch {
    // Without a cache, the file is downloaded again next time.
  }
}
