/** Creates the URL of an asset with a display name after #. */
export function namedUrl(url: string, name: string): URL {
  const full = new URL(url, document.baseURI);
  full.hash = name;
  return full;
}
