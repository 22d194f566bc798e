// `npm start`: sets up, builds and serves the site at http://localhost:8080.
import { build } from "./build.mjs";
import { guarded } from "./shell.mjs";

await guarded(async (words) => {
  build();
  const { serve } = await import("./serve.mjs"); // needs a package that build() has installed
  const port = words.includes("--port") ? Number(words[words.indexOf("--port") + 1]) : Number(process.env.PORT ?? 8080);
  const { url } = await serve(port);
  console.log(`\nKinestitch is at ${url} (Ctrl-C stops it)`);
});
