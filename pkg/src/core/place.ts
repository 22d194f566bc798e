/** Locations of files of the package. */

/**
 * Vite's development server prebundles packages to `node_modules/.vite/deps`, without the files beside them. A URL
 * in that folder is replaced by that of the file in the package; all others are returned unchanged.
 */
export function unbundled(place: URL): URL {
  const { href } = place;
  const moved = href.replace(/\/\.vite\/(?=(?:wasm|models|dist)\/)/, "/kinestitch/");
  return moved === href ? place : new URL(moved);
}
