// The site's Content-Security-Policy: nothing but its own files, and no way out; but for one page that a link opens.
// Written into every page (so any static host keeps it) and sent as a header by our own servers.
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
};
const text = (rules) => Object.entries(rules).map((rule) => rule.join(" ")).join("; ");

/** open.html fetches motions of any site that lets it: what a link names. The other pages fetch from their own. */
const policyOf = (page) => (page === "open" ? { ...policy, "connect-src": "'self' https:" } : policy);

/** For a `<meta http-equiv>` of a page, by its name. */
export const metaPolicy = (page) => text(policyOf(page));

/** Headers of every answer, by the page's name; frame-ancestors works in a header only. */
export const headersOf = (page) => ({
  "Content-Security-Policy": text({ ...policyOf(page), "frame-ancestors": "'none'" }),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
});
export const headers = headersOf("index");
