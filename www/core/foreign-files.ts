/** Files of other sites: fetched only from sites the user has agreed to. */
import type { Progress } from "kinestitch/worker";

/** Storage key of the agreed origins, and how many of them are kept. */
const [KEY, MAX_SITES] = ["kinestitch-sites", 100];
/** Bytes of a fetched file. */
const MAX_BYTES = 2 ** 30;

/** Whether a URL is of another site. */
export const isForeign = ({ origin }: URL): boolean => origin !== location.origin;

function readAgreedSites(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter((site) => typeof site === "string") : [];
  } catch {
    // No storage, or nothing that can be read in it: the user is asked again.
    return [];
  }
}

/** Notes that the user has agreed to fetch from these sites. */
export function agreeToFetch(addresses: readonly URL[]): void {
  const sites = new Set([...addresses.filter(isForeign).map(({ origin }) => origin), ...readAgreedSites()]);
  try {
    localStorage.setItem(KEY, JSON.stringify([...sites].slice(0, MAX_SITES)));
  } catch {
    // No storage: the agreement holds until the page is closed.
  }
  for (const site of sites) agreedThisVisit.add(site);
}
/** Origins agreed to since the page was opened. */
const agreedThisVisit = new Set<string>();

/**
 * The bytes of an address of another site. Rejects where the user has not agreed to that site, and where it
 * redirects: the other address may be of a site that nobody has agreed to.
 */
export async function fetchForeign(
  address: URL,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: Progress) => void },
): Promise<Blob> {
  const { host, origin } = address;
  if (!agreedThisVisit.has(origin) && !readAgreedSites().includes(origin))
    throw new Error(`it is on ${host}; fetching tells that site that you are here. "Try again" fetches it`);
  const response = await fetch(address, {
    redirect: "error",
    credentials: "omit",
    referrerPolicy: "no-referrer",
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new Error(
      `${host} does not give it to this page, or redirects to another address: name that address instead`,
    );
  });
  if (!response.ok) throw new Error(`${host} answers ${response.status} ${response.statusText}`.trim());
  const total = Number(response.headers.get("content-length"));
  const reader = response.body?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let bytes = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    bytes += value.length;
    if (bytes > MAX_BYTES) {
      void reader.cancel();
      throw new Error(`it is larger than ${MAX_BYTES / 2 ** 30} GB`);
    }
    chunks.push(value);
    // Content-Length counts compressed bytes, so the fraction stays below 1.
    if (total > 0) onProgress({ stage: "fetch", done: Math.min(bytes / total, 0.99), bytes });
  }
  return new Blob(chunks);
}
