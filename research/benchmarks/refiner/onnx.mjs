// Networks as ONNX: the refiner for run.mjs, and the mixture of experts of controller and DC-MoE for control-onnx.mjs
// and inbetween-onnx.mjs.
import { concatenate, experts, gate, integers, linear, model, node, tensor, transpose } from "../onnx.mjs";

/**
 * The network of src/method/rmr/network.rs. Input: `rows`, [frames, 161], not normalised. Output: `refined`, [frames,
 * 161], with contacts as probabilities. `weights`: from `safetensors`.
 */
export function refiner(weights) {
  const [columns, hidden] = weights["encoder.0.weight"].shape;
  const contacts = 4;
  const parts = [];
  // A bidirectional GRU. The gates have the order of ONNX (update, reset, candidate). The reset gate is applied after
  // the product with the recurrent weights, therefore `linear_before_reset`.
  const recurrent = (layer, input, output) => {
    const cells = ["forwards", "backwards"].map((direction) => `${layer}.${direction}`);
    const inputs = weights[`${cells[0]}.input.weight`].shape[0];
    const matrices = (kind) => concatenate(...cells.map((cell) => transpose(weights[`${cell}.${kind}.weight`])));
    const biases = cells.flatMap((cell) => [
      weights[`${cell}.input.bias`].values,
      weights[`${cell}.recurrent.bias`].values,
    ]);
    parts.push(tensor(`${layer}.W`, [2, 3 * hidden, inputs], matrices("input")));
    parts.push(tensor(`${layer}.R`, [2, 3 * hidden, hidden], matrices("recurrent")));
    parts.push(tensor(`${layer}.B`, [2, 6 * hidden], concatenate(...biases)));
    parts.push(integers(`${layer}.in`, -1, 1, inputs));
    parts.push(integers(`${layer}.out`, -1, 2 * hidden));
    parts.push(node("Reshape", [input, `${layer}.in`], `${layer}.sequence`)); // [frames, batch 1, inputs]
    const attributes = { hidden_size: hidden, linear_before_reset: 1, direction: "bidirectional" };
    parts.push(
      node("GRU", [`${layer}.sequence`, `${layer}.W`, `${layer}.R`, `${layer}.B`], `${layer}.states`, attributes),
    );
    // [frames, 2, 1, hidden] → [frames, 2 × hidden]
    parts.push(node("Reshape", [`${layer}.states`, `${layer}.out`], output));
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
  // The output of the decoder is added to the poses, but replaces the contacts (as logits).
  const poseColumns = columns - contacts;
  parts.push(integers("split_sizes", poseColumns, contacts));
  constant("poses.mean", mean.slice(0, poseColumns));
  constant("poses.deviation", deviation.slice(0, poseColumns));
  parts.push(node("Split", ["normal", "split_sizes"], ["poses.in", "contacts.in"], { axis: 1 }));
  parts.push(node("Split", ["change", "split_sizes"], ["poses.change", "logits"], { axis: 1 }));
  parts.push(
    node("Add", ["poses.in", "poses.change"], "poses.normal"),
    node("Mul", ["poses.normal", "poses.deviation"], "poses.scaled"),
  );
  parts.push(node("Add", ["poses.scaled", "poses.mean"], "poses"), node("Sigmoid", ["logits"], "contacts"));
  parts.push(node("Concat", ["poses", "contacts"], "refined", { axis: 1 }));
  return model("refiner", parts, { rows: columns }, { refined: columns });
}

/**
 * The network of src/nn/mixture.rs, for the controller and DC-MoE. Inputs: `input`, the normalised row of the experts,
 * and `gate`, the normalised row of the gate. Output: `output`. `weights`: from `safetensors`. `naive`: see `experts`
 * in ../onnx.mjs.
 */
export function mixture(weights, naive) {
  const parts = [];
  gate(parts, weights, "gate", "gate");
  experts(parts, weights, "experts", "input", "output", { naive });
  const [columns, outputs] = [weights["experts.0.weight"].shape[1], weights["experts.2.weight"].shape[2]];
  return model("mixture", parts, { input: columns, gate: weights["gate.0.weight"].shape[0] }, { output: outputs });
}
