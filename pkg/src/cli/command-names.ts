/** Names of the commands, and the nearest one to a mistyped name. */
import { quoted } from "../core/quote.js";

/** Commands of one clip, each of which reads a file and writes one. */
export const clipToolNames = ["slice", "reverse", "mirror", "speed", "resample", "root", "loop"] as const;

/** Commands that a job of a batch may run: all that run to their end without an agent or other jobs. */
export const jobCommands = [
  "info",
  "stitch",
  "inbetween",
  "convert",
  ...clipToolNames,
  "lscore",
  "phases",
  "judge",
  "render",
] as const;

/** All commands. */
export const commandNames = [...jobCommands, "batch", "mcp", "help"] as const;

/** "a, b and c". */
export const listed = (names: readonly string[]): string =>
  `${names.slice(0, -1).join(", ")} and ${names[names.length - 1] ?? ""}`;

/** Sentence about a command that does not exist, with the nearest name there is and all names. */
export function unknownCommand(name: string): string {
  const near = nearest(name, commandNames);
  const hint = near === undefined ? "" : `; did you mean "${near}"?`;
  return `unknown command ${quoted(name)}${hint}${hint ? " The" : "; the"} commands are ${listed(commandNames)}`;
}

/** The name with the fewest edits from a word, at most one edit for two letters; a beginning such as "mir" counts. */
function nearest(word: string, names: readonly string[]): string | undefined {
  const lower = word.slice(0, 64).toLowerCase();
  if (lower.length >= 3) {
    const begun = names.filter((name) => name.startsWith(lower));
    if (begun.length === 1) return begun[0];
  }
  const ranked = names.map((name) => ({ name, edits: edits(lower, name) })).sort((a, b) => a.edits - b.edits);
  const [best] = ranked;
  return best && best.edits <= Math.floor(Math.min(lower.length, best.name.length) / 2) ? best.name : undefined;
}

/** Smallest number of letters to insert, delete, replace or exchange with the next (optimal string alignment). */
function edits(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const before = rows[row - 1] as number[];
    const here = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const [left, above, across] = [here[column - 1], before[column], before[column - 1]] as [number, number, number];
      let least = Math.min(left + 1, above + 1, across + (same ? 0 : 1));
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        least = Math.min(least, (rows[row - 2]?.[column - 2] as number) + 1);
      here.push(least);
    }
    rows.push(here);
  }
  return (rows[a.length] as number[])[b.length] as number;
}
