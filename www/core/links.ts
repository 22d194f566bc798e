/** Motions in the page's address: `?bvh=ADDRESS&bvh=ADDRESS`. */
import { MOST_MOTIONS } from "./limits";

export interface LinkedMotions {
  /** URLs to read. */
  motions: URL[];
  /** Errors, as sentences. */
  problems: string[];
}

/** Motions of other sites belong to open.html, whose policy allows requests to them. */
export function linked(search: string): LinkedMotions {
  const found: LinkedMotions = { motions: [], problems: [] };
  for (const address of new URLSearchParams(search).getAll("bvh")) {
    const short = address.length > 80 ? `${address.slice(0, 80)}…` : address;
    if (!address || !URL.canParse(address, location.href))
      found.problems.push(`The link names "${short}", which is no address.`);
    else if (!/^https?:$/.test(new URL(address, location.href).protocol))
      found.problems.push(`The link names "${short}"; only addresses of https: are read.`);
    else found.motions.push(new URL(address, location.href));
  }
  if (found.motions.length > MOST_MOTIONS) {
    found.problems.push(`The link names ${found.motions.length} motions; the first ${MOST_MOTIONS} are read.`);
    found.motions.length = MOST_MOTIONS;
  }
  return found;
}
