// node batch.js FOLDER OUT: stitches each motion of a folder to the next one in order of names, and prints the method
// and the foot skate of each seam.
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { KinestitchError, load, stitch } from "kinestitch";

const [folder, out] = process.argv.slice(2);
if (!folder || !out) throw new Error("usage: node batch.js FOLDER OUT");
const names = (await readdir(folder)).filter((name) => name.endsWith(".bvh")).sort();
await mkdir(out, { recursive: true });
for (const [index, name] of names.slice(0, -1).entries()) {
  const pair = [name, names[index + 1]];
  try {
    const motion = await stitch(await Promise.all(pair.map((file) => load(join(folder, file)))));
    const file = `${pair.map((file) => basename(file, ".bvh")).join("-")}.bvh`;
    await writeFile(join(out, file), await motion.toBvh());
    // If frames were inserted between the clips, `gapMethod` joined the clips instead of `method`.
    const [{ method, gapMethod, footSkate }] = motion.seams;
    console.log(
      `${file}: ${motion.frames} frames, ${gapMethod ?? method}, feet slide ${(footSkate * 1000).toFixed(1)} mm per frame`,
    );
  } catch (error) {
    if (!(error instanceof KinestitchError)) throw error;
    console.error(`${pair.join(", ")}: ${error.message}`);
    process.exitCode = 1;
  }
}
