/** Names of the commands, and the nearest one to a mistyped name. */
import { quote } from "../core/quote.js";

/** Commands that edit one clip: each reads a file and writes one. */
export const clipToolNames = ["slice", "reverse", "mirror", "speed", "resample", "root", "loop", "clean"] as const;

/** Commands that a job of a batch may run: all except `batch`, `mcp` and `help`. */
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

/** Joins names to "a, b and c". */
export const joinNames = (names: readonly string[]): string =>
  `${names.slice(0, -1).join(", ")} and ${names[names.length - 1] ?? ""}`;

/** Returns the error message for a command that does not exist, with the nearest name and all names. */
export function unknownCommand(name: string): string {
  const suggestion = nearestName(name, commandNames);
  const hint = suggestion === undefined ? "" : `; did you mean "${suggestion}"?`;
  return `unknown command ${quote(name)}${hint}${hint ? " The" : "; the"} commands are ${joinNames(commandNames)}`;
}

/** Largest number of letters of a word to compare: limits the time for arbitrary input. */
const MAX_WORD_LENGTH = 64;

/**
 * Returns the only name that begins with the word, such as "mirror" for "mir", or else the name with the smallest edit
 * distance; `undefined` if more than half of the letters would change.
 */
function nearestName(word: string, names: readonly string[]): string | undefined {
  const lower = word.slice(0, MAX_WORD_LENGTH).toLowerCase();
  if (lower.length >= 3) {
    const matches = names.filter((name) => name.startsWith(lower));
    if (matches.length === 1) return matches[0];
  }
  const ranked = names.map((name) => ({ name, distance: editDistance(lower, name) }));
  const [best] = ranked.sort((a, b) => a.distance - b.distance);
  return best && best.distance <= Math.floor(Math.min(lower.length, best.name.length) / 2) ? best.name : undefined;
}

/** Counts the letters to insert, delete, replace or exchange with the next letter (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row++) {
    const previous = rows[row - 1] as number[];
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substitution = a[row - 1] === b[column - 1] ? 0 : 1;
      const left = current[column - 1] as number;
      const [diagonal, above] = previous.slice(column - 1, column + 1) as [number, number];
      let distance = Math.min(left + 1, above + 1, diagonal + substitution);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        distance = Math.min(distance, (rows[row - 2]?.[column - 2] as number) + 1);
      current.push(distance);
    }
    rows.push(current);
  }
  return (rows[a.length] as number[])[b.length] as number;
}
