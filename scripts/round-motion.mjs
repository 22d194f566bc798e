// Webpack loader: rounds a motion of the page to hundredths of a degree and of its unit, as fine as a recording; a
// third of the bytes.

/** Rounds the numbers of a BVH file's frames; the text before them is unchanged. */
export default function round(text) {
  const time = text.indexOf("Frame Time:");
  const frames = text.indexOf("\n", time);
  if (time < 0 || frames < 0) throw new Error("this is no BVH file");
  return (
    text.slice(0, frames) +
    text.slice(frames).replace(/-?\d+\.\d+(?:e[-+]?\d+)?/gi, (number) => String(Math.round(Number(number) * 100) / 100))
  );
}
