// The site's headers, all of them: the pages' Content-Security-Policy and what a host should send beside it. The
// policy is written into every page too (so any static host keeps it); our servers (serve.mjs, `npm run dev`) send
// these headers, and the built site holds them as `_headers`, a file that several static hosts read.

import { createHash } from "node:crypto";

/** Content-Security-Policy of every page: nothing but its own files, and no way out. */
const policy = {
  "default-src": "'none'",
  "script-src": "'self' 'wasm-unsafe-eval'",
  "worker-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self' data: blob:",
  "font-src": "'self'",
  "connect-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
  // Text becomes markup or a script's address in lit-html and in webpack's loader alone.
  "require-trusted-types-for": "'script'",
  "trusted-types": "lit-html kinestitch 'allow-duplicates'",
};

/** open.html fetches motions of any site that lets it: what a link names. */
const openPolicy = { ...policy, "connect-src": "'self' https:" };

/**
 * The documentation is VitePress's: one script in each page sets its theme before it is drawn, another marks Macs.
 * Its highlighted code has style attributes. Recipes run in the page, and show results that exist in this tab only
 * (`blob:`).
 */
const docsPolicy = {
  "default-src": "'none'",
  "script-src":
    "'self' 'wasm-unsafe-eval' 'sha256-DQUgNM9X0iH2019NkUxeBvnBoEoRKkHBc/I0iLqPNPA=' 'sha256-La1r0VSk0Po4KFI0duEKhmPu+u0I416JW3oONqtdf4M='",
  "worker-src": "'self'",
  "style-src": "'self' 'unsafe-inline'",
  "img-src": "'self' data: blob:",
  "font-src": "'self'",
  "connect-src": "'self' blob:",
  "base-uri": "'none'",
  "form-action": "'none'",
};

/** Headers of every answer. */
const common = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  // No other page holds a handle to this one, nor shares its process.
  "Cross-Origin-Opener-Policy": "same-origin",
  // The page reads gamepads and files that are given to it; it asks for nothing else of the machine.
  "Permissions-Policy": [
    "accelerometer",
    "autoplay",
    "camera",
    "display-capture",
    "geolocation",
    "gyroscope",
    "hid",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "picture-in-picture",
    "publickey-credentials-get",
    "screen-wake-lock",
    "serial",
    "usb",
    "xr-spatial-tracking",
  ]
    .map((feature) => `${feature}=()`)
    .join(", "),
};

const text = (rules) =>
  Object.entries(rules)
    .map((rule) => rule.join(" "))
    .join("; ");
/** With what works in a header only. */
const sent = (rules) => ({ "Content-Security-Policy": text({ ...rules, "frame-ancestors": "'none'" }), ...common });

const policyOf = (page) => (page === "open" ? openPolicy : policy);

/** For a `<meta http-equiv>` of a page, by its name. */
export const metaPolicy = (page) => text(policyOf(page));

/** For the same tag of the documentation's pages. */
export const docsMetaPolicy = text(docsPolicy);

/** Hashes of scripts inside a page of the documentation that its policy does not list. */
export const unknownScripts = (page) =>
  [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)]
    .map(([, code]) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`)
    .filter((hash) => !docsPolicy["script-src"].includes(hash));

/** Headers of an answer, by the path of the file in www/dist. */
export const headersOf = (path) => {
  if (/^\/?docs\//.test(path)) return sent(docsPolicy);
  return sent(policyOf(/([^/]*?)(\.html)?$/.exec(path)?.[1]));
};

/** Headers of pages. */
export const headers = sent(policy);

/** The same as a file: paths, and under each its headers. What stands below takes the place of what stands above. */
export function headersFile() {
  const block = (path, rules, before = []) =>
    [
      path,
      ...before.map((name) => `  ! ${name}`),
      ...Object.entries(rules).map(([name, value]) => `  ${name}: ${value}`),
    ].join("\n");
  const other = (path, rules) =>
    block(path, { "Content-Security-Policy": sent(rules)["Content-Security-Policy"] }, ["Content-Security-Policy"]);
  return `${[block("/*", headers), other("/open.html", openPolicy), other("/open", openPolicy), other("/docs/*", docsPolicy)].join("\n")}\n`;
}
