/** The folder in which the MCP server may read and write. */
import { existsSync, lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { quote } from "../core/quote.js";
import { FileError } from "./file-error.js";

/** The folder of the MCP server; paths outside of it are rejected. */
export class ServerFolder {
  readonly #root: string;

  /** @throws {FileError} if `path` is not a folder. */
  constructor(path: string) {
    if (!existsSync(path) || !statSync(path).isDirectory()) throw new FileError(`${quote(path)} is not a folder`);
    this.#root = realpathSync(path);
  }

  /** Returns the absolute path of an input file. */
  input(path: string): string {
    const realPath = this.#resolve(path);
    if (!existsSync(realPath)) throw new FileError(`there is no ${quote(path)}`);
    return realPath;
  }

  /** Returns the absolute path of an output file, which need not exist. */
  output(path: string): string {
    return this.#resolve(path);
  }

  /** Resolves all links of a path. Throws a {@link FileError} if it is outside the folder, or a link has no target. */
  #resolve(path: string): string {
    const requested = resolve(this.#root, path);
    let existing = requested;
    while (!existsSync(existing) && dirname(existing) !== existing) {
      // Writing to such a link would create its target, which may lie outside the folder.
      if (isLink(existing)) throw new FileError(`${quote(path)} leads through a link to a missing file`);
      existing = dirname(existing);
    }
    const realPath = join(realpathSync(existing), relative(existing, requested));
    const relativePath = relative(this.#root, realPath);
    if (relativePath === ".." || relativePath.startsWith(`..${sep}`) || isAbsolute(relativePath) || path.includes("\0"))
      throw new FileError(`${quote(path)} lies outside the folder of this server`);
    return realPath;
  }
}

/** Whether a path is a symbolic link, also one without a target. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
