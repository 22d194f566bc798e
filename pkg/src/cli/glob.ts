/**
 * Expands patterns of file names, for shells that do not: `*`, `?`, `[a-c]`, `{a,b}`, and `**` for any number of folders.
 */
import { type Dirent, existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { reason } from "../core/node-read.js";
import { quote } from "../core/quote.js";
import { FileError } from "./file-error.js";
import { isFolder } from "./output.js";
import { Pattern, type States } from "./pattern.js";

/**
 * Replaces each pattern by the matching files in natural order ("2" before "10"). An argument without wildcards, or that
 * names an existing file, stays as it is.
 * `base`: folder of relative paths, by default the working directory; the results are relative to it too.
 */
export function expandPatterns(paths: readonly string[], base = ""): string[] {
  return paths.flatMap((path) => {
    if (!/[*?[{]/.test(path) || existsSync(resolve(base, path))) return [path];
    const files = findFiles(path.replaceAll("\\", "/"), base);
    if (files.length === 0) throw new FileError(`no file matches ${quote(path)}`);
    return files;
  });
}

function findFiles(text: string, base: string): string[] {
  const names = text.split("/");
  const firstPatternIndex = names.findIndex((name) => /[*?[{]/.test(name));
  const folder = names.slice(0, firstPatternIndex).join("/");
  const pattern = Pattern.parse(names.slice(firstPatternIndex).join("/"));
  if (!pattern) throw new FileError(`${quote(text)} is not a valid pattern of file names`);
  // The root of a file system keeps its slash: without it, "" would be the working directory, and on Windows "C:" the
  // current folder of the drive.
  const root = /^([a-z]:)?$/i.test(folder) && text.startsWith(`${folder}/`) ? `${folder}/` : folder;
  const order = new Intl.Collator("en", { numeric: true });
  const search = { base, root, pattern, followsLinks: !text.includes("**") };
  return [...findMatches(search, "", pattern.start)]
    .sort(order.compare)
    .map((path) => (root === "" ? path : join(root, path)));
}

interface Search {
  /** Folder to which `root` is relative. */
  base: string;
  /** Path before the first part with a wildcard; empty for `base`. */
  root: string;
  pattern: Pattern;
  /** Whether links to folders are searched; not with `**`, because links may form a circle. */
  followsLinks: boolean;
}

/**
 * Yields the matching files of a folder and its subfolders, as paths relative to `root`; names that begin with a dot
 * are skipped. `folder`: path relative to `root`; `states`: states of the pattern after that path.
 */
function* findMatches(search: Search, folder: string, states: States): Generator<string> {
  const { base, root, pattern, followsLinks } = search;
  const directory = join(root || ".", folder);
  for (const entry of readFolder(directory, base)) {
    if (entry.name.startsWith(".")) continue;
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    const entryStates = pattern.advance(states, entry.name);
    const isLinkedFolder = entry.isSymbolicLink() && isFolder(resolve(base, directory, entry.name));
    if (isLinkedFolder && !followsLinks) continue;
    if (!entry.isDirectory() && !isLinkedFolder) {
      if (pattern.accepts(entryStates)) yield path;
      continue;
    }
    // A folder is searched only if a path below it can match.
    const folderStates = pattern.advance(entryStates, "/");
    if (folderStates.size > 0) yield* findMatches(search, path, folderStates);
  }
}

/** Returns the entries of a folder; none if there is no such folder. `path` is relative to `base`. */
function readFolder(path: string, base: string): Dirent[] {
  try {
    return readdirSync(resolve(base, path), { withFileTypes: true });
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw new FileError(`cannot read the folder ${path}: ${reason(error)}`);
  }
}
