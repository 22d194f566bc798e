// The wasm modules are rebuilt depending on the sources that the compiler read, as reported by cargo.
import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { sourcesOf } from "../../scripts/build-wasm.mjs";
import { root } from "../../scripts/shell.mjs";

it("reads this repository's sources from cargo's list, also with spaces and drive letters", () => {
  const escaped = (path) => path.replaceAll(" ", "\\ ");
  const line = (...paths) =>
    `${escaped(join(root, "target dir", "kinestitch.wasm"))}: ${paths.map(escaped).join(" ")}\n\nother: rules\n`;
  const [lib, rig] = [join(root, "src", "lib.rs"), join(root, "src", "motion", "a rig.rs")];
  assert.deepEqual(sourcesOf(line(rig, lib, "/elsewhere/crate/src/lib.rs")), ["src/lib.rs", "src/motion/a rig.rs"]);
  assert.deepEqual(sourcesOf("C:\\target\\kinestitch.wasm: src/lib.rs"), ["src/lib.rs"]);
  assert.deepEqual(sourcesOf(""), []);
});
