// Webpack loader: removes comments and indentation from a three.js shader, as three.js does in its built file.

/** Shortens its template strings. */
export default function shorten(text) {
  return text.replace(/`([^`]*)`/g, (_, shader) => {
    const lines = shader
      .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")
      .split("\n")
      .map((line) => line.trim());
    return JSON.stringify(lines.filter(Boolean).join("\n"));
  });
}
