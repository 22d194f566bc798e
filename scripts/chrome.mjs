// Finds Chromium and ChromeDriver for the browser tests: by CHROME and CHROMEDRIVER, on PATH, or in Debian packages.
// Chromium's headless shell, which needs less processor time, is optional (HEADLESS_SHELL).
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { aptInstall, runScript, UserError, which } from "./shell.mjs";

const CHROMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const MAC_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

function programFromVariable(variable) {
  const path = process.env[variable];
  if (path && !existsSync(path)) throw new UserError(`${variable} names ${path}, which does not exist`);
  return path || null;
}

const findChrome = () =>
  programFromVariable("CHROME") ??
  CHROMES.map((name) => which(name)).find(Boolean) ??
  (existsSync(MAC_CHROME) ? MAC_CHROME : null);
/** The shell on the PATH is not used beside a browser that may have another version. */
const findShell = () =>
  programFromVariable("HEADLESS_SHELL") ??
  (!process.env.CHROME && basename(findChrome() ?? "") === "chromium" ? which("chromium-headless-shell") : null);
const findDriver = () => programFromVariable("CHROMEDRIVER") ?? which("chromedriver");

/**
 * Returns environment variables with the paths of the programs, without HEADLESS_SHELL if there is none; installs the
 * programs if necessary.
 */
export function browserEnv() {
  const packages = ["chromium", "chromium-driver"];
  if (!findChrome() || !findDriver()) aptInstall([...packages, "chromium-headless-shell"]) || aptInstall(packages);
  const shell = findShell();
  const paths = { ...(shell && { HEADLESS_SHELL: shell }), CHROME: findChrome(), CHROMEDRIVER: findDriver() };
  if (!paths.CHROME || !paths.CHROMEDRIVER) {
    throw new UserError(
      "the browser tests need Chrome or Chromium and its ChromeDriver: install both, or name them in CHROME and CHROMEDRIVER",
    );
  }
  return paths;
}

await runScript(import.meta, () => console.log(browserEnv()));
