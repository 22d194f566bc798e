/** URLs of files of this package. */

/**
 * Vite's development server prebundles packages to `node_modules/.vite/deps`, without the files beside them. A URL
 * in that folder is replaced by the URL of the file in the package `name`; all others are returned unchanged.
 */
export function packageUrl(url: URL, name = "kinestitch"): URL {
  const { href } = url;
  const original = href.replace(/\/\.vite\/(?=(?:wasm|models|dist|standalone)\/)/, `/${name}/`);
  return original === href ? url : new URL(original);
}
