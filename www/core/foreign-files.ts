/** Files from other sites: fetched only from sites that the user has agreed to. */
import type { Progress } from "kinestitch/worker";

/** Storage key of the agreed origins, and the maximum number that is stored. */
const [KEY, MAX_SITES] = ["kinestitch-sites", 100];
/** Maximum size of a fetched file, bytes. */
const MAX_BYTES = 2 ** 30;
/** Origins agreed to since the page was opened. */
const agreedThisVisit = new Set<string>();

/** Whether a URL belongs to another site. */
export const isForeign = ({ origin }: URL): boolean => origin !== location.origin;

function readAgreedSites(): string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(stored) ? stored.filter((site) => typeof site === "string") : [];
  } catch {
    // Without readable storage, the user is asked again.
    return [];
  }
}

/** Records that the user has agreed to fetch from the sites of these URLs. */
export function agreeToFetch(urls: readonly URL[]): void {
  const sites = new Set([...urls.filter(isForeign).map(({ origin }) => origin), ...readAgreedSites()]);
  try {
    localStorage.setItem(KEY, JSON.stringify([...sites].slice(0, MAX_SITES)));
  } catch {
    // Without storage, the agreement holds until the page is closed.
  }
  for (const site of sites) agreedThisVisit.add(site);
}

/**
 * Fetches a file from another site. Rejects if the user has not agreed to that site, and if it redirects: the new
 * address may belong to a site that the user has not agreed to.
 */
export async function fetchForeign(
  url: URL,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: Progress) => void },
): Promise<Blob> {
  const { host, origin } = url;
  if (!agreedThisVisit.has(origin) && !readAgreedSites().includes(origin))
    throw new Error(`it is on ${host}, which would learn of your visit. "Try again" fetches it`);
  const response = await fetch(url, {
    redirect: "error",
    credentials: "omit",
    referrerPolicy: "no-referrer",
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new Error(
      `${host} does not allow this page to read it, or redirects to another address; then use that address`,
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
