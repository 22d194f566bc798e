// Largest memory, MB, while two clips are stitched many times without free(), by the main entry ("browser") and by the
// worker entry ("worker"), in Node and in Chromium; and the time, s. Wasm memory, and in Node also that of the process.
// Peer: none.
//
//     npm run build && node research/benchmarks/memory.mjs
//         [--stitches 2000] [--frames 5000] [--entry browser,worker] [--in node,chromium]
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { launch, packageFolder, serve, walk } from "../../pkg/test/support.mjs";

const { values } = parseArgs({
  options: {
    stitches: { type: "string", default: "2000" },
    frames: { type: "string", default: "5000" },
    entry: { type: "string", default: "browser,worker" },
    in: { type: "string", default: "node,chromium" },
  },
});
const stitches = Number(values.stitches);
const motions = [{}, { speed: 1.6 }].map((options) => walk({ frames: Number(values.frames), ...options }));

/** Stitches many times. Returns the seconds. Pages run the text of this function, so it uses nothing from outside. */
async function stitchRepeatedly({ load, stitch }, motions, stitches) {
  const clips = await Promise.all(motions.map((motion) => load(new TextEncoder().encode(motion))));
  const started = performance.now();
  for (let count = 0; count < stitches; count++) await stitch(clips);
  return (performance.now() - started) / 1000;
}

/** Returns the wasm memory of the main entry, MB. `bindings`: its module of wasm-bindgen. Pages run this text too. */
const wasmMegabytes = async (bindings) => Math.round((await bindings.default()).memory.buffer.byteLength / 2 ** 20);

async function inNode(entry) {
  // Workers report their wasm memory with every result; this reads it from their messages.
  let largestReported = 0;
  const { on } = Worker.prototype;
  Worker.prototype.on = function (event, listener) {
    if (event !== "message") return on.call(this, event, listener);
    return on.call(this, event, (message) => {
      largestReported = Math.max(largestReported, message.megabytes ?? 0);
      listener(message);
    });
  };
  const module = await import(entry === "worker" ? "kinestitch/worker" : "kinestitch");
  const seconds = await stitchRepeatedly(module, motions, stitches);
  Worker.prototype.on = on;
  const wasm = entry === "worker" ? largestReported : await wasmMegabytes(await import("../../pkg/wasm/kinestitch.js"));
  return { seconds, wasm, details: `, process up to ${Math.round(process.resourceUsage().maxRSS / 1024)} MB` };
}

async function inChromium(entry) {
  const [browser, server] = await Promise.all([launch(), serve({ "/": packageFolder })]);
  try {
    const page = await browser.newPage();
    await page.goto(`${server.url}/package.json`);
    return await page.evaluate(`(async () => {
      let reported = 0;
      self.Worker = class extends Worker {
        constructor(...args) {
          super(...args);
          this.addEventListener("message", ({ data }) => (reported = Math.max(reported, data?.megabytes ?? 0)));
        }
      };
      const entry = await import("/dist/${entry}.js");
      const seconds = await (${stitchRepeatedly})(entry, ${JSON.stringify(motions)}, ${stitches});
      return { seconds, wasm: reported || await (${wasmMegabytes})(await import("/wasm/kinestitch.js")), details: "" };
    })()`);
  } finally {
    await Promise.all([browser.close(), server.close()]);
  }
}

for (const [platform, run] of [
  ["node", inNode],
  ["chromium", inChromium],
]) {
  for (const entry of values.in.split(",").includes(platform) ? values.entry.split(",") : []) {
    const { seconds, wasm, details } = await run(entry);
    const work = `${stitches} stitches of two clips of ${values.frames} frames`;
    console.log(`${platform}, ${entry}: ${work}, wasm ${wasm} MB${details}, ${seconds.toFixed(0)} s`);
  }
}
process.exit();
