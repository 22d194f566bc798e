// Installs the npm packages of package-lock.json if this file has changed.
import { join } from "node:path";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fingerprint, readIfExists, root, run, runScript } from "./shell.mjs";

/** Installs the packages. Returns false if they were up to date. */
export function installPackages() {
  const stampPath = join(root, "node_modules", ".kinestitch-stamp");
  const inputHash = fingerprint([join(root, "package-lock.json")], [process.version]);
  if (readIfExists(stampPath) === inputHash && existsSync(join(root, "node_modules", "typescript"))) return false;
  // Prevents install scripts from downloading a browser: Chromium comes from the system.
  run("npm", ["ci", "--no-fund", "--no-audit"], { env: { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" } });
  mkdirSync(join(root, "node_modules"), { recursive: true });
  writeFileSync(stampPath, inputHash);
  return true;
}

await runScript(import.meta, () => void (installPackages() || console.log("node_modules is up to date")));
