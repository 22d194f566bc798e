import { load } from "kinestitch/worker";
import walk from "motions/ada-walk.bvh?url";

export async function recipe({ signal }) {
  const motion = await load(walk);
  const still = await motion.inPlace({ signal });
  return still.resample(60, { signal });
}
