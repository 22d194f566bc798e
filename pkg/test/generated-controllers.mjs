// For control.test.mjs: small generated controllers, so that it needs no trained ones. Their weights are random, and
// their output is close to a standing body that moves ahead.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomNumbers, safetensorsBytes } from "./generated-networks.mjs";
import { root } from "./support.mjs";

/** Version of the layout of the network's rows, read from the crate. */
const LAYOUT = Number(
  /VERSION: u32 = (\d+)/.exec(readFileSync(join(root, "src", "feature", "controller.rs"), "utf8"))[1],
);
/** Offsets of a hind leg of a dog in the order of its roles, metres. `side` is 1 for left and -1 for right. */
const hind = (side) => [
  [side * 0.05, -0.02, -0.03],
  [0, -0.12, 0.05],
  [0, -0.1, -0.1],
  [0, -0.12, 0.03],
];
const fore = (side) => [
  [side * 0.03, 0.02, 0.03],
  [side * 0.02, -0.1, 0.08],
  [0, -0.1, -0.06],
  [0, -0.13, 0],
  [0, -0.05, 0.02],
];
const trunk = [
  [0, 0.01, 0.1],
  [0, 0, 0.2],
  [0, 0.04, 0.1],
  [0, 0.1, 0.1],
];
const DOG = [[0, 0, 0], ...hind(1), ...hind(-1), ...trunk, ...fore(1), ...fore(-1), [0, 0.02, -0.06], [0, -0.05, -0.1]];
const BODIES = { biped: { joints: 22, limbs: 2 }, dog: { joints: 25, limbs: 4, offsets: DOG } };
const CONTACTS = 4;
const ACTIONS = ["stand", "move", "sit"];
const STYLES = ["normal", "old"];
/** Numbers of hidden units of the experts, of experts, and of hidden units of the gate. */
const [HIDDEN, EXPERTS, GATE] = [16, 3, 8];
/** Number of samples of the path in the input, and of columns per sample. */
const [PATH_SAMPLES, SAMPLE_COLUMNS] = [13, 6 + ACTIONS.length];

/** Numbers of columns and hidden units of a character's network. */
function sizesOf({ joints, limbs }) {
  return {
    input: PATH_SAMPLES * SAMPLE_COLUMNS + STYLES.length + joints * 12 + 7 * CONTACTS,
    gate: 13 * limbs * 2,
    gate_hidden: GATE,
    experts: EXPERTS,
    hidden: HIDDEN,
    output: 3 + 7 * SAMPLE_COLUMNS + joints * 12 + CONTACTS + 2 * 7 * limbs * 2,
  };
}

/** Collects tensors; random values are the same in every run. */
class TensorList {
  tensors = [];
  #next = randomNumbers(7);

  add(name, shape, values) {
    this.tensors.push({ name, dtype: "F32", shape, data: new Uint8Array(Float32Array.from(values).buffer) });
  }

  addVector(name, values) {
    this.add(name, [values.length], values);
  }

  /** Adds random values, scaled for a layer with `inputs` inputs. */
  addRandom(name, shape, inputs) {
    const length = shape.reduce((product, size) => product * size, 1);
    this.add(
      name,
      shape,
      Array.from({ length }, () => this.#next() * Math.sqrt(3 / inputs)),
    );
  }
}

function addLayers(list, sizes) {
  const gateLayers = [
    [sizes.gate, GATE],
    [GATE, GATE],
    [GATE, EXPERTS],
  ];
  for (const [layer, [inputs, outputs]] of gateLayers.entries()) {
    list.addRandom(`gate.${layer}.weight`, [inputs, outputs], inputs);
    list.addVector(`gate.${layer}.bias`, Array(outputs).fill(0));
  }
  const expertLayers = [
    [sizes.input, HIDDEN],
    [HIDDEN, HIDDEN],
    [HIDDEN, sizes.output],
  ];
  for (const [layer, [inputs, outputs]] of expertLayers.entries()) {
    list.addRandom(`experts.${layer}.weight`, [EXPERTS, inputs, outputs], inputs);
    list.addRandom(`experts.${layer}.bias`, [EXPERTS, outputs], outputs);
  }
}

/** Adds the start pose, and mean and deviation of inputs and outputs. */
function addStartAndNormalisation(list, sizes, joints) {
  const start = Array.from({ length: joints }, () => [0, 0.4, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]).flat();
  list.addVector("start", start);
  // The mean output moves the body ahead by 2 cm per frame.
  const outputMean = [
    0,
    0.02,
    0,
    ...Array.from({ length: 7 }, () => [0, 0, 0, 1, 0, 0.6, 0, 1, 0]).flat(),
    ...start,
    ...Array(CONTACTS).fill(0.5),
  ];
  for (const [name, columns] of [
    ["input", sizes.input],
    ["gate_input", sizes.gate],
    ["output", sizes.output],
  ]) {
    list.addVector(
      `${name}.mean`,
      Array.from({ length: columns }, (_, column) => (name === "output" ? (outputMean[column] ?? 0) : 0)),
    );
    list.addVector(`${name}.deviation`, Array(columns).fill(name === "output" ? 0.01 : 1));
  }
}

/** Adds the autoencoder of generative control. */
function addGenerativeControl(list, { path, hidden, code }) {
  for (const [name, widths] of [
    ["encoder", [path, hidden, code]],
    ["decoder", [code, hidden, path]],
  ]) {
    for (const layer of [0, 1]) {
      list.addRandom(`generative.${name}.${layer}.weight`, [widths[layer], widths[layer + 1]], widths[layer]);
      list.addVector(`generative.${name}.${layer}.bias`, Array(widths[layer + 1]).fill(0));
    }
  }
  list.addVector("generative.path.mean", Array(path).fill(0));
  list.addVector("generative.path.deviation", Array(path).fill(1));
  const identity = Array.from({ length: code * code }, (_, index) => (index % (code + 1) === 0 ? 1 : 0));
  list.add("generative.spread", [code, code], identity);
}

/** Returns the bytes of a character's weight file. */
export function controllerBytes(character) {
  const { joints } = BODIES[character];
  const sizes = sizesOf(BODIES[character]);
  const list = new TensorList();
  addLayers(list, sizes);
  addStartAndNormalisation(list, sizes, joints);
  // The biped has generative control with a code of four columns.
  const generative = character === "biped" ? { path: PATH_SAMPLES * SAMPLE_COLUMNS, hidden: 8, code: 4 } : undefined;
  if (generative) addGenerativeControl(list, generative);
  const offsets =
    BODIES[character].offsets ??
    Array.from({ length: joints }, (_, joint) => (joint === 0 ? [0, 0, 0] : [0, -0.05, 0.02]));
  const config = {
    sizes,
    character,
    gate: "phases",
    actions: ACTIONS,
    styles: STYLES,
    offsets,
    rest: Array(CONTACTS).fill(0.02),
    fastest: 3,
    generative,
  };
  const meta = { name: "controller", layout: LAYOUT, config, set: "open", licence: "for tests" };
  return safetensorsBytes(meta, list.tensors);
}

/** Writes a controller for each character, and their manifest, into a folder. */
export function writeControllers(folder, characters = ["biped", "dog"]) {
  mkdirSync(folder, { recursive: true });
  const networks = characters.map((character) => {
    const bytes = controllerBytes(character);
    const name = `controller-${character}.safetensors`;
    writeFileSync(join(folder, name), bytes);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const files = [{ role: "weights", name, bytes: bytes.length, sha256 }];
    return {
      name: "controller",
      for: "control",
      character,
      set: "open",
      licence: "for tests",
      layout: LAYOUT,
      data: [],
      files,
      scores: {},
    };
  });
  writeFileSync(join(folder, "manifest.json"), JSON.stringify({ version: 2, networks }));
}
