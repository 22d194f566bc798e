import { init, load, stitch } from "kinestitch";
import * as slim from "kinestitch/slim";
import * as worker from "kinestitch/worker";

async function main() {
  await init({ networks: { device: "cpu" } });
  await worker.init({ networks: { device: "cpu" } });
  const result = await stitch([await load("a.bvh"), await load("b.bvh")]);
  const away = await worker.stitch([await worker.load("a.bvh"), await worker.load("b.bvh")]);
  const small = await slim.load("a.bvh");
  const options = { method: "rmr" };
  const refined = [
    (await stitch([await load("a.bvh"), await load("b.bvh")], options)).seams[0].method,
    (await worker.stitch([await worker.load("a.bvh"), await worker.load("b.bvh")], options)).seams[0].method,
  ];
  return { refined, frames: result.frames, positions: result.positions().length, worker: (await away.positions()).length, slim: small.frames };
}

main().then(
  (report) => (window.report = report),
  (error) => (window.report = String(error.stack)),
);
