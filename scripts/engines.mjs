// Starts Firefox and WebKit (Safari's engine) for tests, if installed. On Debian and Ubuntu: firefox-esr or firefox;
// webkit2gtk-driver and xvfb.
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { which } from "./shell.mjs";

const FIREFOX = process.env.FIREFOX ?? which("firefox-esr") ?? which("firefox") ?? "";
const WEBKIT_DRIVER = which("WebKitWebDriver") ?? "";
const XVFB = which("Xvfb") ?? "";

/** Returns the path of WebKitGTK's minimal browser, which its driver starts; of several versions, the newest. */
function findMiniBrowser() {
  const libraries = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/libexec", "/usr/lib64"].filter(
    existsSync,
  );
  const candidates = libraries.flatMap((library) =>
    readdirSync(library)
      .filter((name) => name.startsWith("webkit2gtk"))
      .map((name) => join(library, name, "MiniBrowser")),
  );
  return candidates.filter(existsSync).sort().at(-1);
}

/**
 * Engines by name. `missing`: the reason if an engine cannot run on this machine. `start` resolves to a browser,
 * `{ open(url), close() }`; `open` resolves to a page, `{ pageErrors, evaluate(expression), close() }`.
 */
export const engines = {
  firefox: {
    missing: existsSync(FIREFOX)
      ? undefined
      : "Firefox is not installed (Debian: firefox-esr; or set FIREFOX to its path)",
    start: startFirefox,
  },
  webkit: {
    missing:
      WEBKIT_DRIVER && XVFB && findMiniBrowser()
        ? undefined
        : "WebKit is not installed (Debian: webkit2gtk-driver and xvfb)",
    start: startWebkit,
  },
};

/** Starts a virtual screen; resolves to `undefined` if Xvfb is not installed. */
async function startScreen() {
  if (!XVFB) return undefined;
  const child = spawn(XVFB, ["-displayfd", "3", "-screen", "0", "1280x900x24"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const display = await new Promise((resolve, reject) => {
    child.stdio[3].once("data", (bytes) => resolve(`:${String(bytes).trim()}`));
    child.once("exit", () => reject(new Error("Xvfb ended")));
  });
  return { display, close: () => child.kill() };
}

async function startFirefox() {
  const { default: puppeteer } = await import("puppeteer-core");
  // Firefox has no WebGL without a screen, so it runs headless only if there is no virtual screen.
  const screen = await startScreen();
  const env = { ...process.env, ...(screen && { DISPLAY: screen.display, LIBGL_ALWAYS_SOFTWARE: "1" }) };
  const browser = await puppeteer
    .launch({ browser: "firefox", executablePath: FIREFOX, headless: !screen, env })
    .catch((error) => {
      screen?.close();
      throw error;
    });
  return {
    async open(url) {
      const page = await browser.newPage();
      const pageErrors = [];
      page.on("pageerror", (error) => pageErrors.push(error.message));
      await page.goto(url);
      return { pageErrors, evaluate: (text) => page.evaluate(text), close: () => page.close() };
    },
    async close() {
      await browser.close();
      screen?.close();
    },
  };
}

/** Returns a free port. */
function findFreePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function startWebkit() {
  const { Builder, Capabilities } = await import("selenium-webdriver");
  const screen = await startScreen();
  const port = await findFreePort();
  // WebKit reports the locale to pages, and "C" is not a language.
  const env = { ...process.env, DISPLAY: screen.display, LANG: "en_US.UTF-8", LIBGL_ALWAYS_SOFTWARE: "1" };
  const driver = spawn(WEBKIT_DRIVER, [`--port=${port}`], { stdio: "ignore", env });
  const capabilities = new Capabilities({
    browserName: "MiniBrowser",
    "webkitgtk:browserOptions": { binary: findMiniBrowser(), args: ["--automation"] },
  });
  const closeDriver = () => {
    driver.kill();
    screen.close();
  };
  // The driver needs a moment until it accepts connections.
  let browser;
  for (let tries = 0; !browser; tries++) {
    try {
      browser = await new Builder().usingServer(`http://127.0.0.1:${port}`).withCapabilities(capabilities).build();
    } catch (error) {
      if (tries === 20) {
        closeDriver();
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
  return {
    async open(url) {
      await browser.get(url);
      return {
        pageErrors: [], // WebDriver does not report them
        evaluate: (text) => browser.executeScript(`return (${text})`),
        close: () => browser.get("about:blank"),
      };
    },
    async close() {
      await browser.quit().catch(() => {});
      closeDriver();
    },
  };
}

/** Waits until an expression is truthy in a page, at most `milliseconds`, and returns its value. */
export async function until(page, expression, milliseconds) {
  for (const end = Date.now() + milliseconds; ; ) {
    const value = await page.evaluate(expression);
    if (value) return value;
    if (Date.now() > end) {
      const errors = page.pageErrors.join("; ") || "none";
      throw new Error(`${expression} did not become true in ${milliseconds / 1000} s; errors of the page: ${errors}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
