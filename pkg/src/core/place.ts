/** Locations of files of the packages. */

/**
 * Vite's development server prebundles packages to `node_modules/.vite/deps`, without the files beside them. A URL
 * in that folder is replaced by the URL of the file in the package `name`; all others are returned unchanged.
 */
export function unbundled(place: URL, name = "kinestitch"): URL {
  const { href } = place;
  const moved = href.replace(/\/\.vite\/(?=(?:wasm|models|dist|standalone)\/)/, `/${name}/`);
  return moved === href ? place : new URL(moved);
}
