import { load } from "kinestitch/worker";
import run from "motions/ada-run.bvh?url";
import bo from "motions/bo-idle.bvh?url";

export async function recipe({ signal }) {
  const motion = await load(run);
  return motion.retarget(await load(bo), { signal });
}
