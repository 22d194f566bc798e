// Small generated controllers, so that tests need no trained ones: random weights, output near a standing body.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./support.mjs";

/** Version of the layout of the network's rows, read from the crate. */
const LAYOUT = Number(
  /VERSION: u32 = (\d+)/.exec(readFileSync(join(root, "src", "feature", "controller.rs"), "utf8"))[1],
);
/** Offsets of a dog's joints in the order of its roles, metres. `side` is 1 for left and -1 for right. */
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
const [HIDDEN, EXPERTS, GATE] = [16, 3, 8];

/** Bytes of a character's weight file. */
export function madeController(character) {
  const { joints, limbs } = BODIES[character];
  const sample = 6 + ACTIONS.length;
  const sizes = {
    input: 13 * sample + STYLES.length + joints * 12 + 7 * CONTACTS,
    gate: 13 * limbs * 2,
    gate_hidden: GATE,
    experts: EXPERTS,
    hidden: HIDDEN,
    output: 3 + 7 * sample + joints * 12 + CONTACTS + 2 * 7 * limbs * 2,
  };
  let state = 7;
  const next = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 31 - 1;
  const tensors = [];
  const add = (name, shape, values) =>
    tensors.push({ name, shape, data: new Uint8Array(Float32Array.from(values).buffer) });
  const vector = (name, values) => add(name, [values.length], values);
  const random = (name, shape, inputs) =>
    add(
      name,
      shape,
      Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => next() * Math.sqrt(3 / inputs)),
    );
  [
    [sizes.gate, GATE],
    [GATE, GATE],
    [GATE, EXPERTS],
  ].forEach(([inputs, outputs], layer) => {
    random(`gate.${layer}.weight`, [inputs, outputs], inputs);
    vector(`gate.${layer}.bias`, Array(outputs).fill(0));
  });
  [
    [sizes.input, HIDDEN],
    [HIDDEN, HIDDEN],
    [HIDDEN, sizes.output],
  ].forEach(([inputs, outputs], layer) => {
    random(`experts.${layer}.weight`, [EXPERTS, inputs, outputs], inputs);
    random(`experts.${layer}.bias`, [EXPERTS, outputs], outputs);
  });
  const start = Array.from({ length: joints }, () => [0, 0.4, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]).flat();
  vector("start", start);
  // The mean output moves the body ahead by 2 cm per frame.
  const mean = [
    0,
    0.02,
    0,
    ...Array.from({ length: 7 }, () => [0, 0, 0, 1, 0, 0.6, 0, 1, 0]).flat(),
    ...start,
    ...Array(CONTACTS).fill(0.5),
  ];
  for (const [name, width] of [
    ["input", sizes.input],
    ["gate_input", sizes.gate],
    ["output", sizes.output],
  ]) {
    vector(
      `${name}.mean`,
      Array.from({ length: width }, (_, column) => (name === "output" ? (mean[column] ?? 0) : 0)),
    );
    vector(`${name}.deviation`, Array(width).fill(name === "output" ? 0.01 : 1));
  }
  // The biped has generative control with a code of four columns.
  const generative = character === "biped" ? { path: 13 * sample, hidden: 8, code: 4 } : undefined;
  if (generative) {
    const { path, hidden, code } = generative;
    for (const [name, widths] of [
      ["encoder", [path, hidden, code]],
      ["decoder", [code, hidden, path]],
    ]) {
      for (const layer of [0, 1]) {
        random(`generative.${name}.${layer}.weight`, [widths[layer], widths[layer + 1]], widths[layer]);
        vector(`generative.${name}.${layer}.bias`, Array(widths[layer + 1]).fill(0));
      }
    }
    vector("generative.path.mean", Array(path).fill(0));
    vector("generative.path.deviation", Array(path).fill(1));
    add(
      "generative.spread",
      [code, code],
      Array.from({ length: code * code }, (_, index) => (index % (code + 1) === 0 ? 1 : 0)),
    );
  }
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
  const kinestitch = JSON.stringify({ name: "controller", layout: LAYOUT, config, set: "open", licence: "for tests" });
  const head = { __metadata__: { kinestitch } };
  let end = 0;
  for (const { name, shape, data } of tensors)
    head[name] = { dtype: "F32", shape, data_offsets: [end, (end += data.length)] };
  const text = Buffer.from(JSON.stringify(head));
  const padded = Buffer.concat([text, Buffer.alloc((8 - (text.length % 8)) % 8, " ")]);
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(padded.length));
  return Buffer.concat([size, padded, ...tensors.map(({ data }) => data)]);
}

/** Writes a controller for each character, and their manifest, into a folder. */
export function makeControllers(folder, characters = ["biped", "dog"]) {
  mkdirSync(folder, { recursive: true });
  const networks = characters.map((character) => {
    const bytes = madeController(character);
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
