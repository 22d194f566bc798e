// Webpack loader: removes comments, indentation and empty lines from a three.js shader, as three.js does in its built
// file. Otherwise, they would be part of the download.

/** Shortens the shader code, which is in the template strings of a module. */
export default function shorten(text) {
  return text.replace(/`([^`]*)`/g, (_, shader) => {
    const lines = shader
      .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")
      .split("\n")
      .map((line) => line.trim());
    return JSON.stringify(lines.filter(Boolean).join("\n"));
  });
}
