/** The only folder in which a server reads and writes. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { quoted } from "../core/quote.js";
import { FileError } from "./file-error.js";

/** The folder of the MCP server: paths outside of it are refused. */
export class Folder {
  readonly #root: string;

  /** @throws FileError if it is not a folder. */
  constructor(path: string) {
    if (!existsSync(path) || !statSync(path).isDirectory()) throw new FileError(`${path} is no folder`);
    this.#root = realpathSync(path);
  }

  /** Absolute path of an input file. */
  input(path: string): string {
    const real = this.#inside(path);
    if (!existsSync(real)) throw new FileError(`there is no ${quoted(path)}`);
    return real;
  }

  /** Absolute path of an output file. */
  output(path: string): string {
    return this.#inside(path);
  }

  /** The path with all links resolved, if it lies below the folder. */
  #inside(path: string): string {
    const requested = resolve(this.#root, path);
    let there = requested;
    while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
    const real = join(realpathSync(there), relative(there, requested));
    const below = relative(this.#root, real);
    if (below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below) || path.includes("\0"))
      throw new FileError(`${quoted(path)} lies outside the folder of this server`);
    return real;
  }
}
