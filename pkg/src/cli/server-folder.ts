/** The folder in which the MCP server may read and write. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { quote } from "../core/quote.js";
import { FileError } from "./file-error.js";

/** The folder of the MCP server; paths outside of it are rejected. */
export class ServerFolder {
  readonly #root: string;

  /** @throws {FileError} if `path` is not a folder. */
  constructor(path: string) {
    if (!existsSync(path) || !statSync(path).isDirectory()) throw new FileError(`${path} is not a folder`);
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

  /** Resolves all links of a path. Throws a {@link FileError} if the result lies outside the folder. */
  #resolve(path: string): string {
    const requested = resolve(this.#root, path);
    let existing = requested;
    while (!existsSync(existing) && dirname(existing) !== existing) existing = dirname(existing);
    const realPath = join(realpathSync(existing), relative(existing, requested));
    const relativePath = relative(this.#root, realPath);
    if (relativePath === ".." || relativePath.startsWith(`..${sep}`) || isAbsolute(relativePath) || path.includes("\0"))
      throw new FileError(`${quote(path)} lies outside the folder of this server`);
    return realPath;
  }
}
