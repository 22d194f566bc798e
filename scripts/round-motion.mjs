// Webpack loader: rounds the numbers of a BVH file of the site to two decimals, so that it compresses to less than half
// of the size. Recordings are not more precise than hundredths of a degree and of their unit of length.

/** Rounds the numbers of the frames; the text before them is unchanged. */
export default function round(text) {
  const frameTime = text.indexOf("Frame Time:");
  const frames = text.indexOf("\n", frameTime);
  if (frameTime < 0 || frames < 0) throw new Error('not a BVH file: no line "Frame Time:"');
  return (
    text.slice(0, frames) +
    text.slice(frames).replace(/-?\d+\.\d+(?:e[-+]?\d+)?/gi, (number) => String(Math.round(Number(number) * 100) / 100))
  );
}
