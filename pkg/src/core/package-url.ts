/** URLs of files of this package. */

/**
 * Returns the URL of a file in the folder of the package `name`. Vite's development server prebundles packages to
 * `node_modules/.vite/deps` without their other files, so a URL in that folder is corrected; other URLs are returned
 * unchanged.
 */
export function packageUrl(url: URL, name = "kinestitch"): URL {
  const { href } = url;
  const correctedHref = href.replace(/\/\.vite\/(?=(?:wasm|models|dist|standalone)\/)/, `/${name}/`);
  return correctedHref === href ? url : new URL(correctedHref);
}
