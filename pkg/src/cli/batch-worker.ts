/** Worker process of `kinestitch batch`: runs the commands it receives and reports their results. */
import type { Answer } from "./batch-pool.js";
import { perform } from "./main.js";
import { sentence } from "./sentence.js";
import { begin } from "./output.js";

process.on("message", async (args: string[]) => {
  const started = performance.now();
  let error: string | undefined;
  try {
    begin();
    await perform(args);
  } catch (thrown) {
    error = sentence(thrown);
  }
  const seconds = (performance.now() - started) / 1000;
  const answer: Answer = { seconds, memory: process.memoryUsage.rss(), ...(error !== undefined && { error }) };
  process.send?.(answer);
});
process.on("disconnect", () => process.exit());
