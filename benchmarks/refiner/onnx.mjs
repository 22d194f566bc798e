// The refiner, and the controller's network, as ONNX, for other runtimes: protobuf written by hand, since the format is five nested messages.
// Field numbers: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto

/** Reads a safetensors file of float32: name → { shape, values }. */
export function safetensors(bytes) {
  const head = Number(bytes.readBigUInt64LE(0));
  const { __metadata__: _, ...tensors } = JSON.parse(bytes.toString("utf8", 8, 8 + head));
  const entries = Object.entries(tensors);
  return Object.fromEntries(entries.map(([name, { shape, data_offsets: [from, to] }]) => {
    const data = bytes.subarray(8 + head + from, 8 + head + to);
    return [name, { shape, values: new Float32Array(new Uint8Array(data).buffer) }];
  }));
}

const varint = (value) => {
  const bytes = [];
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) | 128);
  return Buffer.from([...bytes, value]);
};
const number = (field, value) => Buffer.concat([varint(field * 8), varint(value)]);
const block = (field, content) => {
  const bytes = Buffer.from(content);
  return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
};
const message = (field, ...parts) => block(field, Buffer.concat(parts));

const FLOAT = 1, INT64 = 7;
const tensor = (name, shape, values, type = FLOAT) =>
  message(5, ...shape.map((size) => number(1, size)), number(2, type), block(8, name), block(9, new Uint8Array(values.buffer)));
const attribute = (name, value) =>
  typeof value === "number"
    ? message(5, block(1, name), number(3, value), number(20, 2))
    : message(5, block(1, name), block(4, value), number(20, 3));
/** `outputs`: one name or several. */
const node = (type, inputs, outputs, attributes = {}) =>
  message(1, ...inputs.map((input) => block(1, input)), ...[outputs].flat().map((output) => block(2, output)), block(4, type),
    ...Object.entries(attributes).map(([name, value]) => attribute(name, value)));
/** A graph's input (field 11) or output (12), [frames, columns]. */
const rows = (field, name, columns) =>
  message(field, block(1, name), message(2, message(1, number(1, FLOAT),
    message(2, message(1, block(2, "frames")), message(1, number(1, columns))))));

/** [rows, columns] → [columns, rows], row after row. */
function transposed({ shape: [rows, columns], values }) {
  return Float32Array.from(values, (_, index) => values[(index % rows) * columns + Math.floor(index / rows)]);
}

function joined(...arrays) {
  const all = new Float32Array(arrays.reduce((sum, array) => sum + array.length, 0));
  arrays.reduce((at, array) => (all.set(array, at), at + array.length), 0);
  return all;
}

/** The network of src/method/rmr/network.rs: raw rows `rows`, [frames, 161] → `refined`, [frames, 161], contacts as
 *  probabilities. */
export function refiner(weights) {
  const [columns, hidden] = weights["encoder.0.weight"].shape;
  const contacts = 4;
  const parts = [];
  const linear = (layer, input, output) => {
    const { shape, values } = weights[`${layer}.weight`];
    parts.push(tensor(`${layer}.weight`, shape, values), tensor(`${layer}.bias`, [shape[1]], weights[`${layer}.bias`].values));
    parts.push(node("Gemm", [input, `${layer}.weight`, `${layer}.bias`], output));
  };
  // Ours and ONNX's gates stand alike (update, reset, candidate), with the reset gate after the product.
  const recurrent = (layer, input, output) => {
    const both = ["forwards", "backwards"].map((name) => `${layer}.${name}`);
    const inputs = weights[`${both[0]}.input.weight`].shape[0];
    const all = (which) => joined(...both.map((cell) => transposed(weights[`${cell}.${which}.weight`])));
    const biases = both.flatMap((cell) => [weights[`${cell}.input.bias`].values, weights[`${cell}.recurrent.bias`].values]);
    parts.push(tensor(`${layer}.W`, [2, 3 * hidden, inputs], all("input")));
    parts.push(tensor(`${layer}.R`, [2, 3 * hidden, hidden], all("recurrent")));
    parts.push(tensor(`${layer}.B`, [2, 6 * hidden], joined(...biases)));
    parts.push(tensor(`${layer}.in`, [3], BigInt64Array.of(-1n, 1n, BigInt(inputs)), INT64));
    parts.push(tensor(`${layer}.out`, [2], BigInt64Array.of(-1n, BigInt(2 * hidden)), INT64));
    parts.push(node("Reshape", [input, `${layer}.in`], `${layer}.sequence`)); // [frames, batch 1, inputs]
    const options = { hidden_size: hidden, linear_before_reset: 1, direction: "bidirectional" };
    parts.push(node("GRU", [`${layer}.sequence`, `${layer}.W`, `${layer}.R`, `${layer}.B`], `${layer}.states`, options));
    parts.push(node("Reshape", [`${layer}.states`, `${layer}.out`], output)); // [frames, 2, 1, hidden] → [frames, 2 × hidden]
  };
  const constant = (name, values) => parts.push(tensor(name, [values.length], values));
  const { values: mean } = weights["normal.mean"];
  const { values: deviation } = weights["normal.deviation"];
  constant("mean", mean);
  constant("deviation", deviation);
  parts.push(node("Sub", ["rows", "mean"], "centred"), node("Div", ["centred", "deviation"], "normal"));
  linear("encoder.0", "normal", "e0");
  parts.push(node("Relu", ["e0"], "e1"));
  linear("encoder.1", "e1", "e2");
  parts.push(node("Relu", ["e2"], "e3"));
  recurrent("recurrent.0", "e3", "r0");
  recurrent("recurrent.1", "r0", "r1");
  linear("decoder.0", "r1", "d0");
  parts.push(node("Relu", ["d0"], "d1"));
  linear("decoder.1", "d1", "change");
  // Poses are corrected, contacts written.
  const poses = columns - contacts;
  parts.push(tensor("parts", [2], BigInt64Array.of(BigInt(poses), BigInt(contacts)), INT64));
  constant("poses.mean", mean.slice(0, poses));
  constant("poses.deviation", deviation.slice(0, poses));
  parts.push(node("Split", ["normal", "parts"], ["poses.in", "contacts.in"], { axis: 1 }));
  parts.push(node("Split", ["change", "parts"], ["poses.change", "logits"], { axis: 1 }));
  parts.push(node("Add", ["poses.in", "poses.change"], "poses.normal"), node("Mul", ["poses.normal", "poses.deviation"], "poses.wide"));
  parts.push(node("Add", ["poses.wide", "poses.mean"], "poses"), node("Sigmoid", ["logits"], "contacts"));
  parts.push(node("Concat", ["poses", "contacts"], "refined", { axis: 1 }));
  const graph = message(7, ...parts, block(2, "refiner"), rows(11, "rows", columns), rows(12, "refined", columns));
  return Buffer.concat([number(1, 8), block(2, "kinestitch"), graph, message(8, number(2, 17))]);
}

/** The network of src/method/controller.rs with these parameters, as `weights` of a safetensors file: `input` and `gate`, normalised
 *  rows, → `output`. A blend of experts is one product: the row, copied once for every expert, times its share. */
export function controller(weights) {
  const parts = [];
  const put = (name, shape, values) => (parts.push(tensor(name, shape, values)), name);
  const layers = (kind) => [0, 1, 2].map((layer) => [weights[`${kind}.${layer}.weight`], weights[`${kind}.${layer}.bias`]]);
  let last = "gate";
  layers("gate").forEach(([weight, bias], layer) => {
    const [W, b] = [put(`gate.${layer}.weight`, weight.shape, weight.values), put(`gate.${layer}.bias`, bias.shape, bias.values)];
    parts.push(node("Gemm", [last, W, b], `g${layer}`));
    last = layer < 2 ? `g${layer}.elu` : "shares";
    parts.push(layer < 2 ? node("Elu", [`g${layer}`], last) : node("Softmax", [`g${layer}`], last, { axis: 1 }));
  });
  const [{ shape: [experts, columns] }] = layers("experts")[0];
  parts.push(tensor("tall", [3], BigInt64Array.of(-1n, BigInt(experts), 1n), INT64), node("Reshape", ["shares", "tall"], "shares.tall"));
  last = "input";
  layers("experts").forEach(([{ shape: [, inputs, outputs], values }, bias], layer) => {
    parts.push(tensor(`flat.${layer}`, [2], BigInt64Array.of(-1n, BigInt(experts * inputs)), INT64));
    parts.push(tensor(`wide.${layer}`, [3], BigInt64Array.of(-1n, 1n, BigInt(inputs)), INT64));
    parts.push(node("Reshape", [last, `wide.${layer}`], `row.${layer}`), node("Mul", ["shares.tall", `row.${layer}`], `copies.${layer}`));
    parts.push(node("Reshape", [`copies.${layer}`, `flat.${layer}`], `spread.${layer}`));
    parts.push(node("MatMul", ["shares", put(`experts.${layer}.bias`, [experts, outputs], bias.values)], `blend.${layer}`));
    parts.push(node("Gemm", [`spread.${layer}`, put(`experts.${layer}.weight`, [experts * inputs, outputs], values), `blend.${layer}`], layer < 2 ? `e${layer}` : "output"));
    if (layer < 2) parts.push(node("Elu", [`e${layer}`], (last = `e${layer}.elu`)));
  });
  const [gate, output] = [weights["gate.0.weight"].shape[0], weights["experts.2.weight"].shape[2]];
  const graph = message(7, ...parts, block(2, "controller"), rows(11, "input", columns), rows(11, "gate", gate), rows(12, "output", output));
  return Buffer.concat([number(1, 8), block(2, "kinestitch"), graph, message(8, number(2, 17))]);
}
