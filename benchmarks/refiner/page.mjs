// Page code: alternates between both runtimes on the same rows.

const ROUNDS = 41;
const WARM = 10;

/** Times each of `ways`, (rows, frames) → rows, on the first frames of `rows`. */
export async function compare(counts, rows, ways) {
  const columns = 161;
  const results = [];
  for (const frames of counts) {
    const part = rows.slice(0, frames * columns);
    const taken = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
    let outputs;
    for (let round = -WARM; round < ROUNDS; round++) {
      outputs = [];
      for (const [name, forward] of Object.entries(ways)) {
        const started = performance.now();
        outputs.push(await forward(part, frames));
        if (round >= 0) taken[name].push(performance.now() - started);
      }
    }
    const times = Object.fromEntries(
      Object.entries(taken).map(([name, all]) => {
        all.sort((a, b) => a - b);
        return [name, { median: all[ROUNDS >> 1], best: all[0] }];
      }),
    );
    // Difference of each from the last.
    const last = outputs.at(-1);
    const largest = (output) => output.reduce((most, value, index) => Math.max(most, Math.abs(value - last[index])), 0);
    const differences = Object.fromEntries(Object.keys(ways).map((name, index) => [name, largest(outputs[index])]));
    results.push({ frames, times, differences });
  }
  return results;
}

const bytes = async (url) => new Uint8Array(await (await fetch(url)).arrayBuffer());

/** Ours (shipped weights and single precision) and onnxruntime-web, all in wasm on one thread. */
export async function measure(counts) {
  const { default: start, CpuRefiner } = await import("/live.js");
  await start({ module_or_path: await bytes("/live_bg.wasm") });
  const [int8, f32] = await Promise.all(
    ["int8", "f32"].map(async (name) => new CpuRefiner(await bytes(`/refiner-${name}.safetensors`))),
  );
  const ort = await import("/ort.wasm.min.mjs");
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(await bytes("/refiner.onnx"), { executionProviders: ["wasm"] });
  const rows = new Float32Array((await bytes("/rows.bin")).buffer);
  return compare(counts, rows, {
    int8: (part) => int8.forward(part),
    f32: (part) => f32.forward(part),
    onnxruntime: async (part, frames) => {
      const { refined } = await session.run({ rows: new ort.Tensor("float32", part, [frames, part.length / frames]) });
      return refined.data;
    },
  });
}
