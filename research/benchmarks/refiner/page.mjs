// The measurements of run.mjs: `measure` runs in the page, `compare` also in Node. There are no static imports: Node
// cannot resolve the URLs of the page, and the page's server serves no other folder of research/benchmarks/.

const ROUNDS = 41;
const WARMUP_ROUNDS = 10;

/**
 * Times functions in turn on the first frames of `rows`, for each number of frames in `frameCounts`. `functions`: by
 * name, (rows, frames) → rows. Returns an entry for each number of frames: the times of each function, ms, and the
 * largest difference of its output from that of the last function.
 */
export async function compare(frameCounts, rows, functions) {
  const columns = 161; // of the refiner's rows
  const results = [];
  for (const frames of frameCounts) {
    const input = rows.slice(0, frames * columns);
    const timesByName = Object.fromEntries(Object.keys(functions).map((name) => [name, []]));
    let outputs;
    for (let round = -WARMUP_ROUNDS; round < ROUNDS; round++) {
      outputs = [];
      for (const [name, forward] of Object.entries(functions)) {
        const started = performance.now();
        outputs.push(await forward(input, frames));
        if (round >= 0) timesByName[name].push(performance.now() - started);
      }
    }
    const times = Object.fromEntries(
      Object.entries(timesByName).map(([name, values]) => {
        values.sort((a, b) => a - b);
        return [name, { median: values[ROUNDS >> 1], best: values[0] }];
      }),
    );
    const last = outputs.at(-1);
    const largestDifference = (output) =>
      output.reduce((largest, value, index) => Math.max(largest, Math.abs(value - last[index])), 0);
    const differences = Object.fromEntries(
      Object.keys(functions).map((name, index) => [name, largestDifference(outputs[index])]),
    );
    results.push({ frames, times, differences });
  }
  return results;
}

const bytes = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());

/** Compares our refiner (int8 as shipped, and single precision) with onnxruntime-web, all in wasm on one thread. */
export async function measure(frameCounts) {
  const { default: initialise, CpuRefiner } = await import("/kinestitch.js");
  await initialise({ module_or_path: await bytes("/kinestitch_bg.wasm") });
  const [int8, f32] = await Promise.all(
    ["int8", "f32"].map(async (name) => new CpuRefiner(await bytes(`/refiner-${name}.safetensors`))),
  );
  const ort = await import("/ort.wasm.min.mjs");
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(await bytes("/refiner.onnx"), { executionProviders: ["wasm"] });
  const rows = new Float32Array((await bytes("/rows.bin")).buffer);
  return compare(frameCounts, rows, {
    int8: (part) => int8.forward(part),
    f32: (part) => f32.forward(part),
    onnxruntime: async (part, frames) => {
      const { refined } = await session.run({ rows: new ort.Tensor("float32", part, [frames, part.length / frames]) });
      return refined.data;
    },
  });
}
