/** Motions in the page's address: `?bvh=ADDRESS&bvh=ADDRESS`. */
import { MAX_MOTIONS } from "./limits";

/** Motions that the page's address names, and errors in it. */
export interface LinkedMotions {
  /** URLs to read. */
  motions: URL[];
  /** Errors, as sentences. */
  problems: string[];
}

/**
 * Reads the motions from the query of the page's address. Motions on other sites can be fetched only by open.html,
 * whose security policy allows requests to these sites.
 */
export function parseLink(search: string): LinkedMotions {
  const linkedMotions: LinkedMotions = { motions: [], problems: [] };
  for (const address of new URLSearchParams(search).getAll("bvh")) {
    const short = address.length > 80 ? `${address.slice(0, 80)}…` : address;
    if (!address || !URL.canParse(address, location.href))
      linkedMotions.problems.push(`The link names "${short}", which is not a web address.`);
    else if (!/^https?:$/.test(new URL(address, location.href).protocol))
      linkedMotions.problems.push(`The link names "${short}"; only http and https addresses can be opened.`);
    else linkedMotions.motions.push(new URL(address, location.href));
  }
  if (linkedMotions.motions.length > MAX_MOTIONS) {
    linkedMotions.problems.push(
      `The link names ${linkedMotions.motions.length} motions; only the first ${MAX_MOTIONS} are opened.`,
    );
    linkedMotions.motions.length = MAX_MOTIONS;
  }
  return linkedMotions;
}
