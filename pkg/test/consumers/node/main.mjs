import { readFileSync } from "node:fs";
import { load, stitch } from "kinestitch";
import * as slim from "kinestitch/slim";
import * as worker from "kinestitch/worker";

const result = await stitch([await load("a.bvh"), await load("b.bvh")]);
const away = await worker.stitch([await worker.load("a.bvh"), await worker.load("b.bvh")]);
const small = await slim.load(readFileSync("a.bvh"));
const options = { method: "rmr" };
const refined = [
  (await stitch([await load("a.bvh"), await load("b.bvh")], options)).seams[0].method,
  (await worker.stitch([await worker.load("a.bvh"), await worker.load("b.bvh")], options)).seams[0].method,
];
console.log(JSON.stringify({ refined, frames: result.frames, positions: result.positions().length, worker: (await away.positions()).length, slim: small.frames }));
