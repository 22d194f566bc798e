// BVH, GLB and FBX files that are written, as Blender 4.5 and ufbx read them. Optional: needs a Python with the packages
// bpy and ufbx (PyPI), named by KINESTITCH_PYTHON: `python3.11 -m venv V && V/bin/pip install bpy==4.5.15 ufbx`.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { load } from "kinestitch";
import { toFbx } from "kinestitch/write-fbx";
import { instants, jointsOf, largestDistance } from "./fbx-out.mjs";
import { root } from "./support.mjs";

const python = process.env.KINESTITCH_PYTHON ?? "python3";
const has = (module) => spawnSync(python, ["-c", `import ${module}`], { stdio: "ignore" }).status === 0;
const [hasBlender, hasUfbx] = [has("bpy"), has("ufbx")];
const folder = mkdtempSync(join(tmpdir(), "kinestitch-readers-"));
after(() => rmSync(folder, { recursive: true }));

const fixtures = join(root, "tests", "fixtures");
/** Recordings of third parties, where they are. */
const recordings = (process.env.KINESTITCH_RECORDINGS ?? "").split(":").filter((path) => path && existsSync(path));
const files = [
  ...readdirSync(fixtures)
    .filter((name) => name.endsWith(".bvh"))
    .map((name) => join(fixtures, name)),
  ...["bvh-59.94fps", "bvh-23.976fps", "hold-2s", "spin-720", "mmd-names-zup", "inch-femur"].map((name) =>
    join(fixtures, "cases", `${name}.bvh`),
  ),
  ...recordings,
];

/** Readers: the ending of the file, the package it needs, and how it names the joints. */
const READERS = {
  bvh: { ending: "bvh", available: hasBlender, needs: "bpy" },
  gltf: { ending: "glb", available: hasBlender, needs: "bpy" },
  "fbx-python": { ending: "fbx", available: hasBlender, needs: "bpy" },
  "fbx-native": { ending: "fbx", available: hasBlender, needs: "bpy" },
  ufbx: { ending: "fbx", available: hasUfbx, needs: "ufbx" },
};

/** Runs jobs of foreign-readers.py. */
function run(jobs) {
  const script = fileURLToPath(new URL("foreign-readers.py", import.meta.url));
  const { stdout, stderr, status } = spawnSync(python, [script], {
    input: JSON.stringify(jobs),
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout.slice(stdout.lastIndexOf("RESULT\n") + 7));
}

describe("files that are written", () => {
  for (const [reader, { ending, available, needs }] of Object.entries(READERS))
    it(`${ending} by ${reader}: every joint within 1 mm at five instants, the same length and rate`, {
      skip: available ? false : `${python} lacks the package ${needs}; see the top of this file`,
    }, async (test) => {
      const clips = await Promise.all(files.map((file) => load(file)));
      const jobs = [];
      for (const [i, clip] of clips.entries()) {
        const file = join(folder, `${i}.${ending}`);
        const data = { bvh: () => clip.toBvh(), glb: () => clip.toGlb(), fbx: () => toFbx(clip) }[ending];
        writeFileSync(file, await data());
        const seconds = instants(clip.frames).map((frame) => frame / clip.fps);
        jobs.push({ reader, file, seconds, scale: clip.info().metresPerUnit, rate: clip.fps });
      }
      let largest = 0;
      run(jobs).forEach(({ error, names, end, fps }, i) => {
        const clip = clips[i];
        const { joints, upAxis } = clip.info();
        assert.equal(error, undefined, `${files[i]}: ${error}`);
        const found = new Map(Object.entries(names));
        const expected = jointsOf(clip, instants(clip.frames));
        // The root of a hierarchy may be an object in Blender, which then has the name of the joint.
        const nameOf = (name) => (found.has(name) ? name : `object ${name}`);
        // A BVH file states no axis, and Blender is told Y up.
        if (reader === "bvh" && upAxis === "Z")
          for (const places of expected.values()) places.forEach(([x, y, z], at) => (places[at] = [x, -z, y]));
        const distance = largestDistance(expected, found, nameOf);
        largest = Math.max(largest, distance);
        assert.ok(distance < 1e-3, `${files[i]}: ${distance} m (${joints.length} joints)`);
        const seconds = (clip.frames - 1) / clip.fps;
        assert.ok(Math.abs(end - seconds) < 1e-3 + 1e-5 * seconds, `${files[i]}: ${end} s, not ${seconds}`);
        if (ending === "fbx") assert.ok(Math.abs(fps - clip.fps) < 1e-3, `${files[i]}: ${fps} fps, not ${clip.fps}`);
      });
      test.diagnostic(`${files.length} files, largest distance ${largest} m`);
    });
});
