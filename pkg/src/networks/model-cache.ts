/**
 * Weights in the browser's Cache Storage, by their SHA-256: downloaded once, wherever they lie and whatever they are called.
 * A cache that fails or is not there (Node, private windows, pages not served securely) costs a download, no more.
 */
const NAME = "kinestitch-models";

const keyOf = (sha256: string): string => new URL(`/.kinestitch/${sha256}`, globalThis.location.origin).href;

export async function cached(sha256: string): Promise<Uint8Array | undefined> {
  try {
    const found = await (await caches.open(NAME)).match(keyOf(sha256));
    return found && new Uint8Array(await found.arrayBuffer());
  } catch {
    return undefined;
  }
}

/** Keeps the bytes, and of what was kept before only what `known` names. */
export async function keep(sha256: string, bytes: Uint8Array, known: readonly string[]): Promise<void> {
  try {
    const cache = await caches.open(NAME);
    await cache.put(keyOf(sha256), new Response(bytes as Uint8Array<ArrayBuffer>));
    const keys = new Set(known.map(keyOf));
    for (const request of await cache.keys()) if (!keys.has(request.url)) await cache.delete(request);
  } catch {
    // Next time it is downloaded again.
  }
}
