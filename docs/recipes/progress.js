import { load, stitch } from "kinestitch/worker";
import jog from "motions/ada-jog.bvh?url";
import run from "motions/ada-run.bvh?url";
import walk from "motions/ada-walk.bvh?url";

export async function recipe({ signal, onProgress }) {
  const clips = await Promise.all([walk, jog, run, jog, walk, run].map((address) => load(address, { signal })));
  return stitch(clips, { method: "auto", signal, onProgress }); // onProgress gets { stage, done }, done from 0 to 1
}
