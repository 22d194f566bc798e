// The site. Every www/pages/NAME.html is a page; NAME.ts beside it, where there is one, is its script. www/public is copied.
// The embeddable element keeps its name, so that a script tag can name it: www/dist/kinestitch-player.js.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import CopyPlugin from "copy-webpack-plugin";
import HtmlPlugin from "html-webpack-plugin";
import CssPlugin from "mini-css-extract-plugin";
import webpack from "webpack";
import { headers, headersFile, metaPolicy } from "./scripts/headers.mjs";

const www = join(import.meta.dirname, "www");
const folder = join(www, "pages");
const pages = readdirSync(folder)
  .filter((name) => name.endsWith(".html"))
  .map((name) => basename(name, ".html"));
const scripts = pages.filter((page) => existsSync(join(folder, `${page}.ts`)));
/** The page says what the network's download takes before it starts: bytes as hosts send them, compressed. */
const gpuModule = join(import.meta.dirname, "pkg", "wasm", "networks_bg.wasm");
const compressed = (file) => (existsSync(file) && statSync(file).size > 0 ? gzipSync(readFileSync(file)).length : 0);
const networkBytes = compressed(gpuModule);
const liveBytes = compressed(join(import.meta.dirname, "pkg", "wasm", "live_bg.wasm"));
const player = join(www, "player", "element.ts");

export default (_env, { mode = "production" }) => ({
  mode,
  context: www,
  target: ["web", "es2022"],
  entry: {
    ...Object.fromEntries(scripts.map((page) => [page, `./pages/${page}.ts`])),
    ...(existsSync(player) ? { "kinestitch-player": player } : {}),
  },
  output: {
    path: join(www, "dist"),
    clean: { keep: /^docs\// }, // the documentation is built on its own
    filename: ({ chunk }) => (chunk.name === "kinestitch-player" ? "[name].js" : "[name].[contenthash:16].js"),
    chunkFilename: "[name].[contenthash:16].js",
    assetModuleFilename: "[name].[contenthash:16][ext]",
    hashDigest: "hex",
    // Addresses of chunks and workers, as the policy asks: see scripts/headers.mjs.
    trustedTypes: { policyName: "kinestitch", onPolicyCreationFailure: "continue" },
  },
  // Never an eval devtool: the Content-Security-Policy forbids it, in development too.
  devtool: mode === "production" ? "source-map" : "cheap-module-source-map",
  resolve: {
    extensions: [".ts", ".js"],
    // TypeScript's own way to write an import of a .ts file.
    extensionAlias: { ".js": [".ts", ".js"] },
    // Its source, file by file: of the one built file, the first load would hold what only loaders of characters use.
    alias: { three$: join(import.meta.dirname, "node_modules", "three", "src", "Three.js") },
  },
  module: {
    rules: [
      // Types are checked by `tsc` in scripts/build.mjs; here they are only taken out.
      {
        test: /\.ts$/,
        exclude: /node_modules/,
        loader: "ts-loader",
        options: { transpileOnly: true, configFile: join(www, "tsconfig.json") },
      },
      { test: /\.css$/, use: [CssPlugin.loader, "css-loader"] },
      { test: /three[\\/]src[\\/].*\.glsl\.js$/, use: [join(import.meta.dirname, "scripts", "short-shader.mjs")] },
      { test: /\.glb$/, type: "asset/resource" },
      { test: /\.bvh$/, type: "asset/resource", use: [join(import.meta.dirname, "scripts", "round-motion.mjs")] },
    ],
  },
  // Few files rather than every piece once: a page's first load is one page's.
  optimization: { splitChunks: { minSize: 200_000 } },
  plugins: [
    ...pages.map(
      (page) =>
        new HtmlPlugin({
          template: join(folder, `${page}.html`),
          filename: `${page}.html`,
          chunks: scripts.includes(page) ? [page] : [],
          scriptLoading: "module",
          meta: { "Content-Security-Policy": { "http-equiv": "Content-Security-Policy", content: metaPolicy(page) } },
        }),
    ),
    new webpack.DefinePlugin({
      NETWORK_MODULE_BYTES: String(networkBytes),
      LIVE_MODULE_BYTES: String(liveBytes),
    }),
    // The worker's script without the reader of glTF, which it loads on first need.
    new webpack.NormalModuleReplacementPlugin(/worker\/gltf-static\.js$/, (resource) => {
      resource.request = resource.request.replace("gltf-static", "gltf-lazy");
    }),
    new CssPlugin({ filename: "[name].[contenthash:16].css" }),
    new CopyPlugin({
      patterns: [
        { from: "public", noErrorOnMissing: true },
        { from: "../scripts/headers.mjs", to: "_headers", toType: "file", transform: headersFile },
        // Our own motions under plain names, for pages that name them in a tag.
        { from: "../tests/fixtures/*.bvh", to: "motions/[name][ext]" },
        // Networks of every set; the package itself holds the open ones.
        { from: "../models", to: "models" },
        { from: "../pkg/THIRD-PARTY-NOTICES.txt", noErrorOnMissing: true },
        { from: "../pkg/llms.txt" },
        { from: "../pkg/skill", to: "skill" },
      ],
    }),
  ],
  // `npm run sizes` prints what matters: the first load, compressed.
  performance: { hints: false },
  stats: "errors-warnings",
  devServer: { port: 8080, host: "localhost", headers, static: false, client: { overlay: false } },
});
