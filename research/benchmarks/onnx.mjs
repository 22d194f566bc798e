// Reads weight files and writes networks as ONNX, for the benchmarks with onnxruntime. ONNX files are protobuf
// messages; they are encoded here, because only a few kinds are needed. The numbers in the code are field numbers of
// https://github.com/onnx/onnx/blob/main/onnx/onnx.proto

/** Reads a weight file: name → { shape, values }. Int8 weights are multiplied by their column's scale. */
export function safetensors(bytes) {
  const headerLength = Number(bytes.readBigUInt64LE(0));
  const dataStart = 8 + headerLength;
  const { __metadata__: _, ...tensors } = JSON.parse(bytes.toString("utf8", 8, dataStart));
  const data = ({ data_offsets: [from, to] }) =>
    new Uint8Array(bytes.subarray(dataStart + from, dataStart + to)).buffer;
  const entries = Object.entries(tensors).filter(([name]) => !name.endsWith(".scale"));
  return Object.fromEntries(
    entries.map(([name, entry]) => {
      const { shape, dtype } = entry;
      if (dtype === "F32") return [name, { shape, values: new Float32Array(data(entry)) }];
      if (dtype !== "I8") throw new Error(`${name} is ${dtype}: neither F32 nor I8`);
      const scales = new Float32Array(data(tensors[`${name}.scale`]));
      const columns = shape.at(-1);
      // A tensor of several matrices, such as one per expert, has the scales of each matrix in turn.
      const matrixCount = scales.length / columns;
      const rows = shape.slice(0, -1).reduce((product, size) => product * size, 1) / matrixCount;
      const scaleOf = (index) => scales[Math.floor(index / (rows * columns)) * columns + (index % columns)];
      return [
        name,
        { shape, values: Float32Array.from(new Int8Array(data(entry)), (value, index) => value * scaleOf(index)) },
      ];
    }),
  );
}

// Encoding of protobuf: a field is its number and wire type, followed by an integer (type 0), or by a length and as
// many bytes (type 2).
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

/** Element types of TensorProto.DataType. */
const FLOAT = 1;
const INT64 = 7;
/** A constant of the graph (GraphProto.initializer). `type`: an element type, `FLOAT` or `INT64`. */
export const tensor = (name, shape, values, type = FLOAT) =>
  message(
    5,
    ...shape.map((size) => number(1, size)),
    number(2, type),
    block(8, name),
    block(9, new Uint8Array(values.buffer)),
  );
/** A constant list of integers: a shape, sizes, or an index. */
export const integers = (name, ...values) => tensor(name, [values.length], BigInt64Array.from(values, BigInt), INT64);
/** Attribute of a node: `value` is a list of integers (type 7), an integer (type 2) or a string (type 3). */
const attribute = (name, value) => {
  if (Array.isArray(value))
    return message(5, block(1, name), ...value.map((integer) => number(8, integer)), number(20, 7));
  return typeof value === "number"
    ? message(5, block(1, name), number(3, value), number(20, 2))
    : message(5, block(1, name), block(4, value), number(20, 3));
};
/** A node of the graph. `outputs`: one name or several. `attributes`: integers, lists of integers, strings. */
export const node = (type, inputs, outputs, attributes = {}) =>
  message(
    1,
    ...inputs.map((input) => block(1, input)),
    ...[outputs].flat().map((output) => block(2, output)),
    block(4, type),
    ...Object.entries(attributes).map(([name, value]) => attribute(name, value)),
  );
/** A graph's input (field 11) or output (12), [frames, columns] with any number of frames. */
const matrixInfo = (field, name, columns) =>
  message(
    field,
    block(1, name),
    message(
      2,
      message(1, number(1, FLOAT), message(2, message(1, block(2, "frames")), message(1, number(1, columns)))),
    ),
  );

/** Transposes a matrix, [rows, columns] → [columns, rows], row-major. */
export function transpose({ shape: [rows, columns], values }) {
  return Float32Array.from(values, (_, index) => values[(index % rows) * columns + Math.floor(index / rows)]);
}

/** Concatenates arrays of numbers. */
export function concatenate(...arrays) {
  const result = new Float32Array(arrays.reduce((sum, array) => sum + array.length, 0));
  arrays.reduce((offset, array) => (result.set(array, offset), offset + array.length), 0);
  return result;
}

/** Adds a linear layer and its tensors, from a weight file, to `parts`. */
export function linear(parts, weights, layer, input, output) {
  const { shape, values } = weights[`${layer}.weight`];
  parts.push(
    tensor(`${layer}.weight`, shape, values),
    tensor(`${layer}.bias`, [shape[1]], weights[`${layer}.bias`].values),
  );
  parts.push(node("Gemm", [input, `${layer}.weight`, `${layer}.bias`], output));
}

/** Returns the bytes of a complete ONNX file. `inputs` and `outputs`: names with their numbers of columns. */
export function model(name, parts, inputs, outputs) {
  const inputsAndOutputs = [
    [11, inputs],
    [12, outputs],
  ].flatMap(([field, values]) => Object.entries(values).map(([name, columns]) => matrixInfo(field, name, columns)));
  return Buffer.concat([
    number(1, 8), // version of the format
    block(2, "kinestitch"),
    message(7, ...parts, block(2, name), ...inputsAndOutputs),
    message(8, number(2, 17)), // version of the operators
  ]);
}

/** Adds the gate of a mixture of experts, three layers: `row` → `expert_weights`. */
export function gate(parts, weights, name, row) {
  [0, 1, 2].forEach((layer) => {
    linear(parts, weights, `${name}.${layer}`, row, `${name}.${layer}.out`);
    row = layer < 2 ? `${name}.${layer}.elu` : "expert_weights";
    parts.push(
      layer < 2
        ? node("Elu", [`${name}.${layer}.out`], row)
        : node("Softmax", [`${name}.${layer}.out`], row, { axis: 1 }),
    );
  });
}

/**
 * Adds three layers of experts blended by `expert_weights`: `row` → `output`. `appended`, if given, is appended to the
 * inputs of the second and third layer. With `naive`, as in the papers, the matrices of the experts are blended in each
 * layer, and the result is multiplied by the row. Otherwise a layer is one product: the stacked matrices of all experts
 * are multiplied by the row, which is repeated for each expert and scaled by the weight of that expert.
 */
export function experts(parts, weights, name, row, output, { appended, naive = false } = {}) {
  const [count] = weights[`${name}.0.weight`].shape;
  if (!naive) {
    parts.push(integers("expert_column_shape", -1, count, 1));
    parts.push(node("Reshape", ["expert_weights", "expert_column_shape"], "expert_column"));
  }
  [0, 1, 2].forEach((layer) => {
    const {
      shape: [, inputs, outputs],
      values,
    } = weights[`${name}.${layer}.weight`];
    const named = (suffix) => `${name}.${layer}.${suffix}`;
    parts.push(tensor(named("weight"), naive ? [count, inputs * outputs] : [count * inputs, outputs], values));
    parts.push(
      tensor(named("bias"), [count, outputs], weights[named("bias")].values),
      node("MatMul", ["expert_weights", named("bias")], named("blended_bias")),
    );
    const layerOutput = layer < 2 ? named("out") : output;
    if (naive) {
      parts.push(
        integers(named("matrix_shape"), inputs, outputs),
        node("MatMul", ["expert_weights", named("weight")], named("blended_weight")),
        node("Reshape", [named("blended_weight"), named("matrix_shape")], named("matrix")),
        node("Gemm", [row, named("matrix"), named("blended_bias")], layerOutput),
      );
    } else {
      parts.push(
        integers(named("row_shape"), -1, 1, inputs),
        integers(named("copies_shape"), -1, count * inputs),
        node("Reshape", [row, named("row_shape")], named("row")),
        node("Mul", ["expert_column", named("row")], named("weighted_rows")),
        node("Reshape", [named("weighted_rows"), named("copies_shape")], named("copies")),
        node("Gemm", [named("copies"), named("weight"), named("blended_bias")], layerOutput),
      );
    }
    if (layer === 2) return;
    parts.push(node("Elu", [named("out")], (row = named("elu"))));
    if (appended) parts.push(node("Concat", [row, appended], (row = named("appended")), { axis: 1 }));
  });
}
