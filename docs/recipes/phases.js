import { load } from "kinestitch/worker";
import { phasesSvg } from "kinestitch/phases-svg";
import walk from "motions/ada-walk.bvh?url";

export async function recipe({ signal }) {
  const clip = await load(walk);
  return phasesSvg(await clip.phases({}, { signal }), clip, { width: 700 });
}
