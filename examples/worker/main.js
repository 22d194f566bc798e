// Stitches in a worker: the page stays responsive, shows the progress, and the user can cancel at any time.
import { load, stitch } from "kinestitch/worker";

const [start, cancel, bar, status] = ["start", "cancel", "bar", "status"].map((id) => document.getElementById(id));
let controller;

cancel.addEventListener("click", () => controller.abort());
start.addEventListener("click", async () => {
  controller = new AbortController();
  start.disabled = true;
  cancel.disabled = false;
  const task = {
    signal: controller.signal,
    onProgress({ stage, done }) {
      bar.value = done;
      status.textContent = `${stage}: ${Math.round(done * 100)} %`;
    },
  };
  try {
    const clips = await Promise.all(["idle", "walk", "turn", "run"].map((name) => load(`${name}.bvh`, task)));
    const motion = await stitch(clips, task);
    status.textContent = `Done: ${motion.frames} frames, ${motion.seams.length} seams`;
  } catch (error) {
    // If one file cannot be read, the others must not overwrite the message.
    controller.abort();
    status.textContent = error.code === "aborted" ? "Cancelled." : error.message;
  } finally {
    start.disabled = false;
    cancel.disabled = true;
  }
});
