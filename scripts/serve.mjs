// Serves www/dist with the headers of the site.
//
//     node scripts/serve.mjs [--port 8080]
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import sirv from "sirv";
import { headersOf } from "./headers.mjs";
import { portOf, root, runScript, UserError } from "./shell.mjs";

const DIST = join(root, "www", "dist");

/** Starts the server; resolves when it listens. Port 0 selects a free port. */
export function serve(port) {
  if (!existsSync(join(DIST, "index.html"))) throw new UserError("www/dist is empty: run npm run build");
  const handleFile = sirv(DIST, {
    // Looks for the file of each request: a build may replace files, and reading a removed file would end the process.
    dev: true,
    etag: true,
    setHeaders(response, path) {
      for (const [name, value] of Object.entries(headersOf(path))) response.setHeader(name, value);
      // Names with a hash never change their content; other files are revalidated.
      response.setHeader(
        "Cache-Control",
        /\.[0-9a-f]{12,}\./.test(path) ? "public, max-age=31536000, immutable" : "no-cache",
      );
    },
  });
  const server = createServer((request, response) =>
    handleFile(request, response, () => response.writeHead(404).end("Not found")),
  );
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      const isInUse = error.code === "EADDRINUSE";
      reject(
        isInUse ? new UserError(`port ${port} is in use: stop the other server, or use npm start -- --port N`) : error,
      );
    });
    server.listen(port, "localhost", () => resolve({ server, url: `http://localhost:${server.address().port}` }));
  });
}

await runScript(import.meta, async (args) => {
  const { url } = await serve(portOf(args));
  console.log(`Kinestitch is at ${url} (Ctrl-C stops it)`);
});
