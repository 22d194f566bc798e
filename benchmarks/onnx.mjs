// Writes networks as ONNX, for other runtimes. Protobuf is written by hand, because the format is five nested messages.
// Field numbers: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto

/** Reads a weight file: name → { shape, values }. Integers are multiplied by their column's scale. */
export function safetensors(bytes) {
  const head = Number(bytes.readBigUInt64LE(0));
  const { __metadata__: _, ...tensors } = JSON.parse(bytes.toString("utf8", 8, 8 + head));
  const data = ({ data_offsets: [from, to] }) => new Uint8Array(bytes.subarray(8 + head + from, 8 + head + to)).buffer;
  const entries = Object.entries(tensors).filter(([name]) => !name.endsWith(".scale"));
  return Object.fromEntries(
    entries.map(([name, entry]) => {
      const { shape, dtype } = entry;
      if (dtype === "F32") return [name, { shape, values: new Float32Array(data(entry)) }];
      if (dtype !== "I8") throw new Error(`${name} is ${dtype}: neither F32 nor I8`);
      const scales = new Float32Array(data(tensors[`${name}.scale`]));
      const columns = shape.at(-1);
      // Each of the stacked matrices has its own scales.
      const each = scales.length / columns;
      const rows = shape.slice(0, -1).reduce((product, size) => product * size, 1) / each;
      const scale = (index) => scales[Math.floor(index / (rows * columns)) * columns + (index % columns)];
      return [
        name,
        { shape, values: Float32Array.from(new Int8Array(data(entry)), (value, index) => value * scale(index)) },
      ];
    }),
  );
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

const FLOAT = 1;
export const INT64 = 7;
export const tensor = (name, shape, values, type = FLOAT) =>
  message(
    5,
    ...shape.map((size) => number(1, size)),
    number(2, type),
    block(8, name),
    block(9, new Uint8Array(values.buffer)),
  );
const attribute = (name, value) => {
  if (Array.isArray(value)) return message(5, block(1, name), ...value.map((one) => number(8, one)), number(20, 7));
  return typeof value === "number"
    ? message(5, block(1, name), number(3, value), number(20, 2))
    : message(5, block(1, name), block(4, value), number(20, 3));
};
/** `outputs`: one name or several. `attributes`: integers, lists of integers, strings. */
export const node = (type, inputs, outputs, attributes = {}) =>
  message(
    1,
    ...inputs.map((input) => block(1, input)),
    ...[outputs].flat().map((output) => block(2, output)),
    block(4, type),
    ...Object.entries(attributes).map(([name, value]) => attribute(name, value)),
  );
/** A graph's input (field 11) or output (12), [rows, columns]. */
const rows = (field, name, columns) =>
  message(
    field,
    block(1, name),
    message(
      2,
      message(1, number(1, FLOAT), message(2, message(1, block(2, "frames")), message(1, number(1, columns)))),
    ),
  );

/** Transposes [rows, columns] → [columns, rows], row-major. */
export function transposed({ shape: [rows, columns], values }) {
  return Float32Array.from(values, (_, index) => values[(index % rows) * columns + Math.floor(index / rows)]);
}

export function joined(...arrays) {
  const all = new Float32Array(arrays.reduce((sum, array) => sum + array.length, 0));
  arrays.reduce((at, array) => (all.set(array, at), at + array.length), 0);
  return all;
}

/** A linear layer of a weight file; adds its tensors to `parts`. */
export function linear(parts, weights, layer, input, output) {
  const { shape, values } = weights[`${layer}.weight`];
  parts.push(
    tensor(`${layer}.weight`, shape, values),
    tensor(`${layer}.bias`, [shape[1]], weights[`${layer}.bias`].values),
  );
  parts.push(node("Gemm", [input, `${layer}.weight`, `${layer}.bias`], output));
}

/** A complete file. `inputs` and `outputs`: names with their columns. */
export function model(name, parts, inputs, outputs) {
  const ends = [
    [11, inputs],
    [12, outputs],
  ].flatMap(([field, all]) => Object.entries(all).map(([name, columns]) => rows(field, name, columns)));
  return Buffer.concat([
    number(1, 8),
    block(2, "kinestitch"),
    message(7, ...parts, block(2, name), ...ends),
    message(8, number(2, 17)),
  ]);
}

/** A gate with three layers: `row` → `shares`. */
export function gate(parts, weights, name, row) {
  [0, 1, 2].forEach((layer) => {
    linear(parts, weights, `${name}.${layer}`, row, `${name}.${layer}.out`);
    row = layer < 2 ? `${name}.${layer}.elu` : "shares";
    parts.push(
      layer < 2
        ? node("Elu", [`${name}.${layer}.out`], row)
        : node("Softmax", [`${name}.${layer}.out`], row, { axis: 1 }),
    );
  });
}

/**
 * Three layers of experts blended by `shares`: `row` → `output`. `told`, if given, is appended to the hidden rows too.
 * With `naive`, as in the papers, every layer's weights are blended and then multiplied with the row. Otherwise a blend
 * is one product: the row, repeated per expert and multiplied by its share.
 */
export function experts(parts, weights, name, row, output, { told, naive = false } = {}) {
  const [count] = weights[`${name}.0.weight`].shape;
  const whole = (name, ...sizes) => parts.push(tensor(name, [sizes.length], BigInt64Array.from(sizes, BigInt), INT64));
  if (!naive) {
    whole("tall", -1, count, 1);
    parts.push(node("Reshape", ["shares", "tall"], "shares.tall"));
  }
  [0, 1, 2].forEach((layer) => {
    const {
      shape: [, inputs, outputs],
      values,
    } = weights[`${name}.${layer}.weight`];
    const at = (what) => `${name}.${layer}.${what}`;
    parts.push(tensor(at("weight"), naive ? [count, inputs * outputs] : [count * inputs, outputs], values));
    parts.push(
      tensor(at("bias"), [count, outputs], weights[at("bias")].values),
      node("MatMul", ["shares", at("bias")], at("blend")),
    );
    const out = layer < 2 ? at("out") : output;
    if (naive) {
      whole(at("matrix"), inputs, outputs);
      parts.push(
        node("MatMul", ["shares", at("weight")], at("blended")),
        node("Reshape", [at("blended"), at("matrix")], at("mixed")),
      );
      parts.push(node("Gemm", [row, at("mixed"), at("blend")], out));
    } else {
      whole(at("flat"), -1, count * inputs);
      whole(at("wide"), -1, 1, inputs);
      parts.push(node("Reshape", [row, at("wide")], at("row")), node("Mul", ["shares.tall", at("row")], at("copies")));
      parts.push(
        node("Reshape", [at("copies"), at("flat")], at("spread")),
        node("Gemm", [at("spread"), at("weight"), at("blend")], out),
      );
    }
    if (layer === 2) return;
    parts.push(node("Elu", [at("out")], (row = at("elu"))));
    if (told) parts.push(node("Concat", [row, told], (row = at("told")), { axis: 1 }));
  });
}
