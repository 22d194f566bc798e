import { load, replace } from "kinestitch/worker";
import turn from "motions/ada-turn.bvh?url";
import walk from "motions/ada-walk.bvh?url";

export async function recipe({ signal, onProgress }) {
  const [walking, turning] = await Promise.all([load(walk), load(turn)]);
  const range = { from: 40, to: 60 };
  const replaced = await replace(walking, range, { clip: turning, from: 20, to: 80 }, { signal, onProgress });
  console.log(replaced.edits[0].text, replaced.edits[0].range);
  return replaced;
}
