// Third-party notices are in the tarball of a plain `npm pack`, and name everything that is bundled.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { BUNDLED, notices as noticesOf, VENDORED } from "../../scripts/notices.mjs";
import { root } from "../../scripts/shell.mjs";

const notices = () => readFileSync(join(root, "pkg", "THIRD-PARTY-NOTICES.txt"), "utf8");

it("a plain npm pack writes the notices and packs them, in all packages", () => {
  for (const folder of ["pkg", "single", "player"]) {
    const packed = spawnSync("npm", ["pack", "--dry-run", "--json"], { cwd: join(root, folder), encoding: "utf8" });
    assert.equal(packed.status, 0, packed.stderr);
    // Lifecycle scripts may print before the list.
    const [{ files }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf("[")));
    assert.ok(
      files.some(({ path, size }) => path === "THIRD-PARTY-NOTICES.txt" && size > 50_000),
      folder,
    );
  }
});

it("names every copy of a library inside a library, with its licence", () => {
  const text = notices();
  for (const { name, licence } of VENDORED) {
    assert.match(text, new RegExp(`^ {2}${name} [\\d.]+ \\(${licence}`, "m"));
    assert.match(text, new RegExp(`^${licence}: (.*, )?${name} [\\d.]+`, "m"), `the text of ${name}'s licence`);
  }
});

it("names all works that have the same notice", () => {
  const work = { version: "1.0.0", licence: "Apache-2.0", where: "", authors: [], files: [], source: "" };
  const works = ["one", "two"].map((name) => ({ ...work, name, notices: ["The same notice."] }));
  assert.match(noticesOf(works), /^Notice: one 1\.0\.0, two 1\.0\.0\n-+\n\nThe same notice\.$/m);
});

const dist = join(root, "www", "dist");
const maps = existsSync(dist) ? readdirSync(dist).filter((name) => name.endsWith(".js.map")) : [];

it("names every package that the site's scripts are bundled from", {
  skip: maps.length === 0 && "www/dist holds no source maps: npm run build",
}, () => {
  const sources = new Set(maps.flatMap((name) => JSON.parse(readFileSync(join(dist, name), "utf8")).sources));
  const packages = new Set(
    [...sources].flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []),
  );
  assert.ok(packages.has("three"), [...packages].join(", "));
  for (const name of packages) assert.ok(name in BUNDLED, `${name} is bundled: add it to scripts/notices.mjs`);
  // three's own folder for copies of other libraries.
  const copies = [...sources].filter((source) => /three\/examples\/jsm\/libs\//.test(source));
  for (const source of copies)
    assert.ok(
      VENDORED.some(({ file }) => source.endsWith(file)),
      `${source} is bundled: add it to VENDORED`,
    );
  assert.ok(copies.length > 0);
});
