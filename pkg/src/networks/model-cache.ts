/**
 * Weights in the browser's Cache Storage, by SHA-256: downloaded once, whatever their URLs and names. Without a
 * working cache (Node, private windows, insecure pages) weights are downloaded again.
 */
const NAME = "kinestitch-models";

const keyOf = (sha256: string): string => new URL(`/.kinestitch/${sha256}`, globalThis.location.origin).href;

/** The file with this hash from the browser's cache; `undefined` if there is none, and without a cache. */
export async function cached(sha256: string): Promise<Uint8Array | undefined> {
  try {
    const found = await (await caches.open(NAME)).match(keyOf(sha256));
    return found && new Uint8Array(await found.arrayBuffer());
  } catch {
    return undefined;
  }
}

/** Stores the bytes, and removes entries not in `known`. */
export async function keep(sha256: string, bytes: Uint8Array, known: readonly string[]): Promise<void> {
  try {
    const cache = await caches.open(NAME);
    await cache.put(keyOf(sha256), new Response(bytes as Uint8Array<ArrayBuffer>));
    const keys = new Set(known.map(keyOf));
    for (const request of await cache.keys()) if (!keys.has(request.url)) await cache.delete(request);
  } catch {
    // It will be downloaded again next time.
  }
}
