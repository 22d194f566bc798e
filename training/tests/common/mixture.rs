//! Comparison of the tensor form of a mixture of experts with its packed form.

use burn::tensor::Device;
use kinestitch::nn::device::values;
use kinestitch::nn::mixture::{Buffers, Sizes};
use training::experts::{Mixture, matrix};

/// Asserts that both forms give the same output and the same shares of the experts. `input`, `gate`: raw rows,
/// [rows × input] and [rows × gate]. `packed`: evaluates one row, see [`kinestitch::nn::mixture::PackedMixture::run`].
/// Returns the packed output, [rows × output].
pub fn assert_same_output(
    model: &Mixture,
    sizes: &Sizes,
    [mut input, mut gate]: [Vec<f32>; 2],
    packed: impl Fn(&mut [f32], &mut [f32], &mut [f32], &mut Buffers),
) -> Vec<f32> {
    let device = Device::flex();
    let [rows, gates] =
        model.normalise(matrix(input.clone(), sizes.input, &device), matrix(gate.clone(), sizes.gate, &device));
    let shares = values(model.shares(gates.clone())).unwrap();
    let trained = values(model.output().denormalise(model.forward(rows, gates, &[]))).unwrap();
    let mut buffers = Buffers::default();
    let mut out = vec![0.0; trained.len()];
    let rows = input.chunks_exact_mut(sizes.input).zip(gate.chunks_exact_mut(sizes.gate));
    for (row, ((input, gate), out)) in rows.zip(out.chunks_exact_mut(sizes.output)).enumerate() {
        packed(input, gate, out, &mut buffers);
        let trained = &trained[row * sizes.output..][..sizes.output];
        assert!(out.iter().zip(trained).all(|(a, b)| (a - b).abs() < 1e-4), "row {row}");
        let shares = &shares[row * sizes.experts..][..sizes.experts];
        assert!(buffers.expert_weights.iter().zip(shares).all(|(a, b)| (a - b).abs() < 1e-5), "row {row}");
    }
    out
}
