// For tests of networks: small generated networks, so that tests need no trained ones. `…Bytes` functions return the
// bytes of a file, `write…` functions write a folder of weights with its manifest. The refiner has random weights with
// a small last layer, so that it changes poses a little. Its weights are in single precision, or integers with a scale
// per column.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./support.mjs";

/** Numbers of columns in a row of the refiner (src/feature/layout.rs), and of its hidden units. */
const [WIDTH, HIDDEN] = [161, 256];
/** Returns the version of the layout of a network's rows, read from the crate. */
const layoutVersion = (file) =>
  Number(/VERSION: u32 = (\d+)/.exec(readFileSync(join(root, "src", "feature", file), "utf8"))[1]);
export const LAYOUT = layoutVersion("layout.rs");
export const MANIFOLD_LAYOUT = layoutVersion("manifold.rs");
export const DELTA_LAYOUT = layoutVersion("delta.rs");

/** Returns a generator of numbers from -1 to 1, determined by the seed. */
export function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** Matrices of the refiner: name, number of inputs, number of outputs. */
function refinerMatrices() {
  const gru = (layer, inputs) =>
    ["forwards", "backwards"].flatMap((direction) => [
      [`recurrent.${layer}.${direction}.input`, inputs],
      [`recurrent.${layer}.${direction}.recurrent`, HIDDEN],
    ]);
  const dense = [
    ["encoder.0", WIDTH, HIDDEN],
    ["encoder.1", HIDDEN, HIDDEN],
    ["decoder.0", 2 * HIDDEN, HIDDEN],
    ["decoder.1", HIDDEN, WIDTH],
  ];
  return [...dense, ...[...gru(0, HIDDEN), ...gru(1, 2 * HIDDEN)].map(([name, inputs]) => [name, inputs, 3 * HIDDEN])];
}

/** Returns the bytes of a weight file of the refiner. */
export function refinerBytes({ set, licence = "for tests", layout = LAYOUT, integers = false, name = "rmr" }) {
  const next = randomNumbers(7);
  const tensors = [];
  const add = (name, dtype, shape, data) => tensors.push({ name, dtype, shape, data: new Uint8Array(data.buffer) });
  const addVector = (name, values) => add(name, "F32", [values.length], Float32Array.from(values));
  for (const [name, inputs, outputs] of refinerMatrices()) {
    const bound = (name === "decoder.1" ? 0.02 : 1) * Math.sqrt(3 / inputs);
    const values = Float32Array.from({ length: inputs * outputs }, () => bound * next());
    if (integers) {
      add(
        `${name}.weight`,
        "I8",
        [inputs, outputs],
        Int8Array.from(values, (value) => Math.round((value / bound) * 127)),
      );
      addVector(`${name}.weight.scale`, Array(outputs).fill(bound / 127));
    } else {
      add(`${name}.weight`, "F32", [inputs, outputs], values);
    }
    addVector(`${name}.bias`, Array(outputs).fill(0));
  }
  addVector("normal.mean", Array(WIDTH).fill(0));
  addVector("normal.deviation", Array(WIDTH).fill(1));
  // Four-byte numbers first, so that each tensor is aligned to its element size.
  tensors.sort((a, b) => Number(a.dtype === "I8") - Number(b.dtype === "I8"));
  return safetensorsBytes({ name, layout, config: { cell: "bgru", dropout: 0 }, set, licence }, tensors);
}

/** Returns the bytes of a safetensors file. */
export function safetensorsBytes(meta, tensors) {
  const kinestitch = JSON.stringify(meta);
  const header = { __metadata__: { kinestitch } };
  let end = 0;
  for (const { name, dtype, shape, data } of tensors)
    header[name] = { dtype, shape, data_offsets: [end, (end += data.length)] };
  const text = Buffer.from(JSON.stringify(header));
  const padded = Buffer.concat([text, Buffer.alloc((8 - (text.length % 8)) % 8, " ")]);
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(padded.length));
  return Buffer.concat([size, padded, ...tensors.map(({ data }) => data)]);
}

/** Numbers of columns in the rows of the manifold in-betweener (src/feature/manifold.rs). */
const [CONDITION, STEP, MOVES, CONTACTS, STATE, TARGET, OFFSET, UPPER] = [94, 3, 72, 4, 202, 103, 204, 78];

/** Returns the bytes of a weight file of the manifold in-betweener, small, in single precision. */
export function manifoldBytes(set = "open") {
  const next = randomNumbers(3);
  const [latent, experts, hidden, gate, first, second, state] = [4, 2, 12, 8, 12, 8, 12];
  const tensors = [];
  const add = (name, shape, value) => {
    const length = shape.reduce((product, size) => product * size, 1);
    const data = Float32Array.from({ length }, () => value ?? 0.3 * next());
    tensors.push({ name, dtype: "F32", shape, data: new Uint8Array(data.buffer) });
  };
  for (const [name, columns, deviation] of [
    ["manifold.condition", CONDITION, 0.5],
    ["manifold.step", STEP, 0.03],
    ["manifold.moves", MOVES, 0.03],
    ["inputs.0", STATE, 0.5],
    ["inputs.1", TARGET, 0.5],
    ["inputs.2", OFFSET, 0.5],
  ]) {
    add(`${name}.mean`, [columns], 0);
    add(`${name}.deviation`, [columns], deviation);
  }
  const decoderInput = STEP + latent;
  const encoders = [STATE, TARGET, OFFSET].flatMap((columns, index) => [
    [`encoders.${index}.0`, columns, first],
    [`encoders.${index}.1`, first, second],
  ]);
  for (const [name, inputs, outputs] of [
    ["manifold.encoder.0", CONDITION + STEP + MOVES, hidden],
    ["manifold.encoder.1", hidden, hidden],
    ["manifold.encoder.2", hidden, 2 * latent],
    ["manifold.gate.0", CONDITION + decoderInput, gate],
    ["manifold.gate.1", gate, gate],
    ["manifold.gate.2", gate, experts],
    ["recurrent.forwards.input", 3 * second, 4 * state],
    ["recurrent.forwards.recurrent", state, 4 * state],
    ["parse.0", state, first],
    ["parse.1", first, second],
    ["parse.2", second, latent + STEP + MOVES + UPPER],
    ...encoders,
  ]) {
    add(`${name}.weight`, [inputs, outputs]);
    add(`${name}.bias`, [outputs]);
  }
  for (const [layer, inputs, outputs] of [
    [0, CONDITION + decoderInput, hidden],
    [1, hidden + decoderInput, hidden],
    [2, hidden + decoderInput, MOVES + CONTACTS],
  ]) {
    add(`manifold.experts.${layer}.weight`, [experts, inputs, outputs]);
    add(`manifold.experts.${layer}.bias`, [experts, outputs]);
  }
  const config = {
    latent,
    experts,
    hidden,
    gate,
    embedding: [first, second],
    state,
    parse: [first, second],
    past: 3,
    longest: 60,
  };
  return safetensorsBytes({ name: "manifold", layout: MANIFOLD_LAYOUT, config, set, licence: "for tests" }, tensors);
}

/** Numbers of columns in the rows of the delta in-betweener (src/feature/delta.rs). */
const DELTA = { input: 435, output: 139 };

/**
 * Returns the bytes of a weight file of the delta in-betweener, small, in single precision; it changes the
 * interpolation a little.
 */
export function deltaBytes(set = "open") {
  const next = randomNumbers(9);
  const sizes = { ...DELTA, width: 16, layers: 2, heads: 2, inner: 24, reach: 8 };
  const { input, output, width, layers, heads, inner, reach } = sizes;
  const tensors = [];
  const add = (name, shape, value) => {
    const length = shape.reduce((product, size) => product * size, 1);
    tensors.push({ name, dtype: "F32", shape, data: new Uint8Array(Float32Array.from({ length }, value).buffer) });
  };
  add("mean", [input], () => 0);
  add("deviation", [input], () => 1);
  const addLinear = (name, inputs, outputs) => {
    add(`${name}.weight`, [inputs, outputs], () => Math.sqrt(3 / inputs) * next());
    add(`${name}.bias`, [outputs], () => 0.1 * next());
  };
  addLinear("input", input, width);
  for (let layer = 0; layer < layers; layer++) {
    for (const [name, inputs, outputs] of [
      ["qkv", width, 3 * width],
      ["out", width, width],
      ["first", width, inner],
      ["second", inner, width],
    ]) {
      addLinear(`layers.${layer}.${name}`, inputs, outputs);
    }
    add(`layers.${layer}.distance`, [heads, 2 * reach + 1], next);
  }
  addLinear("output", width, output);
  return safetensorsBytes({ name: "delta", layout: DELTA_LAYOUT, config: sizes, set, licence: "for tests" }, tensors);
}

/** Writes a network "delta" and its manifest into a folder. */
export function writeDelta(folder) {
  mkdirSync(folder, { recursive: true });
  const weights = deltaBytes();
  writeFileSync(join(folder, "delta.safetensors"), weights);
  const entry = entryOf("delta.safetensors", weights, {
    name: "delta",
    task: "inbetween",
    layout: DELTA_LAYOUT,
    set: "open",
  });
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ version: 2, networks: [entry] }));
}

/** The manifest entry of a weight file. */
export function entryOf(file, bytes, { name = "rmr", task = "stitch", layout = LAYOUT, set, licence = "for tests" }) {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return {
    name,
    for: task,
    set,
    licence,
    layout,
    data: [{ name: "random numbers", licence: "none needed" }],
    files: [{ role: "weights", name: file, bytes: bytes.length, sha256 }],
    scores: { "nothing held out": { inertialize: { pop: 0.1 }, rmr: { pop: 0.2 } } },
  };
}

/** Writes refiners of two sets and their manifest into a folder. Returns the manifest. */
export function writeRefiners(folder) {
  mkdirSync(folder, { recursive: true });
  const networks = [
    { set: "research", licence: "for nothing" },
    { set: "open", integers: true },
  ].map((options) => {
    const bytes = refinerBytes(options);
    const file = `rmr-${options.set}.safetensors`;
    writeFileSync(join(folder, file), bytes);
    return entryOf(file, bytes, options);
  });
  const manifest = { version: 2, networks };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
  return manifest;
}

/**
 * Numbers of columns in the rows of DC-MoE (src/feature/dcmoe.rs): input, gate, output; and the first output columns of
 * contacts and phases.
 */
const DCMOE = { input: 474, gate: 389, output: 414, contact: 198, phase: 204 };

/** Number of roles of a posture (src/feature/posture.rs). */
const POSTURE_ROLES = 14;

/** Returns a small weight file of DC-MoE in single precision. Its output is close to the requested path. */
export function dcmoeBytes(styles = ["usual", "old"]) {
  const next = randomNumbers(5);
  const { input, contact, phase } = DCMOE;
  const sizes = { input, gate: DCMOE.gate, gate_hidden: 8, experts: 3, hidden: 16, output: DCMOE.output };
  const tensors = [];
  const add = (name, shape, value) => {
    const length = shape.reduce((product, size) => product * size, 1);
    const data = Float32Array.from({ length }, (_, index) => (typeof value === "function" ? value(index) : value));
    tensors.push({ name, dtype: "F32", shape, data: new Uint8Array(data.buffer) });
  };
  for (const [name, columns] of [
    ["input", input],
    ["gate_input", sizes.gate],
  ]) {
    add(`${name}.mean`, [columns], 0);
    add(`${name}.deviation`, [columns], 1);
  }
  add("output.mean", [sizes.output], (column) => (column >= contact && column < phase ? 0.3 : 0));
  add("output.deviation", [sizes.output], (column) => (column < phase ? 0.002 : 0.5));
  const { gate, gate_hidden, experts, hidden, output } = sizes;
  const expertLayers = [
    [input, hidden],
    [hidden, hidden],
    [hidden, output],
  ];
  for (const [layer, [inputs, outputs]] of [
    [gate, gate_hidden],
    [gate_hidden, gate_hidden],
    [gate_hidden, experts],
  ].entries()) {
    add(`gate.${layer}.weight`, [inputs, outputs], () => Math.sqrt(3 / inputs) * next());
    add(`gate.${layer}.bias`, [outputs], () => next());
  }
  for (const [layer, [inputs, outputs]] of expertLayers.entries()) {
    add(`experts.${layer}.weight`, [experts, inputs, outputs], () => Math.sqrt(3 / inputs) * next());
    add(`experts.${layer}.bias`, [experts, outputs], () => next());
  }
  // Each style leans a little more than the previous one.
  const leanRotation = (style) => [Math.sin(0.05 * (1 + style)), 0, 0, Math.cos(0.05 * (1 + style))];
  add(
    "posture.mean",
    [styles.length * POSTURE_ROLES * 4],
    (index) => leanRotation(Math.floor(index / (POSTURE_ROLES * 4)))[index % 4],
  );
  add("posture.spread", [styles.length * POSTURE_ROLES * 3], 0.1);
  add("posture.height", [styles.length], 0.9);
  add("posture.speeds", [styles.length * 2], (index) => [0.5, 2][index % 2]);
  return safetensorsBytes(
    { name: "dcmoe", layout: 2, config: { sizes, styles }, set: "open", licence: "for tests" },
    tensors,
  );
}

/** Returns the bytes of a trajectory gallery (src/method/gallery/file.rs): walks at many speeds and turn rates. */
export function galleryBytes() {
  const bytes = [...Buffer.from("KINEWAY3")];
  const writeUnsigned = (value) => {
    for (let remainder = value; ; remainder = Math.floor(remainder / 128)) {
      if (remainder < 128) return void bytes.push(remainder);
      bytes.push((remainder % 128) + 128);
    }
  };
  const writeText = (value) => (writeUnsigned(value.length), bytes.push(...Buffer.from(value)));
  const writeSigned = (value) => writeUnsigned(value < 0 ? -2 * value - 1 : 2 * value);
  const SAMPLES_PER_TRACK = 60;
  const [tracks, segments] = [[], []];
  for (let speed = 1; speed < 25; speed++) {
    for (let turn = -4; turn <= 4; turn++) tracks.push({ speed: 10 * speed, turnRate: 0.03 * turn });
  }
  writeText("open");
  writeText("for tests");
  writeUnsigned(2);
  ["usual", "old"].forEach(writeText);
  writeUnsigned(tracks.length);
  for (const [index, { speed, turnRate }] of tracks.entries()) {
    writeUnsigned(index % 2);
    writeUnsigned(SAMPLES_PER_TRACK);
    // Positions are in units of 2 mm, headings in quarters of a degree, heights of the hips in centimetres.
    let previous = [0, 0, 0, 0];
    let [x, z, heading] = [0, 0, 0];
    for (let sample = 0; sample < SAMPLES_PER_TRACK; sample++) {
      const current = [x / 2, z / 2, heading / (Math.PI / 720), 95].map(Math.round);
      current.forEach((value, axis) => writeSigned(value - previous[axis]));
      previous = current;
      x += speed * Math.sin(heading);
      z += speed * Math.cos(heading);
      heading += turnRate;
    }
    for (const steps of [5, 9, 14, 20, 30, 44]) segments.push([index, 3, steps]);
  }
  writeUnsigned(segments.length);
  segments.flat().forEach(writeUnsigned);
  return Buffer.from(bytes);
}

/** Writes a network "dcmoe", its gallery and their manifest into a folder. Returns the manifest. */
export function writeDcmoe(folder, { gallery = galleryBytes() } = {}) {
  mkdirSync(folder, { recursive: true });
  const weights = dcmoeBytes();
  const entry = entryOf("dcmoe.safetensors", weights, { name: "dcmoe", task: "inbetween", layout: 2, set: "open" });
  writeFileSync(join(folder, "dcmoe.safetensors"), weights);
  if (gallery) {
    writeFileSync(join(folder, "gallery.bin"), gallery);
    const sha256 = createHash("sha256").update(gallery).digest("hex");
    entry.files.push({ role: "gallery", name: "gallery.bin", bytes: gallery.length, sha256 });
  }
  const manifest = { version: 2, networks: [entry] };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
  return manifest;
}
