/** Reads the version of the package from its package.json. */
import { readFileSync } from "node:fs";

/** Returns the version of the package. */
export function version(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}
