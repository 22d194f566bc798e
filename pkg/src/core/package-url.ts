/** URLs of files of this package. */

/** Advice for an app whose development server (Vite) prebundles this package without its other files. */
export const VITE_ADVICE = 'in vite.config.js, set optimizeDeps: { exclude: ["kinestitch"] }';

/**
 * Returns the URL of a file in the folder of the package `name`. Vite's development server prebundles code to
 * `node_modules/.vite/deps`, without the other files of a package. URLs of these files, which are relative to the code,
 * then lie in `node_modules/.vite`, and are corrected; other URLs are returned unchanged.
 */
export function packageUrl(url: URL, name = "kinestitch"): URL {
  const { href } = url;
  const correctedHref = href.replace(/\/\.vite\/(?=(?:wasm|models|dist|standalone)\/)/, `/${name}/`);
  return correctedHref === href ? url : new URL(correctedHref);
}
