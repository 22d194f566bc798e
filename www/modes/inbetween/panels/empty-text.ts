/** Text of a panel in place of the properties of the motion, while there is no motion. */
import type { Inbetween } from "../inbetween";

/** Returns the text of a panel. `contents`: noun for what the panel shows. */
export function emptyText({ document, result: { busy, problem } }: Inbetween, contents: string): string {
  if (problem) return `There are no ${contents}, because the motion could not be generated.`;
  if (busy) return "Generating the motion…";
  return document.keys.length < 2
    ? `Add two keys: the ${contents} of the motion between them appear here.`
    : `The ${contents} of the motion appear here.`;
}
