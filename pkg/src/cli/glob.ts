/** Patterns of file names, for shells that leave them to the program: `*`, `?`, `[a-c]`, `{a,b}`, and `**` for any folders. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { FileError } from "./file-error.js";

/** The words, with each that is a pattern and no file's name replaced by the files it stands for, in the order people count. */
export function expanded(words: readonly string[]): string[] {
  return words.flatMap((word) => {
    if (!/[*?[{]/.test(word) || existsSync(word)) return [word];
    const found = matching(word.replaceAll("\\", "/"));
    if (found.length === 0) throw new FileError(`no file matches ${word}`);
    return found;
  });
}

function matching(pattern: string): string[] {
  const parts = pattern.split("/");
  const plain = parts.findIndex((part) => /[*?[{]/.test(part));
  const folder = parts.slice(0, plain).join("/");
  const rest = parts.slice(plain);
  // A range such as [z-a] is none.
  const expression = regular(`^${rest.map(source).join("/").replaceAll("(?:.*)/", "(?:.*/)?")}$`);
  const start = folder === "" && pattern.startsWith("/") ? "/" : folder;
  const order = new Intl.Collator("en", { numeric: true });
  return [...walk(start, "", rest.includes("**") ? Infinity : rest.length)]
    .filter((path) => expression.test(path))
    .sort(order.compare)
    .map((path) => (start === "" ? path : join(start, path)));
}

function regular(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch {
    throw new FileError(`${text.slice(1, -1)} is no pattern of file names`);
  }
}

/** Files below a folder, by their paths from there; names that begin with a dot are left out. */
function* walk(start: string, below: string, depth: number): Generator<string> {
  const place = join(start || ".", below);
  if (depth === 0 || !existsSync(place)) return;
  for (const entry of readdirSync(place, { withFileTypes: true })) {
    if (entry.name.startsWith(".")) continue;
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* walk(start, path, depth - 1);
    else yield path;
  }
}

/** One part of a pattern as a regular expression. */
function source(part: string): string {
  if (part === "**") return "(?:.*)";
  // A brace without its other half is a letter like others.
  const braced = /^[^{}]*(\{[^{}]*\}[^{}]*)+$/.test(part);
  return part.replace(/\[!?[^\]\\]+\]|[*?{},.+^$()|[\]\\]/g, (found, at: number) => {
    if (found.length > 1) return `[${found.slice(1, -1).replace(/^!/, "^")}]`;
    if (found === "*") return "[^/]*";
    if (found === "?") return "[^/]";
    if (braced && found === "{") return "(?:";
    if (braced && found === "}") return ")";
    if (found === ",") return braced && inside(part, at) ? "|" : ",";
    return `\\${found}`;
  });
}

/** Whether a place in a pattern lies within braces. */
function inside(part: string, at: number): boolean {
  return part.lastIndexOf("{", at) > part.lastIndexOf("}", at);
}
