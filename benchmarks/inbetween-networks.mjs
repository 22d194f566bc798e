// The gap-filling networks as ONNX: one pass of the delta in-betweener, one frame of the manifold's.
import { experts, gate, INT64, joined, linear, model, node, tensor, transposed } from "./onnx.mjs";

/**
 * src/method/delta.rs: normalised rows of `windows` gaps, [windows × tokens, columns] → rows of the gaps. Only the rows
 * are inputs; the bias per distance is a constant. `past`, `gap`, `target`: frames of a window.
 */
export function delta(weights, { heads, windows, past, gap, target }) {
  const [columns, width] = weights["input.weight"].shape;
  const [tokens, size] = [past + gap + target, width / heads];
  const parts = [];
  const whole = (name, ...sizes) => parts.push(tensor(name, [sizes.length], BigInt64Array.from(sizes, BigInt), INT64));
  whole("split", -1, tokens, 3, heads, size);
  whole("each", 1, 1, 1);
  whole("rows", -1, width);
  whole("windows", -1, tokens, width);
  whole("first", past);
  whole("last", past + gap);
  whole("along", 1);
  parts.push(tensor("scale", [1], Float32Array.of(1 / Math.sqrt(size))));
  parts.push(tensor("one", [width], new Float32Array(width).fill(1)), tensor("none", [width], new Float32Array(width)));
  const normalised = (from, to) => parts.push(node("LayerNormalization", [from, "one", "none"], to, { axis: 1 }));
  linear(parts, weights, "input", "input", "tokens");
  let last = "tokens";
  for (let layer = 0; weights[`layers.${layer}.qkv.weight`]; layer++) {
    const at = (what) => `layers.${layer}.${what}`;
    const {
      shape: [, distances],
      values,
    } = weights[at("distance")];
    const reach = (distances - 1) / 2;
    const bias = Float32Array.from({ length: heads * tokens * tokens }, (_, index) => {
      const [key, query, head] = [
        index % tokens,
        Math.floor(index / tokens) % tokens,
        Math.floor(index / tokens / tokens),
      ];
      return values[head * distances + Math.min(Math.max(key + reach - query, 0), 2 * reach)];
    });
    parts.push(tensor(at("distances"), [1, 1, heads, tokens, tokens], bias));
    normalised(last, at("normal"));
    linear(parts, weights, at("qkv"), at("normal"), at("all"));
    parts.push(
      node("Reshape", [at("all"), "split"], at("heads")),
      node("Transpose", [at("heads")], at("three"), { perm: [2, 0, 3, 1, 4] }),
    );
    parts.push(node("Split", [at("three"), "each"], [at("q"), at("k"), at("v")], { axis: 0 }));
    parts.push(
      node("Transpose", [at("k")], at("turned"), { perm: [0, 1, 2, 4, 3] }),
      node("MatMul", [at("q"), at("turned")], at("dots")),
    );
    parts.push(
      node("Mul", [at("dots"), "scale"], at("scaled")),
      node("Add", [at("scaled"), at("distances")], at("scores")),
    );
    parts.push(
      node("Softmax", [at("scores")], at("shares"), { axis: 4 }),
      node("MatMul", [at("shares"), at("v")], at("mixed")),
    );
    parts.push(
      node("Transpose", [at("mixed")], at("back"), { perm: [0, 1, 3, 2, 4] }),
      node("Reshape", [at("back"), "rows"], at("flat")),
    );
    linear(parts, weights, at("out"), at("flat"), at("added"));
    parts.push(node("Add", [last, at("added")], at("between")));
    normalised(at("between"), at("again"));
    linear(parts, weights, at("first"), at("again"), at("wide"));
    parts.push(node("Relu", [at("wide")], at("positive")), node("Mul", [at("positive"), at("positive")], at("inner")));
    linear(parts, weights, at("second"), at("inner"), at("more"));
    parts.push(node("Add", [at("between"), at("more")], (last = at("end"))));
  }
  parts.push(node("Reshape", [last, "windows"], "apart"), node("Slice", ["apart", "first", "last", "along"], "gaps"));
  parts.push(node("Reshape", ["gaps", "rows"], "made"));
  normalised("made", "ready");
  linear(parts, weights, "output", "ready", "output");
  return {
    bytes: model("delta", parts, { input: columns }, { output: weights["output.weight"].shape[1] }),
    shapes: { input: [windows * tokens, columns] },
  };
}

/**
 * src/method/manifold: one frame with normalised inputs. Sampler: `state`, `target` and `offset` with their time
 * embedding `told`, and `hidden` and `cell` of the LSTM. Manifold: `condition`, and `step` and `moves` of the
 * interpolation, to which the sampler's output is added.
 */
export function manifold(weights) {
  const parts = [];
  const single = (name, value) => parts.push(tensor(name, [], Float32Array.of(value)));
  const layers = (name, count, input, between) => {
    for (let layer = 0; layer < count; layer++) {
      linear(parts, weights, `${name}.${layer}`, input, `${name}.${layer}.out`);
      input = layer < count - 1 ? between(`${name}.${layer}.out`) : `${name}.${layer}.out`;
    }
    return input;
  };
  const elu = (name) => (parts.push(node("Elu", [name], `${name}.elu`)), `${name}.elu`);
  const plu = (name) => {
    parts.push(
      node("Clip", [name, "least", "most"], `${name}.within`),
      node("Mul", [`${name}.within`, "much"], `${name}.much`),
    );
    parts.push(
      node("Mul", [name, "little"], `${name}.little`),
      node("Add", [`${name}.much`, `${name}.little`], `${name}.plu`),
    );
    return `${name}.plu`;
  };
  const cut = (from, sizes) => {
    parts.push(tensor(`${from}.sizes`, [sizes.length], BigInt64Array.from(sizes, BigInt), INT64));
    const names = sizes.map((_, index) => `${from}.${index}`);
    parts.push(node("Split", [from, `${from}.sizes`], names, { axis: 1 }));
    return names;
  };
  const add = (a, b, name) => (parts.push(node("Add", [a, b], name)), name);
  const cat = (names, name) => (parts.push(node("Concat", names, name, { axis: 1 })), name);
  Object.entries({ least: -1, most: 1, much: 0.9, little: 0.1, lowest: -4.5, highest: 4.5 }).forEach(([name, value]) =>
    single(name, value),
  );
  const width = (name) => weights[`${name}.weight`].shape.at(-1);
  const embedded = ["state", "target", "offset"].map((name, index) =>
    add(plu(layers(`encoders.${index}`, 2, name, plu)), "told", `${name}.told`),
  );
  const [hidden, inputs] = [weights["recurrent.forwards.recurrent.weight"].shape[0], 3 * width("encoders.0.1")];
  // Our gates are ordered (input, forget, output, candidate), ONNX's (input, output, forget, candidate).
  const gates = (values) => {
    const size = values.length / 4;
    return joined(...[0, 2, 1, 3].map((index) => values.subarray(index * size, (index + 1) * size)));
  };
  const matrix = (name) => gates(transposed(weights[`recurrent.forwards.${name}.weight`]));
  const bias = (name) => gates(weights[`recurrent.forwards.${name}.bias`].values);
  parts.push(
    tensor("W", [1, 4 * hidden, inputs], matrix("input")),
    tensor("R", [1, 4 * hidden, hidden], matrix("recurrent")),
  );
  parts.push(tensor("B", [1, 8 * hidden], joined(bias("input"), bias("recurrent"))));
  parts.push(
    tensor("sequence", [3], BigInt64Array.of(1n, 1n, -1n), INT64),
    tensor("flat", [2], BigInt64Array.of(1n, -1n), INT64),
  );
  const shaped = (from, shape, to) => (parts.push(node("Reshape", [from, shape], to)), to);
  const [rows, h, c] = [
    shaped(cat(embedded, "rows"), "sequence", "x"),
    shaped("hidden", "sequence", "h"),
    shaped("cell", "sequence", "c"),
  ];
  parts.push(node("LSTM", [rows, "W", "R", "B", "", h, c], ["", "h.next", "c.next"], { hidden_size: hidden }));
  const next = { hidden: shaped("h.next", "flat", "hidden.next"), cell: shaped("c.next", "flat", "cell.next") };
  const said = layers("parse", 3, next.hidden, elu);
  const latent = width("manifold.encoder.2") / 2;
  const [step, moves] = [weights["manifold.step.mean"], weights["manifold.moves.mean"]].map(({ shape }) => shape[0]);
  const top = width("parse.2") - latent - step - moves;
  const [pushed, ...changes] = cut(said, [latent, step, moves, top]);
  const [ownStep, ownMoves] = ["step", "moves"].map((name, index) => add(name, changes[index], `${name}.own`));
  const [mean] = cut(layers("manifold.encoder", 3, cat(["condition", ownStep, ownMoves], "seen"), elu), [
    latent,
    latent,
  ]);
  parts.push(node("Clip", [add(mean, pushed, "point"), "lowest", "highest"], "latent"));
  const row = cat(["condition", cat([ownStep, "latent"], "told.both")], "asked");
  gate(parts, weights, "manifold.gate", row);
  experts(parts, weights, "manifold.experts", row, "output", { told: "told.both" });
  const condition = weights["manifold.condition.mean"].shape[0];
  const columns = ["state", "target", "offset"].map((name, index) => [name, weights[`inputs.${index}.mean`].shape[0]]);
  const ends = {
    ...Object.fromEntries(columns),
    told: width("encoders.0.1"),
    hidden,
    cell: hidden,
    condition,
    step,
    moves,
  };
  const outputs = {
    output: width("manifold.experts.2"),
    "hidden.next": hidden,
    "cell.next": hidden,
    [changes[2]]: top,
  };
  const shapes = Object.fromEntries(Object.entries(ends).map(([name, count]) => [name, [1, count]]));
  return { bytes: model("manifold", parts, ends, outputs), shapes };
}
