// A web server for this folder; /kinestitch/ stands for the package's address on a CDN.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const here = import.meta.dirname;
const library = dirname(fileURLToPath(import.meta.resolve("kinestitch/package.json")));
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

const server = createServer(async (request, response) => {
  const path = normalize(new URL(request.url ?? "/", "http://localhost").pathname);
  const file = path.startsWith("/kinestitch/")
    ? join(library, path.slice(12))
    : join(here, path === "/" ? "index.html" : path);
  try {
    const body = await readFile(file);
    response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" }).end(body);
  } catch {
    response.writeHead(404).end("Not found");
  }
});
server.listen(Number(process.env.PORT ?? 3000), () => console.log(`http://localhost:${server.address().port}/`));
