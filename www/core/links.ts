/** Motions that the page's address names: `?bvh=ADDRESS&bvh=ADDRESS`. */
import { MOST_MOTIONS } from "./limits";

export interface Linked {
  /** Addresses to read. */
  motions: URL[];
  /** What cannot be read, in sentences. */
  problems: string[];
}

/** Those of other sites are for open.html, whose policy lets the page fetch them. */
export function linked(search: string): Linked {
  const found: Linked = { motions: [], problems: [] };
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
