/** The address of an asset, carrying a name for people after its #. */
export function named(url: string, name: string): URL {
  const full = new URL(url, document.baseURI);
  full.hash = name;
  return full;
}
