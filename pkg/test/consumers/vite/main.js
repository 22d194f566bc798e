import { load, stitch } from "kinestitch";
import * as slim from "kinestitch/slim";
import * as worker from "kinestitch/worker";

async function main() {
  const result = await stitch([await load("a.bvh"), await load("b.bvh")]);
  const away = await worker.stitch([await worker.load("a.bvh"), await worker.load("b.bvh")]);
  const small = await slim.load("a.bvh");
  return { frames: result.frames, positions: result.positions().length, worker: (await away.positions()).length, slim: small.frames };
}

main().then(
  (report) => (window.report = report),
  (error) => (window.report = String(error.stack)),
);
