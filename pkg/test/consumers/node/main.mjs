import { readFileSync } from "node:fs";
import * as main from "kinestitch";
import "kinestitch/networks";
import * as slim from "kinestitch/slim";
import * as single from "kinestitch-single";
import * as worker from "kinestitch/worker";
import { inWorker, onThread } from "./story.js";

const thread = await onThread(main);
const small = await slim.load(readFileSync("a.bvh"));
const { frames } = await single.load(readFileSync("a.bvh"));
console.log(JSON.stringify({ thread, worker: await inWorker(worker), slim: small.frames, single: frames }));
