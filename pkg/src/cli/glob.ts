/**
 * Patterns of file names, for shells that do not expand them: `*`, `?`, `[a-c]`, `{a,b}`, and `**` for any folders.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { quoted } from "../core/quote.js";
import { FileError } from "./file-error.js";
import { Pattern, type States } from "./pattern.js";

/** The words, with each pattern that is not the name of a file replaced by the matching files, in natural order. */
export function expanded(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    if (!/[*?[{]/.test(word) || existsSync(word)) return [word];
    const found = matching(word.replaceAll("\\", "/"));
    if (found.length === 0) throw new FileError(`no file matches ${quoted(word)}`);
    return found;
  });
}

function matching(text: string): string[] {
  const parts = text.split("/");
  const plain = parts.findIndex((part) => /[*?[{]/.test(part));
  const folder = parts.slice(0, plain).join("/");
  const pattern = Pattern.of(parts.slice(plain).join("/"));
  if (!pattern) throw new FileError(`${quoted(text)} is no pattern of file names`);
  const start = folder === "" && text.startsWith("/") ? "/" : folder;
  const order = new Intl.Collator("en", { numeric: true });
  return [...walk(start, "", pattern, pattern.start)]
    .sort(order.compare)
    .map((path) => (start === "" ? path : join(start, path)));
}

/** Matching files below a folder, as paths from `start`; names that begin with a dot are left out. */
function* walk(start: string, below: string, pattern: Pattern, states: States): Generator<string> {
  const place = join(start || ".", below);
  if (!existsSync(place)) return;
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    if (entry.name.startsWith(".")) continue;
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    const after = pattern.step(states, entry.name);
    if (!entry.isDirectory()) {
      if (pattern.accepts(after)) yield path;
      continue;
    }
    // A folder is searched only where something below it can match.
    const inside = pattern.step(after, "/");
    if (inside.size > 0) yield* walk(start, path, pattern, inside);
  }
}
