// Serves this folder. The paths /kinestitch/ and /kinestitch-player/ serve the packages, like a CDN.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, extname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = import.meta.dirname;
const packageFolder = (name) => dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
const packages = { kinestitch: packageFolder("kinestitch"), "kinestitch-player": packageFolder("kinestitch-player") };
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

const server = createServer(async (request, response) => {
  try {
    // URL removes "..", so that no path leads out of the folders.
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const [, name, pathInPackage] = /^\/([\w-]+)\/(.+)$/.exec(path) ?? [];
    const file = Object.hasOwn(packages, name ?? "")
      ? join(packages[name], pathInPackage)
      : join(root, path === "/" ? "index.html" : path);
    const body = await readFile(file);
    response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" }).end(body);
  } catch {
    response.writeHead(404).end("Not found");
  }
});
server.listen(Number(process.env.PORT ?? 3000), () => console.log(`http://localhost:${server.address().port}/`));
