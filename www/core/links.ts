/** Motions in the page's address: `?bvh=ADDRESS&bvh=ADDRESS`. */
import { MAX_MOTIONS } from "./limits";

/** Motions that the page's address names. */
export interface LinkedMotions {
  /** URLs to read. */
  motions: URL[];
  /** Errors, as sentences. */
  problems: string[];
}

/** Motions of other sites belong to open.html, whose policy allows requests to them. */
export function parseLink(search: string): LinkedMotions {
  const linkedMotions: LinkedMotions = { motions: [], problems: [] };
  for (const address of new URLSearchParams(search).getAll("bvh")) {
    const short = address.length > 80 ? `${address.slice(0, 80)}…` : address;
    if (!address || !URL.canParse(address, location.href))
      linkedMotions.problems.push(`The link names "${short}", which is no address.`);
    else if (!/^https?:$/.test(new URL(address, location.href).protocol))
      linkedMotions.problems.push(`The link names "${short}"; only addresses of https: are read.`);
    else linkedMotions.motions.push(new URL(address, location.href));
  }
  if (linkedMotions.motions.length > MAX_MOTIONS) {
    linkedMotions.problems.push(
      `The link names ${linkedMotions.motions.length} motions; the first ${MAX_MOTIONS} are read.`,
    );
    linkedMotions.motions.length = MAX_MOTIONS;
  }
  return linkedMotions;
}
