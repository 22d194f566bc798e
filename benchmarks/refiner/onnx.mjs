// The refiner, and the networks of controller and DC-MoE, as ONNX.
import { experts, gate, INT64, joined, linear, model, node, tensor, transposed } from "../onnx.mjs";

/**
 * The network of src/method/rmr/network.rs: raw rows `rows`, [frames, 161] → `refined`, [frames, 161], with contacts as
 * probabilities.
 */
export function refiner(weights) {
  const [columns, hidden] = weights["encoder.0.weight"].shape;
  const contacts = 4;
  const parts = [];
  // Our gates have the same order as ONNX's (update, reset, candidate), with the reset gate after the product.
  const recurrent = (layer, input, output) => {
    const both = ["forwards", "backwards"].map((name) => `${layer}.${name}`);
    const inputs = weights[`${both[0]}.input.weight`].shape[0];
    const all = (which) => joined(...both.map((cell) => transposed(weights[`${cell}.${which}.weight`])));
    const biases = both.flatMap((cell) => [
      weights[`${cell}.input.bias`].values,
      weights[`${cell}.recurrent.bias`].values,
    ]);
    parts.push(tensor(`${layer}.W`, [2, 3 * hidden, inputs], all("input")));
    parts.push(tensor(`${layer}.R`, [2, 3 * hidden, hidden], all("recurrent")));
    parts.push(tensor(`${layer}.B`, [2, 6 * hidden], joined(...biases)));
    parts.push(tensor(`${layer}.in`, [3], BigInt64Array.of(-1n, 1n, BigInt(inputs)), INT64));
    parts.push(tensor(`${layer}.out`, [2], BigInt64Array.of(-1n, BigInt(2 * hidden)), INT64));
    parts.push(node("Reshape", [input, `${layer}.in`], `${layer}.sequence`)); // [frames, batch 1, inputs]
    const options = { hidden_size: hidden, linear_before_reset: 1, direction: "bidirectional" };
    parts.push(
      node("GRU", [`${layer}.sequence`, `${layer}.W`, `${layer}.R`, `${layer}.B`], `${layer}.states`, options),
    );
    parts.push(node("Reshape", [`${layer}.states`, `${layer}.out`], output)); // [frames, 2, 1, hidden] → [frames, 2 × hidden]
  };
  const constant = (name, values) => parts.push(tensor(name, [values.length], values));
  const { values: mean } = weights["normal.mean"];
  const { values: deviation } = weights["normal.deviation"];
  constant("mean", mean);
  constant("deviation", deviation);
  parts.push(node("Sub", ["rows", "mean"], "centred"), node("Div", ["centred", "deviation"], "normal"));
  linear(parts, weights, "encoder.0", "normal", "e0");
  parts.push(node("Relu", ["e0"], "e1"));
  linear(parts, weights, "encoder.1", "e1", "e2");
  parts.push(node("Relu", ["e2"], "e3"));
  recurrent("recurrent.0", "e3", "r0");
  recurrent("recurrent.1", "r0", "r1");
  linear(parts, weights, "decoder.0", "r1", "d0");
  parts.push(node("Relu", ["d0"], "d1"));
  linear(parts, weights, "decoder.1", "d1", "change");
  // Poses are corrected, contacts are replaced.
  const poses = columns - contacts;
  parts.push(tensor("parts", [2], BigInt64Array.of(BigInt(poses), BigInt(contacts)), INT64));
  constant("poses.mean", mean.slice(0, poses));
  constant("poses.deviation", deviation.slice(0, poses));
  parts.push(node("Split", ["normal", "parts"], ["poses.in", "contacts.in"], { axis: 1 }));
  parts.push(node("Split", ["change", "parts"], ["poses.change", "logits"], { axis: 1 }));
  parts.push(
    node("Add", ["poses.in", "poses.change"], "poses.normal"),
    node("Mul", ["poses.normal", "poses.deviation"], "poses.wide"),
  );
  parts.push(node("Add", ["poses.wide", "poses.mean"], "poses"), node("Sigmoid", ["logits"], "contacts"));
  parts.push(node("Concat", ["poses", "contacts"], "refined", { axis: 1 }));
  return model("refiner", parts, { rows: columns }, { refined: columns });
}

/**
 * The network of src/method/controller.rs from `weights` of a safetensors file: normalised `input` and `gate` rows →
 * `output`. DC-MoE's has the same form. `naive`: see `experts`.
 */
export function mixture(weights, naive) {
  const parts = [];
  gate(parts, weights, "gate", "gate");
  experts(parts, weights, "experts", "input", "output", { naive });
  const [columns, outputs] = [weights["experts.0.weight"].shape[1], weights["experts.2.weight"].shape[2]];
  return model("mixture", parts, { input: columns, gate: weights["gate.0.weight"].shape[0] }, { output: outputs });
}
