// The site's Content-Security-Policy: nothing but its own files, and no way out.
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

/** For a `<meta http-equiv>`. */
export const metaPolicy = text(policy);

/** Headers of every answer; frame-ancestors works in a header only. */
export const headers = {
  "Content-Security-Policy": text({ ...policy, "frame-ancestors": "'none'" }),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};
