// The documentation site: docs/ → www/dist/docs. `node scripts/docs.mjs` builds it, after the API reference (docs/api) has been written.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { docsMetaPolicy, unknownScripts } from "../../scripts/headers.mjs";
import { flowchart } from "./flowchart.mjs";

const docs = join(import.meta.dirname, "..");
const root = join(docs, "..");
/** Path of the site on its host, with the demo and this documentation. */
const site = process.env.KINESTITCH_BASE ?? "/";

const sidebarFile = join(docs, "api", "typedoc-sidebar.json");
/**
 * Links the groups of the reference to their headings. Without a link, VitePress nests a button in a button, which screen readers
 * cannot distinguish.
 */
const linkGroups = (items, parentLink = "") =>
  items.map((item) => {
    const link = item.link ?? `${parentLink}#${item.text.toLowerCase().replaceAll(" ", "-")}`;
    return { ...item, link, ...(item.items && { items: linkGroups(item.items, link) }) };
  });
const apiPages = existsSync(sidebarFile) ? linkGroups(JSON.parse(readFileSync(sidebarFile, "utf8"))) : [];

/** Creates sidebar items from pairs of title and page name. */
const pages = (folder, list) => list.map(([text, name]) => ({ text, link: `/${folder}/${name}` }));

const guides = [
  {
    text: "Start",
    items: pages("guide", [
      ["Getting started", "index"],
      ["Load and write", "loading"],
      ["Command line", "command-line"],
      ["Agents", "agents"],
    ]),
  },
  {
    text: "Make motion",
    items: pages("guide", [
      ["Stitch", "stitch"],
      ["In-between", "inbetween"],
      ["Edit", "edit"],
      ["Control", "control"],
      ["Phases", "phases"],
    ]),
  },
  {
    text: "Show motion",
    items: pages("guide", [
      ["The player", "player"],
      ["Characters and three.js", "characters"],
      ["Transitions in three.js", "three"],
      ["Clips made in place", "in-place"],
      ["VRM", "vrm"],
    ]),
  },
  {
    text: "In production",
    items: pages("guide", [
      ["Workers and errors", "workers"],
      ["Bundlers and CDN", "bundlers"],
      ["Deployment and content security policy", "deployment"],
      ["Networks and licences", "networks"],
    ]).concat({ text: "Performance", link: "/performance" }),
  },
];

const recipes = [
  {
    text: "Recipes",
    items: pages("recipes", [
      ["All recipes", "index"],
      ["Stitch two clips", "stitch"],
      ["Cut where it fits best", "best-cut"],
      ["Fill a gap between two clips", "inbetween"],
      ["Fill a gap with a network", "delta"],
      ["Move a motion to another body", "retarget"],
      ["Clean a captured motion", "clean"],
      ["Replace a span", "replace"],
      ["Walk on the spot", "in-place"],
      ["Steer a person along a square", "control"],
      ["Draw phases", "phases"],
      ["Show progress and cancel", "progress"],
    ]),
  },
];

const background = [
  {
    text: "How it works",
    items: [
      { text: "The ideas, with interactive figures", link: "/how-it-works" },
      { text: "Architecture", link: "/architecture" },
      { text: "Glossary", link: "/glossary" },
    ],
  },
  {
    text: "Extend it",
    items: [
      { text: "Adding a method", link: "/adding-a-method" },
      { text: "Training", link: "/training" },
    ],
  },
  {
    text: "What was tried",
    items: pages("notes", [
      ["Overview", "index"],
      ["delta", "delta"],
      ["manifold", "manifold"],
      ["DC-MoE", "dcmoe"],
      ["RMR", "rmr"],
      ["L-score", "lscore"],
      ["Phases", "phases"],
      ["Controller", "controller"],
      ["Periodic autoencoder", "periodic"],
      ["Judge", "judge"],
      ["Clean", "clean"],
    ]),
  },
];

const results = [
  {
    text: "Results",
    items: pages("results", [
      ["Overview", "index"],
      ["Foot skate at seams", "stitch"],
      ["Options of joining", "joins"],
      ["Where to cut", "cuts"],
      ["In-betweening on LAFAN1", "inbetween-lafan1"],
      ["In-betweening as users get it", "inbetween-pipeline"],
      ["Along a path", "dcmoe"],
      ["On the ground", "ground"],
      ["Candidates", "candidates"],
      ["Clean", "clean"],
      ["Controller", "control"],
      ["Controller: noise", "control-noise"],
      ["Controller: uneven ground", "control-ground"],
      ["Phases", "phases-fit"],
      ["Speed and size", "speed"],
      ["Time of the seam map", "lscore-map"],
      ["Module sizes", "modules"],
    ]),
  },
];

/** Changes a link between docs/ and research/ of the repository to its place on the site: see scripts/docs.mjs. */
function moveLink(token) {
  const href = token.type === "link_open" ? token.attrGet("href") : null;
  if (!href) return;
  const moved = href
    .replace(/^(\.\.\/)+research\/notes\//, "/notes/")
    .replace(/^(\.\.\/)+research\/runs\//, "runs/")
    .replace(/^(\.\.\/)+docs\//, "/");
  token.attrSet("href", moved);
}

export default defineConfig({
  title: "Kinestitch",
  description: "Character animation in the browser: stitch motion clips, fill gaps, control characters.",
  lang: "en",
  base: `${site}docs/`,
  outDir: join(root, "www", "dist", "docs"),
  cacheDir: join(root, "target", "vitepress"),
  metaChunk: true, // The list of pages is a file, not a script in each page, because the policy lists scripts by their hash.
  head: [
    ["meta", { "http-equiv": "Content-Security-Policy", content: docsMetaPolicy }],
    ["link", { rel: "icon", href: `${site}favicon.svg`, type: "image/svg+xml" }],
  ],
  themeConfig: {
    logo: { src: "/mark.svg", alt: "" },
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/guide/", activeMatch: "/guide/|/performance" },
      { text: "Recipes", link: "/recipes/", activeMatch: "/recipes/" },
      { text: "API", link: "/api/", activeMatch: "/api/" },
      { text: "How it works", link: "/how-it-works", activeMatch: "/how-it-works|/architecture|/glossary|/notes/" },
      { text: "Results", link: "/results/", activeMatch: "/results/" },
      { text: "Changelog", link: "/changelog" },
    ],
    sidebar: {
      "/guide/": guides,
      "/performance": guides,
      "/changelog": guides,
      "/recipes/": recipes,
      "/results/": results,
      "/api/": [{ text: "API reference", items: [{ text: "Entry points", link: "/api/" }, ...apiPages] }],
      "/": background,
    },
    footer: { message: "MIT or Apache 2.0. Everything on this site runs in your browser; nothing is uploaded." },
  },
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(md) {
      md.core.ruler.push("site-paths", (state) => {
        for (const { children } of state.tokens) for (const token of children ?? []) moveLink(token);
      });
      const fence = md.renderer.rules.fence;
      md.renderer.rules.fence = (tokens, index, ...rest) =>
        tokens[index].info.trim() === "mermaid" ? flowchart(tokens[index].content) : fence(tokens, index, ...rest);
    },
  },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag.startsWith("kinestitch-") } } },
  vite: {
    define: { __SITE__: JSON.stringify(site) },
    resolve: { alias: { "motions/": `${join(root, "tests", "fixtures")}/` } },
    assetsInclude: ["**/*.bvh"],
    worker: { format: "es" },
    build: { target: "es2022", chunkSizeWarningLimit: 2000, reportCompressedSize: false },
  },
  /** Ends the build if a page contains a script that the policy does not list: browsers would not run it. */
  transformHtml(code, id) {
    const unknown = unknownScripts(code);
    if (unknown.length > 0)
      throw new Error(
        `${id} contains scripts that docsPolicy of scripts/headers.mjs does not list: ${unknown.join(" ")}`,
      );
  },
});
