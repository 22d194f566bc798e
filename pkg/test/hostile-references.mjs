// For hostile-files.mjs: runs documents that refer to other files: beside them, outside their folder, and on the
// network.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { BUFFER, dataUri, document, textOf } from "./hostile-documents.mjs";

const documentWithUri = (uri) => textOf(document((json) => void (json.buffers[0].uri = uri)));

/**
 * Creates a temporary folder for documents that refer to other files: allowed files beside and below the documents, a
 * secret file outside their folder with links to it, and a pipe.
 */
function createDocumentFolder() {
  const top = mkdtempSync(join(tmpdir(), "kinestitch-outside-"));
  const folder = join(top, "documents");
  const secret = join(top, "secret.bin");
  mkdirSync(join(folder, "below"), { recursive: true });
  for (const path of [secret, join(folder, "beside.bin"), join(folder, "below", "nested.bin")])
    writeFileSync(path, BUFFER);
  symlinkSync(secret, join(folder, "link.bin"));
  symlinkSync(top, join(folder, "door"));
  spawnSync("mkfifo", [join(folder, "pipe.bin")]);
  return { top, folder, secret };
}

/** Starts a server that counts its requests. It answers with the buffer until `respondWith` sets another body. */
async function startCountingServer() {
  let [requestCount, body] = [0, BUFFER];
  const server = createServer((_, response) => (requestCount++, response.end(body)));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requestCount: () => requestCount,
    respondWith: (newBody) => (body = newBody),
    close() {
      server.close();
      server.closeAllConnections?.();
    },
  };
}

/** URIs that a document must not refer to: outside its folder, on the network, or no regular file. */
const forbiddenUris = (secret, serverUrl) => [
  "../secret.bin",
  "..%2fsecret.bin",
  "%2e%2e/secret.bin",
  "below/../../secret.bin",
  "..\\secret.bin",
  secret,
  pathToFileURL(secret).href,
  "link.bin",
  "door/secret.bin",
  "pipe.bin",
  "below",
  "",
  "beside.bin%00.png",
  "%zz.bin",
  `${serverUrl}/x.bin`,
  `${serverUrl.replace("http:", "")}/x.bin`,
  "blob:x",
  "C:\\x.bin",
];
const ALLOWED_URIS = {
  beside: "beside.bin",
  below: "./below/nested.bin?x#y",
  data: dataUri(BUFFER),
};

/**
 * Runs documents that refer to other files. References outside their folder are refused without a network request.
 * Returns the number of requests that documents caused, and that of requests for a document itself.
 */
export async function runReferences(run) {
  const { top, folder, secret } = createDocumentFolder();
  const server = await startCountingServer();
  const runUri = (title, expected, fileName, uri) => {
    const path = join(folder, fileName);
    writeFileSync(path, documentWithUri(uri));
    return run(title, expected, (load) => load(path));
  };
  try {
    for (const [i, uri] of forbiddenUris(secret, server.url).entries()) {
      const printedUri = uri
        .replaceAll(top, "")
        .replace(server.url, "http://host")
        .replace(server.url.slice("http:".length), "//host");
      await runUri(`names "${printedUri}"`, "glb", `${i}.gltf`, uri);
    }
    for (const [name, uri] of Object.entries(ALLOWED_URIS))
      await runUri(`names an allowed file (${name})`, "ok", `${name}.gltf`, uri);
    const requests = server.requestCount();
    server.respondWith(documentWithUri(pathToFileURL(secret).href));
    await run("over http, names a file of the disk", "glb", (load) => load(`${server.url}/x.gltf`));
    await runResolvers(run);
    // One request for the document itself from each thread.
    return { requests, documents: server.requestCount() - requests };
  } finally {
    server.close();
    rmSync(top, { recursive: true, force: true });
  }
}

/** Runs a document with `resolve` options of the caller. */
async function runResolvers(run) {
  const text = documentWithUri("x.bin");
  await run("the caller's own resolve", "ok", (load) =>
    load(text, { resolve: async (uri) => (uri === "x.bin" ? BUFFER : undefined) }),
  );
  await run("resolve that refuses", "glb", (load) => load(text, { resolve: () => undefined }));
  await run("resolve that gives nonsense", "option", (load) => load(text, { resolve: () => 5 }));
}
