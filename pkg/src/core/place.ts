/** Where files of the package lie. */

/**
 * Vite's development server bundles packages beforehand, into `node_modules/.vite/deps`, and leaves the files beside them behind:
 * an address in there becomes that of the file in the package. Every other address stays as it is.
 */
export function unbundled(place: URL): URL {
  const { href } = place;
  const moved = href.replace(/\/\.vite\/(?=(?:wasm|models|dist)\/)/, "/kinestitch/");
  return moved === href ? place : new URL(moved);
}
