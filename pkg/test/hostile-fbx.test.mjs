// Hostile FBX files: the page's check before three.js's loader unpacks them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { deflateSync } from "node:zlib";
import { transformSync } from "esbuild";
import { root } from "./support.mjs";

const { code } = transformSync(readFileSync(join(root, "pkg", "src", "fbx", "check.ts"), "utf8"), {
  loader: "ts",
  format: "esm",
});
const { checkFbx } = await import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);

/** A compressed array property that states `count` numbers. */
function packed(letter, count, bytes) {
  const head = Buffer.alloc(13);
  head.write(letter, 0, "latin1");
  [count, 1, bytes.length].forEach((word, i) => head.writeUInt32LE(word, 1 + i * 4));
  return Buffer.concat([head, bytes]);
}

/**
 * A binary FBX file of version 7.4 with such properties. `deep`: nesting of its nodes. `nullLevel`: level whose node
 * follows a null record.
 */
function fbx(properties, { deep = 1, name = "Objects", nullLevel = 0 } = {}) {
  const header = Buffer.alloc(27);
  header.write("Kaydara FBX Binary  \0", "latin1");
  header.writeUInt32LE(7400, 23);
  const node = (start, level) => {
    if (level === nullLevel) return Buffer.concat([Buffer.alloc(13), content(start + 13, level)]);
    return content(start, level);
  };
  const content = (start, level) => {
    const ownProperties = level === deep ? properties : [];
    const body = Buffer.concat(ownProperties);
    const head = Buffer.alloc(13);
    const after = start + 13 + name.length + body.length;
    const child = level < deep ? node(after, level + 1) : Buffer.alloc(0);
    head.writeUInt32LE(after + child.length, 0);
    head.writeUInt32LE(ownProperties.length, 4);
    head.writeUInt32LE(body.length, 8);
    head.writeUInt8(name.length, 12);
    return Buffer.concat([head, Buffer.from(name, "latin1"), body, child]);
  };
  const file = Buffer.concat([header, node(27, 1), Buffer.alloc(13), Buffer.alloc(176)]);
  return file.buffer.slice(file.byteOffset, file.byteOffset + file.length);
}

const validArray = packed("d", 1000, deflateSync(Buffer.alloc(8000)));
const tenMegabytes = deflateSync(Buffer.alloc(10 * 2 ** 20), { level: 1 });
/** Files by name: the expected error, `undefined` for a file that is accepted; and a function that creates the file. */
const cases = {
  "a valid array": [undefined, () => fbx([validArray])],
  "nested nodes": [undefined, () => fbx([validArray], { deep: 20 })],
  text: [undefined, () => new TextEncoder().encode("; FBX 7.3.0 project file\n").buffer],
  "a bomb of 64 MB that states 8 bytes": [
    /more numbers than its header states/,
    () => fbx([packed("d", 1, deflateSync(Buffer.alloc(64 * 2 ** 20), { level: 1 }))]),
  ],
  ...Object.fromEntries(
    [1, 2].map((nullLevel) => [
      `a bomb after a null record at level ${nullLevel}`,
      [
        /more numbers than its header states/,
        () => fbx([packed("d", 1, deflateSync(Buffer.alloc(2 ** 20), { level: 1 }))], { deep: 2, nullLevel }),
      ],
    ]),
  ),
  "a bomb that states its size": [
    /uncompressed size exceeds/,
    () => fbx([packed("b", 400 * 2 ** 20, deflateSync(Buffer.alloc(1000)))]),
  ],
  "a hundred arrays of 10 MB": [
    /uncompressed size exceeds/,
    () => fbx(Array.from({ length: 100 }, () => packed("b", 10 * 2 ** 20, tenMegabytes))),
  ],
  "fewer numbers than stated": [/damaged/, () => fbx([packed("d", 1000, deflateSync(Buffer.alloc(80)))])],
  "no zlib at all": [/damaged/, () => fbx([packed("d", 1, Buffer.from("no zlib at all"))])],
  "1,000 nested nodes": [/uncompressed size exceeds/, () => fbx([validArray], { deep: 1000 })],
  "cut short": [/damaged/, () => fbx([validArray]).slice(0, 60)],
};

describe("FBX files", () => {
  for (const [name, [expected, create]] of Object.entries(cases)) {
    it(`${expected ? "refused" : "accepted"}: ${name}`, async (test) => {
      const file = create();
      // Measures for the report how long the check blocks the page's thread.
      let [last, longest] = [performance.now(), 0];
      const ticking = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }, 5);
      const start = performance.now();
      const result = await checkFbx(file).then(
        () => undefined,
        (error) => error.message,
      );
      clearInterval(ticking);
      test.diagnostic(
        `${result ?? "read"}: ${(performance.now() - start).toFixed(0)} ms, longest block ${longest.toFixed(0)} ms`,
      );
      if (expected) assert.match(String(result), expected);
      else assert.equal(result, undefined);
      assert.ok(performance.now() - start < 20_000);
    });
  }

  it("with a changed byte are accepted, or refused with a sentence", async () => {
    const complete = new Uint8Array(fbx([validArray], { deep: 3 }));
    let refused = 0;
    for (let offset = 18; offset < complete.length - 180; offset += 3) {
      const file = complete.slice();
      file[offset] ^= 1 << (offset % 8);
      await checkFbx(file.buffer).catch((error) => {
        assert.match(error.message, /^(it cannot be read|its uncompressed size|a list in it) /, error.message);
        refused++;
      });
    }
    assert.ok(refused > 10, String(refused));
  });
});
