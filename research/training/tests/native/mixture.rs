//! Comparison of the tensor form of a mixture of experts with its packed form.

use burn::tensor::Device;
use kinestitch::nn::device::values;
use kinestitch::nn::mixture::{Buffers, Sizes};
use training::experts::{Mixture, matrix};

/// Asserts that both forms give the same output and the same weights of the experts. `input`, `gate`: raw rows,
/// [rows × input] and [rows × gate]. `packed`: evaluates one row, see [`kinestitch::nn::mixture::PackedMixture::run`].
/// Returns the packed output, [rows × output].
pub fn assert_same_output(
    model: &Mixture,
    sizes: &Sizes,
    [mut input, mut gate]: [Vec<f32>; 2],
    packed: impl Fn(&mut [f32], &mut [f32], &mut [f32], &mut Buffers),
) -> Vec<f32> {
    let device = Device::flex();
    let [input_tensor, gate_tensor] =
        model.normalise(matrix(input.clone(), sizes.input, &device), matrix(gate.clone(), sizes.gate, &device));
    let tensor_shares = values(model.shares(gate_tensor.clone())).unwrap();
    let tensor_out = values(model.output().denormalise(model.forward(input_tensor, gate_tensor, &[]))).unwrap();
    let mut buffers = Buffers::default();
    let mut out = vec![0.0; tensor_out.len()];
    let rows = input.chunks_exact_mut(sizes.input).zip(gate.chunks_exact_mut(sizes.gate));
    for (row, ((input, gate), out)) in rows.zip(out.chunks_exact_mut(sizes.output)).enumerate() {
        packed(input, gate, out, &mut buffers);
        let expected_out = &tensor_out[row * sizes.output..][..sizes.output];
        assert!(out.iter().zip(expected_out).all(|(a, b)| (a - b).abs() < 1e-4), "output of row {row}");
        let expected_shares = &tensor_shares[row * sizes.experts..][..sizes.experts];
        assert_eq!(buffers.expert_weights.len(), sizes.experts);
        let mut expert_weights = buffers.expert_weights.iter().zip(expected_shares);
        assert!(expert_weights.all(|(a, b)| (a - b).abs() < 1e-5), "expert weights of row {row}");
    }
    out
}
