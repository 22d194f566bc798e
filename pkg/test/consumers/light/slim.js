import { init, load } from "kinestitch/slim";
import { report } from "./story.js";

report(
  init({ wasm: "elsewhere.wasm" })
    .then(() => load("a.bvh"))
    .then(({ frames }) => frames),
);
