// Webpack loader: a shader of three.js without comments and indentation, as three.js ships them in its built file.

/** Its template strings, shortened. */
export default function shorten(text) {
  return text.replace(/`([^`]*)`/g, (_, shader) => {
    const lines = shader
      .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")
      .split("\n")
      .map((line) => line.trim());
    return JSON.stringify(lines.filter(Boolean).join("\n"));
  });
}
