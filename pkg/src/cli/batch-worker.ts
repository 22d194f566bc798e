/** Worker process of `kinestitch batch`: runs the commands it receives and reports their results. */
import { readListeners } from "../core/node-read.js";
import type { WorkerReply } from "./batch-pool.js";
import { runCommand } from "./main.js";
import { describeError } from "./describe-error.js";
import { forgetFiles, recordInput } from "./output.js";

readListeners.push(recordInput); // inputs must not be overwritten

process.on("message", async (args: string[]) => {
  const started = performance.now();
  let error: string | undefined;
  try {
    forgetFiles();
    await runCommand(args);
  } catch (cause) {
    error = describeError(cause);
  }
  const seconds = (performance.now() - started) / 1000;
  const reply: WorkerReply = { seconds, memory: process.memoryUsage.rss(), ...(error !== undefined && { error }) };
  process.send?.(reply);
});
process.on("disconnect", () => process.exit());
