import { inbetween, load } from "kinestitch/worker";
import turn from "motions/ada-turn.bvh?url";
import walk from "motions/ada-walk.bvh?url";

export async function recipe({ signal }) {
  const from = { clip: await load(walk), from: 0, to: 30 };
  const to = { clip: await load(turn), from: 40, to: 70 };
  return inbetween([from, to], { frames: 30, method: "inertialize", signal });
}
