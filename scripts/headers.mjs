// Defines all HTTP headers of the site: the Content-Security-Policy of the pages, and others that a host should send.
// The policy is also written into every page, so that it applies on any static host. Our servers (serve.mjs and
// `npm run dev`) send these headers, and the built site lists them in `_headers`, a file that Cloudflare Pages reads.

import { createHash } from "node:crypto";

/** Content-Security-Policy of the pages: only files and connections of their own origin. */
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
  // Only lit-html (policy "lit-html") and webpack's loader (policy "kinestitch") turn text into markup or script URLs.
  "require-trusted-types-for": "'script'",
  "trusted-types": "lit-html kinestitch 'allow-duplicates'",
};

/** Policy of open.html, which fetches the motions that a link names from any host that allows it. */
const openPolicy = { ...policy, "connect-src": "'self' https:" };

/**
 * Policy of the documentation, made by VitePress. The hashes allow its two inline scripts: one sets the theme before
 * the first paint, one detects Macs. Style attributes are allowed for highlighted code, and `blob:` URLs for the
 * results of recipes, which run in the page.
 */
const docsPolicy = {
  "default-src": "'none'",
  "script-src": [
    "'self' 'wasm-unsafe-eval'",
    "'sha256-DQUgNM9X0iH2019NkUxeBvnBoEoRKkHBc/I0iLqPNPA='",
    "'sha256-La1r0VSk0Po4KFI0duEKhmPu+u0I416JW3oONqtdf4M='",
  ].join(" "),
  "worker-src": "'self'",
  "style-src": "'self' 'unsafe-inline'",
  "img-src": "'self' data: blob:",
  "font-src": "'self'",
  "connect-src": "'self' blob:",
  "base-uri": "'none'",
  "form-action": "'none'",
};

/** Headers of every response. */
const commonHeaders = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  // Pages of other origins get no reference to a window of the site.
  "Cross-Origin-Opener-Policy": "same-origin",
  // Pages use gamepads and the files that users open; all other access to the machine is disabled.
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

const policyText = (directives) =>
  Object.entries(directives)
    .map((directive) => directive.join(" "))
    .join("; ");
/** Returns the headers of a response. The directive `frame-ancestors` works in a header only, not in a page. */
const responseHeaders = (directives) => ({
  "Content-Security-Policy": policyText({ ...directives, "frame-ancestors": "'none'" }),
  ...commonHeaders,
});

/** Returns the policy of a page by its name. */
const policyOf = (page) => (page === "open" ? openPolicy : policy);

/** Returns the policy for the `<meta http-equiv>` of a page, by its name. */
export const metaPolicy = (page) => policyText(policyOf(page));

/** Policy for the `<meta http-equiv>` of the documentation's pages. */
export const docsMetaPolicy = policyText(docsPolicy);

/** Returns the hashes of inline scripts in a documentation page that its policy does not list. */
export const unknownScripts = (page) =>
  [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([^]*?)<\/script>/g)]
    .map(([, code]) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`)
    .filter((hash) => !docsPolicy["script-src"].includes(hash));

/** Returns the headers of a response. `path`: path of the request, or of a file in www/dist. */
export const headersOf = (path) => {
  if (/^\/?docs(\/|$)/.test(path)) return responseHeaders(docsPolicy);
  return responseHeaders(policyOf(/([^/]*?)(\.html)?$/.exec(path)?.[1]));
};

/** Headers of all responses but those of open.html and the documentation. */
export const headers = responseHeaders(policy);

/**
 * Returns the text of the `_headers` file: paths with their headers. A file gets the headers of every path that matches
 * it, so that other policies must first remove the general one (`! NAME`). `base`: path of the site on its host.
 */
export function headersFile(base = "/") {
  const block = (path, pathHeaders, removedHeaders = []) =>
    [
      path,
      ...removedHeaders.map((name) => `  ! ${name}`),
      ...Object.entries(pathHeaders).map(([name, value]) => `  ${name}: ${value}`),
    ].join("\n");
  const policyBlock = (path, directives) =>
    block(path, { "Content-Security-Policy": responseHeaders(directives)["Content-Security-Policy"] }, [
      "Content-Security-Policy",
    ]);
  const blocks = [
    block(`${base}*`, headers),
    policyBlock(`${base}open.html`, openPolicy),
    policyBlock(`${base}open`, openPolicy),
    policyBlock(`${base}docs/*`, docsPolicy),
  ];
  return `${blocks.join("\n")}\n`;
}
