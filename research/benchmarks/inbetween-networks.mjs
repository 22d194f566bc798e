// Networks of two gap fillers as ONNX, for inbetween-onnx.mjs: one pass of the delta in-betweener, and one frame of the
// manifold in-betweener.
import { concatenate, experts, gate, integers, linear, model, node, tensor, transpose } from "./onnx.mjs";

/**
 * The network of src/method/delta.rs: normalised rows `input`, [windows × tokens, columns] → `output`, the rows of the
 * gaps, [windows × gap, output columns]. A window is one gap with the frames around it; each frame is a token. `past`,
 * `gap`, `target`: numbers of frames in a window. They are fixed, so that the attention bias is a constant of the
 * graph.
 */
export function delta(weights, { heads, windows, past, gap, target }) {
  const [columns, width] = weights["input.weight"].shape;
  const tokens = past + gap + target;
  const parts = [
    integers("heads_shape", -1, tokens, 3, heads, width / heads),
    integers("qkv_sizes", 1, 1, 1),
    integers("rows_shape", -1, width),
    integers("windows_shape", -1, tokens, width),
    integers("gap_start", past),
    integers("gap_end", past + gap),
    integers("token_axis", 1),
    tensor("score_scale", [1], Float32Array.of(1 / Math.sqrt(width / heads))),
    tensor("ones", [width], new Float32Array(width).fill(1)),
    tensor("zeros", [width], new Float32Array(width)),
  ];
  linear(parts, weights, "input", "input", "tokens");
  let rows = "tokens";
  for (let layer = 0; weights[`layers.${layer}.qkv.weight`]; layer++) {
    const attended = addAttention(parts, weights, `layers.${layer}`, rows, { heads, tokens });
    rows = addFeedForward(parts, weights, `layers.${layer}`, attended);
  }
  parts.push(
    node("Reshape", [rows, "windows_shape"], "rows_by_window"),
    node("Slice", ["rows_by_window", "gap_start", "gap_end", "token_axis"], "gap_rows_by_window"),
    node("Reshape", ["gap_rows_by_window", "rows_shape"], "gap_rows"),
    normalisation("gap_rows", "normal_gap_rows"),
  );
  linear(parts, weights, "output", "normal_gap_rows", "output");
  return {
    bytes: model("delta", parts, { input: columns }, { output: weights["output.weight"].shape[1] }),
    shapes: { input: [windows * tokens, columns] },
  };
}

const normalisation = (input, output) => node("LayerNormalization", [input, "ones", "zeros"], output, { axis: 1 });

/**
 * Returns the bias of the attention scores, [heads, tokens, tokens], from a table by the distance of key and query,
 * [heads, distances]. Tokens farther apart than the table share the bias of its largest distance.
 */
function attentionBias({ shape: [, distances], values }, heads, tokens) {
  const reach = (distances - 1) / 2;
  return Float32Array.from({ length: heads * tokens * tokens }, (_, index) => {
    const key = index % tokens;
    const query = Math.floor(index / tokens) % tokens;
    const head = Math.floor(index / tokens / tokens);
    return values[head * distances + Math.min(Math.max(key + reach - query, 0), 2 * reach)];
  });
}

/** Adds the attention of a layer, with its residual connection, to `parts`. Returns the name of its output. */
function addAttention(parts, weights, layer, input, { heads, tokens }) {
  const named = (suffix) => `${layer}.${suffix}`;
  parts.push(
    tensor(named("bias"), [1, 1, heads, tokens, tokens], attentionBias(weights[named("distance")], heads, tokens)),
    normalisation(input, named("normal")),
  );
  linear(parts, weights, named("qkv"), named("normal"), named("qkv"));
  parts.push(
    node("Reshape", [named("qkv"), "heads_shape"], named("qkv_by_token")),
    node("Transpose", [named("qkv_by_token")], named("qkv_by_head"), { perm: [2, 0, 3, 1, 4] }),
    node("Split", [named("qkv_by_head"), "qkv_sizes"], [named("queries"), named("keys"), named("values")], { axis: 0 }),
    node("Transpose", [named("keys")], named("keys_transposed"), { perm: [0, 1, 2, 4, 3] }),
    node("MatMul", [named("queries"), named("keys_transposed")], named("products")),
    node("Mul", [named("products"), "score_scale"], named("scaled_products")),
    node("Add", [named("scaled_products"), named("bias")], named("scores")),
    node("Softmax", [named("scores")], named("attention_weights"), { axis: 4 }),
    node("MatMul", [named("attention_weights"), named("values")], named("mix_by_head")),
    node("Transpose", [named("mix_by_head")], named("mix_by_token"), { perm: [0, 1, 3, 2, 4] }),
    node("Reshape", [named("mix_by_token"), "rows_shape"], named("mix")),
  );
  linear(parts, weights, named("out"), named("mix"), named("attention_change"));
  parts.push(node("Add", [input, named("attention_change")], named("attended")));
  return named("attended");
}

/**
 * Adds the feed-forward part of a layer, with squared ReLU and its residual connection, to `parts`. Returns the name of
 * its output.
 */
function addFeedForward(parts, weights, layer, input) {
  const named = (suffix) => `${layer}.${suffix}`;
  parts.push(normalisation(input, named("normal_attended")));
  linear(parts, weights, named("first"), named("normal_attended"), named("inner"));
  parts.push(
    node("Relu", [named("inner")], named("positive")),
    node("Mul", [named("positive"), named("positive")], named("squared")),
  );
  linear(parts, weights, named("second"), named("squared"), named("feed_forward_change"));
  parts.push(node("Add", [input, named("feed_forward_change")], named("output")));
  return named("output");
}

/**
 * The networks of src/method/manifold.rs for one frame; all inputs are normalised. Inputs of the sampler: `state`,
 * `target` and `offset`, the embedding of time `time_embedding`, and the states `hidden` and `cell` of the LSTM. Inputs
 * of the manifold: `condition`, and `step` and `moves` of the interpolation, to which the sampler's predictions are
 * added. Outputs: moves and contacts `output`, the next states of the LSTM, and the change of the upper body.
 */
export function manifold(weights) {
  const sizes = manifoldSizes(weights);
  const { latent, hidden, upper } = sizes;
  const parts = [];
  addManifoldConstants(parts);
  const embedded = ENCODER_INPUTS.map((name, index) =>
    add(parts, plu(parts, layers(parts, weights, `encoders.${index}`, 2, name, plu)), "time_embedding", `${name}.row`),
  );
  const states = addLstm(parts, weights, concatenateNodes(parts, embedded, "rows"));
  const prediction = layers(parts, weights, "parse", 3, states.hidden, elu);
  const [latentChange, stepChange, movesChange, upperChange] = split(parts, prediction, [
    latent,
    sizes.step,
    sizes.moves,
    upper,
  ]);
  const step = add(parts, "step", stepChange, "step.sum");
  const moves = add(parts, "moves", movesChange, "moves.sum");
  const encoderRow = concatenateNodes(parts, ["condition", step, moves], "encoder.row");
  const [mean] = split(parts, layers(parts, weights, "manifold.encoder", 3, encoderRow, elu), [latent, latent]);
  parts.push(node("Clip", [add(parts, mean, latentChange, "latent.sum"), "latent_min", "latent_max"], "latent"));
  const decoderInput = concatenateNodes(parts, [step, "latent"], "decoder.input");
  const row = concatenateNodes(parts, ["condition", decoderInput], "decoder.row");
  gate(parts, weights, "manifold.gate", row);
  experts(parts, weights, "manifold.experts", row, "output", { appended: decoderInput });
  const inputs = {
    ...Object.fromEntries(ENCODER_INPUTS.map((name, index) => [name, weights[`inputs.${index}.mean`].shape[0]])),
    time_embedding: outputWidth(weights, "encoders.0.1"),
    hidden,
    cell: hidden,
    condition: sizes.condition,
    step: sizes.step,
    moves: sizes.moves,
  };
  const outputs = {
    output: outputWidth(weights, "manifold.experts.2"),
    [states.hidden]: hidden,
    [states.cell]: hidden,
    [upperChange]: upper,
  };
  const shapes = Object.fromEntries(Object.entries(inputs).map(([name, columns]) => [name, [1, columns]]));
  return { bytes: model("manifold", parts, inputs, outputs), shapes };
}

/** Inputs of the sampler's three encoders, in the order of the weight file. */
const ENCODER_INPUTS = ["state", "target", "offset"];

const outputWidth = (weights, layer) => weights[`${layer}.weight`].shape.at(-1);

/** Returns the numbers of columns of the latent variable, the LSTM's states, and the manifold's inputs and outputs. */
function manifoldSizes(weights) {
  const columnsOf = (name) => weights[`manifold.${name}.mean`].shape[0];
  const latent = outputWidth(weights, "manifold.encoder.2") / 2;
  const [condition, step, moves] = ["condition", "step", "moves"].map(columnsOf);
  const upper = outputWidth(weights, "parse.2") - latent - step - moves;
  return { latent, hidden: weights["recurrent.forwards.recurrent.weight"].shape[0], condition, step, moves, upper };
}

/** Adds the constants of the activation `plu`, and the range of the latent variable (MAX_LATENT in walk.rs). */
function addManifoldConstants(parts) {
  const constants = { plu_min: -1, plu_max: 1, inner_slope: 0.9, outer_slope: 0.1, latent_min: -4.5, latent_max: 4.5 };
  for (const [name, value] of Object.entries(constants)) parts.push(tensor(name, [], Float32Array.of(value)));
}

// The functions below add nodes to `parts`, and return the names of their outputs.

/** Adds `count` linear layers with an activation between them. */
function layers(parts, weights, name, count, input, activation) {
  for (let layer = 0; layer < count; layer++) {
    const output = `${name}.${layer}.out`;
    linear(parts, weights, `${name}.${layer}`, input, output);
    input = layer < count - 1 ? activation(parts, output) : output;
  }
  return input;
}

function elu(parts, name) {
  parts.push(node("Elu", [name], `${name}.elu`));
  return `${name}.elu`;
}

/** Piecewise linear unit: 0.9 · clip(x, −1, 1) + 0.1 · x. */
function plu(parts, name) {
  parts.push(
    node("Clip", [name, "plu_min", "plu_max"], `${name}.clipped`),
    node("Mul", [`${name}.clipped`, "inner_slope"], `${name}.inner`),
    node("Mul", [name, "outer_slope"], `${name}.outer`),
    node("Add", [`${name}.inner`, `${name}.outer`], `${name}.plu`),
  );
  return `${name}.plu`;
}

function add(parts, a, b, sum) {
  parts.push(node("Add", [a, b], sum));
  return sum;
}

function concatenateNodes(parts, names, output) {
  parts.push(node("Concat", names, output, { axis: 1 }));
  return output;
}

function reshape(parts, input, shape, output) {
  parts.push(node("Reshape", [input, shape], output));
  return output;
}

/** Splits the columns of a value into parts of these sizes. Returns the name of each part. */
function split(parts, input, sizes) {
  const names = sizes.map((_, index) => `${input}.${index}`);
  parts.push(integers(`${input}.sizes`, ...sizes), node("Split", [input, `${input}.sizes`], names, { axis: 1 }));
  return names;
}

/** Adds the sampler's LSTM. Returns the names of its next states: `hidden`, which is also its output, and `cell`. */
function addLstm(parts, weights, rows) {
  // Our gates are ordered (input, forget, output, candidate), ONNX's (input, output, forget, candidate).
  const reorderGates = (values) => {
    const size = values.length / 4;
    return concatenate(...[0, 2, 1, 3].map((index) => values.subarray(index * size, (index + 1) * size)));
  };
  const matrix = (name) => reorderGates(transpose(weights[`recurrent.forwards.${name}.weight`]));
  const bias = (name) => reorderGates(weights[`recurrent.forwards.${name}.bias`].values);
  const [hidden] = weights["recurrent.forwards.recurrent.weight"].shape;
  const [inputs] = weights["recurrent.forwards.input.weight"].shape;
  parts.push(
    tensor("W", [1, 4 * hidden, inputs], matrix("input")),
    tensor("R", [1, 4 * hidden, hidden], matrix("recurrent")),
    tensor("B", [1, 8 * hidden], concatenate(bias("input"), bias("recurrent"))),
    integers("sequence_shape", 1, 1, -1),
    integers("row_shape", 1, -1),
  );
  const x = reshape(parts, rows, "sequence_shape", "x");
  const h = reshape(parts, "hidden", "sequence_shape", "h");
  const c = reshape(parts, "cell", "sequence_shape", "c");
  parts.push(node("LSTM", [x, "W", "R", "B", "", h, c], ["", "h.next", "c.next"], { hidden_size: hidden }));
  return {
    hidden: reshape(parts, "h.next", "row_shape", "hidden.next"),
    cell: reshape(parts, "c.next", "row_shape", "cell.next"),
  };
}
