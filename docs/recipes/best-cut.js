import { bestSeam, load, stitch } from "kinestitch/worker";
import jog from "motions/ada-jog.bvh?url";
import walk from "motions/ada-walk.bvh?url";

export async function recipe({ signal }) {
  const clips = await Promise.all([load(walk), load(jog)]);
  const [best] = await bestSeam(...clips, { maxCut: 0.5, signal });
  console.log(`leave at frame ${best.takeoff}, land at frame ${best.landing}, cost ${best.score}`);
  return stitch(clips, { method: "lscore", seam: "best", maxCut: 0.5, signal });
}
