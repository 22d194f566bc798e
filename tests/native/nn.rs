//! Networks: layers on tensors and their packed forms, and the refiner.

use burn::module::Module;
use burn::tensor::{Device, Distribution, Tensor, TensorData, Tolerance};
use kinestitch::Error;
use kinestitch::feature::layout::RefinerRow;
use kinestitch::method::rmr::{Config, PackedRmr, Rmr, WindowOptions};
use kinestitch::nn::experts::{Experts, PackedExperts};
use kinestitch::nn::normal::Normal;
use kinestitch::nn::recurrent::{CellKind, PackedRecurrent, Recurrent};
use kinestitch::nn::weights::module::{load_into, tensors};
use kinestitch::nn::weights::write::to_bytes;
use kinestitch::nn::weights::{Meta, Precision, Weights, write};
use kinestitch::progress::Progress;
use std::ops::ControlFlow;

fn normal(device: &Device) -> Normal {
    let mean: Vec<f32> = (0..RefinerRow::WIDTH).map(|i| i as f32 * 0.01).collect();
    let deviation: Vec<f32> = (0..RefinerRow::WIDTH).map(|i| 0.5 + i as f32 * 0.01).collect();
    Normal::new(&mean, &deviation, device)
}

/// Creates random input of two sequences: a tensor [2 × columns] for each frame.
fn steps(count: usize, columns: usize, device: &Device) -> Vec<Tensor<2>> {
    (0..count).map(|_| Tensor::random([2, columns], Distribution::Normal(0.0, 1.0), device)).collect()
}

fn values(tensor: Tensor<2>) -> Vec<f32> {
    tensor.into_data().try_into_vec::<f32>().unwrap()
}

#[test]
fn denormalising_inverts_normalising() {
    let device = Device::flex();
    let rows = Tensor::random([4, RefinerRow::WIDTH], Distribution::Normal(0.0, 1.0), &device);
    let normal = normal(&device);
    let restored = normal.denormalise(normal.normalise(rows.clone()));
    rows.into_data().assert_approx_eq::<f32>(&restored.into_data(), Tolerance::absolute(1e-5));
}

#[test]
fn cells_keep_time_order_and_only_bidirectional_cells_see_later_frames() {
    let device = Device::flex();
    for kind in [CellKind::Lstm, CellKind::Bgru] {
        let layer = Recurrent::new(kind, 8, 4, &device);
        let mut input = steps(6, 8, &device);
        let before: Vec<Vec<f32>> = layer.forward(&input).into_iter().map(values).collect();
        assert_eq!(before[0].len(), 2 * layer.outputs());
        *input.last_mut().unwrap() = Tensor::ones([2, 8], &device) * 3.0;
        let after: Vec<Vec<f32>> = layer.forward(&input).into_iter().map(values).collect();
        assert_eq!(before[0] != after[0], kind.is_bidirectional(), "{kind:?}");
        assert_ne!(before[5], after[5], "{kind:?}");
    }
}

#[test]
fn inference_agrees_with_the_training_pass() {
    let device = Device::flex();
    for kind in [CellKind::Lstm, CellKind::Bgru] {
        let layer = Recurrent::new(kind, 24, 16, &device);
        for (batch, frames) in [(1, 0), (1, 1), (1, 2), (1, 60), (3, 1), (3, 2), (3, 60)] {
            let input = Tensor::<2>::random([frames * batch, 24], Distribution::Normal(0.0, 1.0), &device);
            let steps: Vec<_> = (0..frames).map(|frame| input.clone().narrow(0, frame * batch, batch)).collect();
            let inferred = layer.infer(input, batch).into_data();
            assert_eq!(&inferred.shape()[..], [frames * batch, layer.outputs()], "{kind:?}");
            if frames > 0 {
                let trained = Tensor::cat(layer.forward(&steps), 0).into_data();
                trained.assert_approx_eq::<f32>(&inferred, Tolerance::absolute(1e-5));
            }
        }
    }
}

/// Encodes a module as a weight file.
fn file<M: Module>(module: &M, precision: Precision) -> Vec<u8> {
    let empty = String::new;
    let meta = Meta { name: empty(), layout: 0, config: 0.into(), set: empty(), licence: empty() };
    to_bytes(&meta, &tensors(module).unwrap(), precision).unwrap()
}

/// Asserts that values of both forms agree to single precision. With integer weights, the packed form also rounds its
/// input rows to integers, so the tolerance is larger.
fn assert_agree(found: TensorData, expected: &TensorData, precision: Precision) {
    let tolerance = if precision == Precision::Int8 { 2e-3 } else { 2e-5 };
    found.assert_approx_eq::<f32>(expected, Tolerance::absolute(tolerance));
}

/// A network of one layer: the names of its tensors begin with "layer".
#[derive(Module, Debug)]
struct Holder<M: Module> {
    layer: M,
}

#[test]
fn packed_recurrent_layers_agree_with_the_tensor_form() {
    let device = Device::flex();
    for kind in [CellKind::Lstm, CellKind::Bgru] {
        for (_, precision) in Precision::ALL {
            let bytes = file(&Holder { layer: Recurrent::new(kind, 21, 20, &device) }, precision);
            let weights = Weights::read(&bytes).unwrap();
            let packed = PackedRecurrent::read(&weights, "layer", kind, [21, 20]).unwrap();
            // Both forms use the dequantised weights.
            let Holder { layer } =
                load_into(Holder { layer: Recurrent::new(kind, 21, 20, &device) }, &weights).unwrap();
            // Wide inputs drive the gates into saturation.
            for (frames, spread) in [(0, 1.0), (1, 1.0), (2, 1.0), (7, 1.0), (60, 1.0), (60, 30.0)] {
                let input = Tensor::<2>::random([frames, 21], Distribution::Normal(0.0, spread), &device);
                let expected = layer.infer(input.clone(), 1).into_data();
                let found = TensorData::new(packed.forward(&values(input)), [frames, layer.outputs()]);
                assert_agree(found, &expected, precision);
            }
        }
    }
    // The packed form needs a multiple of four state columns.
    let odd = file(&Holder { layer: Recurrent::new(CellKind::Lstm, 8, 6, &device) }, Precision::F32);
    assert!(PackedRecurrent::read(&Weights::read(&odd).unwrap(), "layer", CellKind::Lstm, [8, 6]).is_err());
}

#[test]
fn single_steps_agree_with_the_whole_sequence() {
    let device = Device::flex();
    let kind = CellKind::Lstm;
    let holder = Holder { layer: Recurrent::new(kind, 8, 12, &device) };
    let bytes = file(&holder, Precision::F32);
    let packed = PackedRecurrent::read(&Weights::read(&bytes).unwrap(), "layer", kind, [8, 12]).unwrap();
    let Holder { layer } = holder;
    let input = Tensor::<2>::random([7, 8], Distribution::Normal(0.0, 1.0), &device);
    let whole = values(layer.infer(input.clone(), 1));
    let zeros = || Tensor::<2>::zeros([1, 12], &device);
    let (mut state, mut hidden, mut cell) = ([zeros(), zeros()], vec![0.0; 12], vec![0.0; 12]);
    for (frame, expected) in whole.chunks_exact(12).enumerate() {
        let row = input.clone().narrow(0, frame, 1);
        state = layer.step(row.clone(), state);
        packed.step(&values(row), &mut hidden, &mut cell);
        assert!(hidden.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{kind:?} packed, {frame}");
        let tensor_hidden = values(state[0].clone());
        assert!(tensor_hidden.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5), "{kind:?}, {frame}");
    }
}

#[test]
fn packed_experts_agree_with_the_tensor_form() {
    let device = Device::flex();
    for (_, precision) in Precision::ALL {
        let bytes = file(&Holder { layer: Experts::new([4, 21, 30], &device) }, precision);
        let weights = Weights::read(&bytes).unwrap();
        let packed = PackedExperts::read(&weights, "layer", [4, 21, 30]).unwrap();
        let Holder { layer } = load_into(Holder { layer: Experts::new([4, 21, 30], &device) }, &weights).unwrap();
        let rows = Tensor::<2>::random([5, 21], Distribution::Normal(0.0, 1.0), &device);
        let shares =
            burn::tensor::activation::softmax(Tensor::random([5, 4], Distribution::Normal(0.0, 3.0), &device), 1);
        let expected = layer.forward(rows.clone(), shares.clone()).into_data();
        let mut found = vec![0.0; 5 * 30];
        let (rows, shares) = (values(rows), values(shares));
        for row in 0..5 {
            packed.apply_row(&rows[row * 21..][..21], &shares[row * 4..][..4], &mut found[row * 30..][..30]);
        }
        assert_agree(TensorData::new(found, [5, 30]), &expected, precision);
    }
}

#[test]
fn the_packed_refiner_agrees_with_the_tensor_form() {
    let device = Device::flex();
    let config = Config { cell: CellKind::Bgru, dropout: 0.0 };
    for (_, precision) in Precision::ALL {
        // The last layer of an untrained network is zero; with other weights, the layers before it have an effect.
        let blank = Rmr::new(CellKind::Bgru, normal(&device), 0.0, &device);
        let mut all = tensors(&blank).unwrap();
        let last = all.iter_mut().find(|tensor| tensor.name == "decoder.1.weight").unwrap();
        last.values.iter_mut().enumerate().for_each(|(index, value)| *value = 0.1 * (index as f32).sin());
        let bytes = write(&blank, &config, ("", ""), precision).unwrap();
        let meta = Weights::read(&bytes).unwrap().meta;
        let bytes = to_bytes(&meta, &all, precision).unwrap();
        let (network, packed) = (Rmr::load(&bytes, &device).unwrap(), PackedRmr::from_bytes(&bytes).unwrap());
        let rows = Tensor::<2>::random([13, RefinerRow::WIDTH], Distribution::Normal(0.0, 1.0), &device);
        let rows = values(rows);
        let expected =
            TensorData::new(pollster::block_on(network.forward_rows(&rows)).unwrap(), [13, RefinerRow::WIDTH]);
        assert_agree(TensorData::new(packed.forward(&rows), [13, RefinerRow::WIDTH]), &expected, precision);
        let (mut a, mut b) = (Progress::silent(), Progress::silent());
        let tensor_rows = pollster::block_on(network.refine(&rows, &[6], WindowOptions::default(), &mut a)).unwrap();
        let packed_rows = packed.refine(&rows, &[6], WindowOptions::default(), &mut b).unwrap();
        let shape = [13, RefinerRow::WIDTH];
        assert_agree(TensorData::new(packed_rows, shape), &TensorData::new(tensor_rows, shape), precision);
    }
}

#[test]
fn refining_reports_progress_and_can_be_cancelled() {
    let network = Rmr::new(CellKind::Bgru, normal(&Device::flex()), 0.0, &Device::flex());
    let bytes = write(&network, &Config { cell: CellKind::Bgru, dropout: 0.0 }, ("", ""), Precision::Int8).unwrap();
    let packed = PackedRmr::from_bytes(&bytes).unwrap();
    let mut rows: Vec<f32> = (0..200 * RefinerRow::WIDTH).map(|index| 0.5 + 0.3 * (0.3 * index as f32).sin()).collect();
    for row in rows.chunks_exact_mut(RefinerRow::WIDTH) {
        row[RefinerRow::ROTATION.range()].chunks_exact_mut(4).for_each(|q| q.copy_from_slice(&[0.6, 0.0, 0.0, 0.8]));
    }
    let mut done = Vec::new();
    let mut progress = Progress::new(|_, part| {
        done.push(part);
        ControlFlow::Continue(())
    });
    let refined = packed.refine(&rows, &[45, 150], WindowOptions::default(), &mut progress).unwrap();
    drop(progress);
    assert_eq!(done, [0.5, 1.0]);
    // An untrained network does not change poses, because its last layer is zero; this also holds for integer weights.
    let poses = RefinerRow::CONTACT.start;
    for (a, b) in rows.chunks_exact(RefinerRow::WIDTH).zip(refined.chunks_exact(RefinerRow::WIDTH)) {
        assert!(a[..poses].iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5));
    }
    let stop = &mut Progress::new(|_, _| ControlFlow::Break(()));
    assert_eq!(packed.refine(&rows, &[45], WindowOptions::default(), stop), Err(Error::Aborted));
}

#[test]
fn an_untrained_refiner_is_the_identity_on_poses() {
    let device = Device::flex();
    let model = Rmr::new(CellKind::Bgru, normal(&device), 0.0, &device);
    let input = steps(5, RefinerRow::WIDTH, &device);
    let poses = RefinerRow::CONTACT.start;
    let refined = values(model.forward(&input).narrow(1, 0, poses));
    // Weights and bias of the last layer start at zero.
    assert_eq!(refined, values(Tensor::cat(input, 0).narrow(1, 0, poses)));
}
