// Patterns of file names: matches, and time linear in the lengths of pattern and name.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Pattern } from "../dist/cli/pattern.js";

const matches = (pattern, name) => {
  const parsed = Pattern.parse(pattern);
  return parsed?.accepts(parsed.advance(parsed.start, name));
};

describe("a pattern of file names", () => {
  const cases = [
    ["*.bvh", ["a.bvh", ".bvh", "é😀.bvh"], ["d/a.bvh", "a.bvh2", "abvh"]],
    ["**/*.bvh", ["a.bvh", "d/a.bvh", "d/e/a.bvh"], ["a.glb", "d/"]],
    ["d/**", ["d/x", "d/x/y"], ["e/x", "d"]],
    ["**/a/**/b", ["a/b", "x/a/b", "a/x/y/b"], ["ab", "a/xb"]],
    ["a***b", ["ab", "axxb"], ["a/b"]],
    ["{a,b}.bvh", ["a.bvh", "b.bvh"], ["c.bvh", "{a,b}.bvh"]],
    ["{a,{b,c}d}x", ["ax", "bdx", "cdx"], ["bx", "dx"]],
    ["{,a}b", ["b", "ab"], ["a"]],
    ["{a/b,c}*", ["a/b1", "c1"], ["a1"]],
    ["a{b", ["a{b"], ["ab"]],
    ["a},b", ["a},b"], ["a", "b"]],
    ["[a-c]1", ["a1", "c1"], ["d1", "-1"]],
    ["[!a-c]1", ["d1", "é1"], ["a1", "/1"]],
    ["[a-]", ["a", "-"], ["b"]],
    ["[]x", ["[]x"], ["x"]],
    ["?", ["é", "😀", "a"], ["", "ab", "/"]],
    ["a.b+c$^(d)|\\", ["a.b+c$^(d)|\\"], ["axb+c$^(d)|\\"]],
  ];
  for (const [pattern, accepted, refused] of cases) {
    it(`"${pattern}" matches the right names`, () => {
      for (const name of accepted) assert.equal(matches(pattern, name), true, name);
      for (const name of refused) assert.equal(matches(pattern, name), false, name);
    });
  }

  it("is invalid with a reversed range, if nested too deep, or if too long", () => {
    assert.equal(matches("[z-a]", "b"), undefined);
    assert.equal(matches(`${"{a,".repeat(100)}b${"}".repeat(100)}`, "b"), undefined);
    assert.equal(matches("*".repeat(5000), "b"), undefined);
  });

  // The time limit is generous, but a backtracking matcher would never finish.
  it("takes linear time", { timeout: 20_000 }, () => {
    const name = "a".repeat(255);
    for (const pattern of [
      `${"*a".repeat(2000)}*b`,
      `${"{a,a}".repeat(800)}b`,
      `${"{*,*}".repeat(800)}b`,
      `${"**/".repeat(1300)}b`,
      "{".repeat(4000),
      "[".repeat(4000),
    ]) {
      assert.equal(matches(pattern, name), false);
    }
  });
});
