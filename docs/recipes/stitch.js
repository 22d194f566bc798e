import { load, stitch } from "kinestitch/worker";
import run from "motions/ada-run.bvh?url";
import walk from "motions/ada-walk.bvh?url";

export async function recipe({ signal, onProgress }) {
  const clips = await Promise.all([load(walk), load(run)]);
  const motion = await stitch(clips, { signal, onProgress });
  console.log(motion.seams[0].method, motion.seams[0].footSkate);
  return motion;
}
