/** Worker that converts FBX files: answers with a GLB without pictures, and the embedded pictures. */
import { convertFbx } from "kinestitch/fbx";

addEventListener("message", ({ data }: MessageEvent<ArrayBuffer>) => {
  convertFbx(data).then(
    (answer) => postMessage(answer, { transfer: [answer.glb] }),
    (error: unknown) => postMessage({ error: error instanceof Error ? error.message : String(error) }),
  );
});
