// Defines all headers of the site: the Content-Security-Policy of the pages, and others that a host should send. The
// policy is also written into every page, so that it applies on any static host. Our servers (serve.mjs,
// `npm run dev`) send these headers, and the built site has them as `_headers`, a file that several static hosts read.

import { createHash } from "node:crypto";

/** Content-Security-Policy of every page: only its own files, and no connections elsewhere. */
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
  // Only lit-html and webpack's loader turn text into markup or script addresses.
  "require-trusted-types-for": "'script'",
  "trusted-types": "lit-html kinestitch 'allow-duplicates'",
};

/** open.html fetches the motions named in a link, from any site that allows it. */
const openPolicy = { ...policy, "connect-src": "'self' https:" };

/**
 * VitePress's documentation: one inline script per page sets the theme before the first paint, another detects Macs.
 * Highlighted code has style attributes. Recipes run in the page, and show results as `blob:` URLs.
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

/** Headers of every response. */
const common = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  // No other page gets a handle to this one, or shares its process.
  "Cross-Origin-Opener-Policy": "same-origin",
  // The page uses gamepads and files given to it, and nothing else of the machine.
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

const policyText = (rules) =>
  Object.entries(rules)
    .map((rule) => rule.join(" "))
    .join("; ");
/** Returns the headers of a response with a policy. Some directives work in a header only. */
const responseHeaders = (rules) => ({
  "Content-Security-Policy": policyText({ ...rules, "frame-ancestors": "'none'" }),
  ...common,
});

const policyOf = (page) => (page === "open" ? openPolicy : policy);

/** Policy for the `<meta http-equiv>` of a page, by its name. */
export const metaPolicy = (page) => policyText(policyOf(page));

/** Policy for the `<meta http-equiv>` of the documentation's pages. */
export const docsMetaPolicy = policyText(docsPolicy);

/** Returns the hashes of inline scripts in a documentation page that its policy does not list. */
export const unknownScripts = (page) =>
  [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)]
    .map(([, code]) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`)
    .filter((hash) => !docsPolicy["script-src"].includes(hash));

/** Returns the headers of a response. `path`: path of the file in www/dist. */
export const headersOf = (path) => {
  if (/^\/?docs\//.test(path)) return responseHeaders(docsPolicy);
  return responseHeaders(policyOf(/([^/]*?)(\.html)?$/.exec(path)?.[1]));
};

/** Headers of pages. */
export const headers = responseHeaders(policy);

/** Writes the headers as a `_headers` file: paths with their headers; later entries override earlier ones. */
export function headersFile() {
  const block = (path, rules, removedHeaders = []) =>
    [
      path,
      ...removedHeaders.map((name) => `  ! ${name}`),
      ...Object.entries(rules).map(([name, value]) => `  ${name}: ${value}`),
    ].join("\n");
  const policyBlock = (path, rules) =>
    block(path, { "Content-Security-Policy": responseHeaders(rules)["Content-Security-Policy"] }, [
      "Content-Security-Policy",
    ]);
  return `${[block("/*", headers), policyBlock("/open.html", openPolicy), policyBlock("/open", openPolicy), policyBlock("/docs/*", docsPolicy)].join("\n")}\n`;
}
