// Builds the site into www/dist. Each www/pages/NAME.html becomes a page; its script is NAME.ts in the same folder, if
// there is one. The files of www/public are copied. The script of the player element has no hash in its name,
// kinestitch-player.js, so that other sites can refer to it.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import CopyPlugin from "copy-webpack-plugin";
import HtmlPlugin from "html-webpack-plugin";
import CssPlugin from "mini-css-extract-plugin";
import MinimizerPlugin from "minimizer-webpack-plugin";
import webpack from "webpack";
import { writeDemoMotion } from "./scripts/demo-motion.mjs";
import { headers, headersFile, metaPolicy } from "./scripts/headers.mjs";

const www = join(import.meta.dirname, "www");
const pagesFolder = join(www, "pages");
const pages = readdirSync(pagesFolder)
  .filter((name) => name.endsWith(".html"))
  .map((name) => basename(name, ".html"));
const scripts = pages.filter((page) => existsSync(join(pagesFolder, `${page}.ts`)));
/**
 * Returns the size of a wasm module when compressed, as hosts send it, bytes; 0 if the module is not built. The page
 * states the size of a download before it starts.
 */
function compressedBytes(name) {
  const file = join(import.meta.dirname, "pkg", "wasm", name);
  return existsSync(file) && statSync(file).size > 0 ? gzipSync(readFileSync(file)).length : 0;
}

// The motion that the page shows before its wasm module is loaded.
await writeDemoMotion();

const optimization = {
  // Modules that several pages share get a file of their own only from 200 KB on. Smaller ones are repeated in the
  // script of each page, so that the first load of a page takes few requests.
  splitChunks: { minSize: 200_000 },
  // As small as with webpack's default, terser, in a third of the time. `module`: the script of the WebGPU module is a
  // file with exports, and pages load all others as modules too.
  minimizer: [new MinimizerPlugin({ minify: MinimizerPlugin.swcMinify, minimizerOptions: { module: true } })],
};
const player = join(www, "player", "element.ts");

/** Returns the content of `_headers`. KINESTITCH_BASE: path of the site on its host. */
const makeHeadersFile = () => headersFile(process.env.KINESTITCH_BASE);

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
    clean: { keep: /^docs\// }, // The documentation is built by VitePress.
    filename: ({ chunk }) => (chunk.name === "kinestitch-player" ? "[name].js" : "[name].[contenthash:16].js"),
    chunkFilename: "[name].[contenthash:16].js",
    assetModuleFilename: "[name].[contenthash:16][ext]",
    hashDigest: "hex",
    // Trusted Types policy by which webpack's loader creates the URLs of chunks and workers; scripts/headers.mjs allows
    // it. If another site that embeds the player does not allow it, loading continues without the policy.
    trustedTypes: { policyName: "kinestitch", onPolicyCreationFailure: "continue" },
  },
  // No source maps by `eval`, which the Content-Security-Policy forbids, in development too.
  devtool: mode === "production" ? "source-map" : "cheap-module-source-map",
  resolve: {
    extensions: [".ts", ".js"],
    // TypeScript imports NAME.ts as NAME.js.
    extensionAlias: { ".js": [".ts", ".js"] },
    // The modules of three.js instead of its bundle. Webpack cannot split a bundle, so the first load of a page would
    // include parts of three.js that only the loaders of characters use.
    alias: { three$: join(import.meta.dirname, "node_modules", "three", "src", "Three.js") },
  },
  module: {
    rules: [
      // Types are checked by `tsc` in scripts/build.mjs; here they are only removed.
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
  optimization,
  plugins: [
    ...pages.map(
      (page) =>
        new HtmlPlugin({
          template: join(pagesFolder, `${page}.html`),
          filename: `${page}.html`,
          chunks: scripts.includes(page) ? [page] : [],
          scriptLoading: "module",
          meta: { "Content-Security-Policy": { "http-equiv": "Content-Security-Policy", content: metaPolicy(page) } },
        }),
    ),
    new webpack.DefinePlugin({
      NETWORK_MODULE_BYTES: String(compressedBytes("networks_bg.wasm")),
    }),
    // The worker script does not include the reader of glTF files, but loads it on first use.
    new webpack.NormalModuleReplacementPlugin(/worker\/gltf-static\.js$/, (resource) => {
      resource.request = resource.request.replace("gltf-static", "gltf-lazy");
    }),
    new CssPlugin({ filename: "[name].[contenthash:16].css" }),
    new CopyPlugin({
      patterns: [
        { from: "public", noErrorOnMissing: true },
        { from: "../scripts/headers.mjs", to: "_headers", toType: "file", transform: makeHeadersFile },
        // The generated motions, without a hash in their names, for HTML that refers to them by URL.
        { from: "../tests/fixtures/*.bvh", to: "motions/[name][ext]" },
        // Networks of all sets; the package contains only those of the set "open".
        { from: "../models", to: "models" },
        { from: "../pkg/THIRD-PARTY-NOTICES.txt", noErrorOnMissing: true },
        { from: "../pkg/llms.txt" },
        { from: "../pkg/skill", to: "skill" },
      ],
    }),
  ],
  // `npm run sizes` reports sizes, compressed as they are downloaded.
  performance: { hints: false },
  stats: "errors-warnings",
  devServer: { port: 8080, host: "localhost", headers, static: false, client: { overlay: false } },
});
