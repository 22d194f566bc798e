import { clean, load } from "kinestitch/worker";
import walk from "motions/ada-walk.bvh?url";

export async function recipe({ signal, onProgress }) {
  const recorded = await load(walk);
  const cleaned = await clean(recorded, { jitter: 1, feet: 1, signal, onProgress });
  for (const { range, text } of cleaned.edits) console.log(`frames ${range.from} to ${range.to - 1}: ${text}`);
  if (cleaned.edits.length === 0) console.log("nothing to mend");
  return cleaned;
}
