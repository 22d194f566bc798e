// Writes the licences of everything that is compiled or bundled into the package and the site to the files
// THIRD-PARTY-NOTICES.txt of all packages. Their `prepack` runs this script, so that every tarball has this file.
//
//     node scripts/notices.mjs
//
// Crates are those that cargo compiles into the wasm modules; npm packages are listed in `BUNDLED`.
// If a work offers several licences, Apache 2.0 is chosen, and its text appears once. Others appear with the copyright
// lines of each crate.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cargoMetadata } from "./build-wasm.mjs";
import { output, root, runScript, UserError } from "./shell.mjs";
import { wasmToolchain } from "./toolchain.mjs";

export const OUT = ["pkg", "single", "player"].map((folder) => join(root, folder, "THIRD-PARTY-NOTICES.txt"));

/** Bundled npm packages, and the bundles that contain them. */
export const BUNDLED = {
  three: "the element and the site",
  meshoptimizer: "dist/gltf/decoders/meshopt.js",
  draco3dgltf: "dist/gltf/decoders/draco.js",
  "fast-png": "dist/picture/library.js",
  fflate: "dist/picture/library.js",
  iobuffer: "dist/picture/library.js",
  gifenc: "dist/picture/library.js",
  "lit-html": "the site",
  uplot: "the site",
  valibot: "the site",
  vitepress: "the documentation",
  vue: "the documentation",
  "@vueuse/core": "the documentation",
  "@vueuse/integrations": "the documentation",
  "focus-trap": "the documentation",
  tabbable: "the documentation",
  minisearch: "the documentation",
  "mark.js": "the documentation",
};

/**
 * Copies of other libraries inside bundled packages: the file, a pattern of its version, and its bundles. None includes
 * its licence text; some link to it.
 */
export const VENDORED = [
  {
    name: "fflate",
    file: "three/examples/jsm/libs/fflate.module.js",
    version: /^fflate - [^]*?\nversion ([\d.]+)$/m,
    licence: "MIT",
    authors: ["2023 Arjun Barrett"],
    where: ", in three's FBX loader, in the element and the site",
  },
  {
    name: "earcut",
    file: "three/build/three.core.js",
    version: /\/\/ copy of mapbox\/earcut version ([\d.]+)/,
    licence: "ISC",
    authors: ["2024, Mapbox"],
    where: ", in three, in the element and the site",
  },
];

const LICENCE_FILE = /^(licen[cs]e|copying|unlicense|copyright)([-._ ].*)?$/i;

/** Texts of licences for crates without a licence file. */
const STANDARD_TEXTS = {
  MIT: (holders) => `Copyright (c) ${holders}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files
(the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify,
merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`,
  ISC: (holders) => `Copyright (c) ${holders}

Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided
that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED
WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR
CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT,
NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`,
};

/** Chooses licences of an SPDX expression: all operands of AND; of OR, Apache 2.0, else MIT, else the first. */
export function chooseLicences(expression) {
  return expression
    .replaceAll("/", " OR ")
    .split(/\s+AND\s+(?![^(]*\))/)
    .map((part) => {
      const choices = part
        .replace(/[()]/g, "")
        .split(/\s+OR\s+/)
        .map((word) => word.trim());
      return choices.find((word) => word === "Apache-2.0") ?? choices.find((word) => word === "MIT") ?? choices[0];
    });
}

/** Returns the names and texts of the licence files in a folder. */
function licenceFiles(folder) {
  return readdirSync(folder)
    .filter((name) => LICENCE_FILE.test(name))
    .sort()
    .flatMap((name) =>
      name.includes(".spdx") ? [] : [{ name, text: tidy(readFileSync(join(folder, name), "utf8")) }],
    );
}

/** Returns the texts of the notice files, which Apache 2.0, section 4 (d), requires us to distribute. */
const noticeFiles = (folder) =>
  readdirSync(folder)
    .filter((name) => /^notice([-._].*)?$/i.test(name))
    .map((name) => tidy(readFileSync(join(folder, name), "utf8")));

const tidy = (text) =>
  text
    .replaceAll("\r\n", "\n")
    .replace(/[ \t]+$/gm, "")
    .trim();

/** Phrases that identify a licence text. */
const LICENCE_PHRASES = {
  "Apache-2.0": /Apache License\s+Version 2\.0/i,
  "Apache-2.0 WITH LLVM-exception": /LLVM Exceptions to the Apache/i,
  MIT: /Permission is hereby granted, free of charge/i,
  Zlib: /provided ['"‘“]as-is['"’”]/i,
  "MPL-2.0": /Mozilla Public License Version 2\.0/i,
  "BSL-1.0": /Boost Software License/i,
  "Unicode-3.0": /Unicode/i,
  "BSD-2-Clause": /Redistributions in binary form/i,
  "BSD-3-Clause": /Neither the name/i,
  ISC: /Permission to use, copy, modify, and(\/or)? distribute/i,
};

/** Lists crates of the wasm modules: name, version, licence, folder, and the module if not all contain it. */
function crates() {
  const env = wasmToolchain();
  const listCrates = (features) => {
    const args = [
      "tree",
      ...features,
      "-e",
      "normal,no-proc-macro",
      "--target",
      "wasm32-unknown-unknown",
      "--prefix",
      "none",
      "--format",
      "{p}",
    ];
    const text = output("cargo", args, { env });
    if (!text) throw new UserError(`cargo ${args.join(" ")} failed`);
    return new Set(text.split("\n").map((line) => line.split(" ").slice(0, 2).join(" ")));
  };
  const lightCrates = listCrates([]);
  const fbxCrates = listCrates(["--features", "fbx"]);
  const allCrates = listCrates(["--features", "webgpu,fbx"]);
  const { packages } = cargoMetadata(env, ["--features", "webgpu,fbx"]);
  return packages
    .filter(({ name, version, source }) => source && allCrates.has(`${name} v${version}`))
    .map(({ name, version, license, license_file, authors, manifest_path }) => {
      const folder = dirname(manifest_path);
      const namedFile = license_file
        ? [{ name: license_file, text: tidy(readFileSync(join(folder, license_file), "utf8")) }]
        : [];
      const crate = `${name} v${version}`;
      const module = fbxCrates.has(crate) ? "kinestitch_fbx.wasm" : "networks.wasm";
      const where = lightCrates.has(crate) ? "" : `, in ${module} only`;
      return {
        name,
        version,
        licence: license ?? "see below",
        authors,
        where,
        files: [...licenceFiles(folder), ...namedFile],
        notices: noticeFiles(folder),
        source: `https://crates.io/crates/${name}/${version}`,
      };
    });
}

/** Lists the bundled npm packages. */
function scripts() {
  return Object.entries(BUNDLED).map(([name, where]) => {
    const folder = join(root, "node_modules", name);
    const { version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const authors = [typeof author === "object" ? author.name : author].filter(Boolean);
    return {
      name,
      version,
      licence: license,
      authors,
      where: `, in ${where}`,
      files: licenceFiles(folder),
      notices: noticeFiles(folder),
      source: `https://www.npmjs.com/package/${name}/v/${version}`,
    };
  });
}

/** Lists copies inside bundled packages. Throws if a file has no recognisable version, so that a person checks it. */
function vendored() {
  return VENDORED.map(({ name, file, version, licence, authors, where }) => {
    const foundVersion = version.exec(readFileSync(join(root, "node_modules", file), "utf8"))?.[1];
    if (!foundVersion)
      throw new UserError(
        `node_modules/${file} does not contain ${name}, or states its version in another form: correct VENDORED in scripts/notices.mjs`,
      );
    return {
      name,
      version: foundVersion,
      licence,
      authors,
      where,
      files: [],
      notices: [],
      source: `https://www.npmjs.com/package/${name}/v/${foundVersion}`,
    };
  });
}

/** Returns the licence texts of a work for the chosen licences; adds texts that many works share to `sharedTexts`. */
function textsOf({ name, version, files, authors }, licences, sharedTexts) {
  return licences.map((licence) => {
    const phrase = LICENCE_PHRASES[licence];
    if (!phrase)
      throw new UserError(
        `${name} ${version} is under ${licence}: add a phrase of this licence to LICENCE_PHRASES in scripts/notices.mjs`,
      );
    const ownText = files.find(({ text }) => phrase.test(text))?.text;
    // These licences have one text without names of authors, which all works share.
    if (licence === "Apache-2.0") sharedTexts.set(licence, tidy(readFileSync(join(root, "LICENSE-APACHE"), "utf8")));
    if (licence === "MPL-2.0" && ownText) sharedTexts.set(licence, ownText);
    if (licence === "Apache-2.0" || licence === "MPL-2.0") return { licence, text: undefined };
    const text =
      ownText ??
      STANDARD_TEXTS[licence]?.(
        authors.length > 0 ? authors.join(", ").replace(/ <[^>]*>/g, "") : `the authors of ${name}`,
      );
    if (!text) throw new UserError(`${name} ${version} is under ${licence} but has no text of this licence`);
    return { licence, text };
  });
}

/** Returns the text of THIRD-PARTY-NOTICES.txt. `works`: the distributed crates, packages and copies. */
export function notices(works = [...crates(), ...scripts(), ...vendored()]) {
  const sharedTexts = new Map();
  const worksByText = new Map();
  const addText = (text, licence, { name, version }) => {
    const group = worksByText.get(text) ?? { licence, works: [] };
    group.works.push(`${name} ${version}`);
    worksByText.set(text, group);
  };
  const line = (work, licences) =>
    `  ${work.name} ${work.version} (${licences.join(" and ")}${work.where})\n    ${work.source}`;
  const list = [];
  for (const work of works) {
    const licences = chooseLicences(work.licence);
    list.push(line(work, licences));
    for (const { licence, text } of textsOf(work, licences, sharedTexts))
      if (text !== undefined) addText(text, licence, work);
    for (const text of work.notices) addText(text, "Notice", work);
  }
  if (!sharedTexts.has("MPL-2.0") && list.some((entry) => entry.includes("MPL-2.0")))
    throw new UserError("no crate contains the text of MPL-2.0");
  const separator = "-".repeat(80);
  const texts = [
    ...[...sharedTexts].map(
      ([licence, text]) => `${separator}\n${licence}: all listed so above\n${separator}\n\n${text}`,
    ),
    ...[...worksByText].map(
      ([text, { licence, works }]) => `${separator}\n${licence}: ${works.join(", ")}\n${separator}\n\n${text}`,
    ),
  ];
  return `Third-party software in Kinestitch
==================================

The wasm modules of this package are compiled from these crates, and from the Rust standard library (The Rust Project
Contributors, MIT or Apache 2.0, https://github.com/rust-lang/rust). The scripts listed are part of the named bundles. The unchanged
source code of each work is at its URL. The licences follow.

${list.join("\n")}

${texts.join("\n\n")}
`;
}

/** Writes the notices into all packages, except where the file is up to date. */
export function writeNotices() {
  const text = notices();
  for (const path of OUT) if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}

await runScript(import.meta, writeNotices);
