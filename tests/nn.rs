//! Networks: layers against Burn's own, the refiner, and weight files that are wrong in every way.
#![cfg(feature = "flex")]

use burn::tensor::{Device, Distribution, Tensor, TensorData, Tolerance};
use kinestitch::Error;
use kinestitch::feature::layout::Refiner;
use kinestitch::method::rmr::Rmr;
use kinestitch::nn::normal::Normal;
use kinestitch::nn::recurrent::cpu::CpuRecurrent;
use kinestitch::nn::recurrent::{CellKind, Recurrent};
use kinestitch::nn::weights::burnpack as weights;

fn normal(device: &Device) -> Normal {
    let mean: Vec<f32> = (0..Refiner::WIDTH).map(|i| i as f32 * 0.01).collect();
    let deviation: Vec<f32> = (0..Refiner::WIDTH).map(|i| 0.5 + i as f32 * 0.01).collect();
    Normal::new(&mean, &deviation, device)
}

fn steps(count: usize, columns: usize, device: &Device) -> Vec<Tensor<2>> {
    (0..count).map(|_| Tensor::random([2, columns], Distribution::Normal(0.0, 1.0), device)).collect()
}

fn values(tensor: Tensor<2>) -> Vec<f32> {
    tensor.into_data().try_into_vec::<f32>().unwrap()
}

#[test]
fn normalising_and_back_is_identity() {
    let device = Device::flex();
    let rows = Tensor::random([4, Refiner::WIDTH], Distribution::Normal(0.0, 1.0), &device);
    let normal = normal(&device);
    let back = normal.denormalise(normal.normalise(rows.clone()));
    rows.into_data().assert_approx_eq::<f32>(&back.into_data(), Tolerance::absolute(1e-5));
}

#[test]
fn every_cell_keeps_time_order_and_both_directions_see_the_other_end() {
    let device = Device::flex();
    for kind in [CellKind::Gru, CellKind::Lstm, CellKind::Bgru, CellKind::Blstm] {
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
fn the_inference_path_computes_what_the_training_path_does() {
    let device = Device::flex();
    for kind in [CellKind::Gru, CellKind::Lstm, CellKind::Bgru, CellKind::Blstm] {
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

#[test]
fn the_packed_layers_compute_what_burns_do() {
    let device = Device::flex();
    for kind in [CellKind::Gru, CellKind::Lstm, CellKind::Bgru, CellKind::Blstm] {
        let layer = Recurrent::new(kind, 21, 20, &device);
        let packed = CpuRecurrent::new(&layer).unwrap();
        // Wide inputs drive the gates into saturation.
        for (frames, spread) in [(0, 1.0), (1, 1.0), (2, 1.0), (7, 1.0), (60, 1.0), (60, 30.0)] {
            let input = Tensor::<2>::random([frames, 21], Distribution::Normal(0.0, spread), &device);
            let expected = layer.infer(input.clone(), 1).into_data();
            let found = TensorData::new(packed.forward(&values(input)), [frames, layer.outputs()]);
            found.assert_approx_eq::<f32>(&expected, Tolerance::absolute(1e-5));
        }
    }
    assert!(CpuRecurrent::new(&Recurrent::new(CellKind::Gru, 8, 6, &device)).is_err());
}

#[test]
fn an_untrained_refiner_is_the_identity_on_poses() {
    let device = Device::flex();
    let model = Rmr::new(CellKind::Bgru, normal(&device), 0.0, &device);
    let input = steps(5, Refiner::WIDTH, &device);
    let poses = Refiner::CONTACT.start;
    let refined = values(model.forward(&input).narrow(1, 0, poses));
    // The last layer starts at zero weights; its bias does too.
    assert_eq!(refined, values(Tensor::cat(input, 0).narrow(1, 0, poses)));
}

#[test]
fn weights_come_back_in_half_precision() {
    let device = Device::flex();
    let layer = Recurrent::new(CellKind::Bgru, 8, 4, &device);
    let bytes = weights::to_bytes(layer.clone(), 1).unwrap();
    let back = weights::from_bytes(Recurrent::new(CellKind::Bgru, 8, 4, &device), 1, &bytes).unwrap();
    let input = steps(6, 8, &device);
    for (a, b) in layer.forward(&input).into_iter().zip(back.forward(&input)) {
        a.into_data().assert_approx_eq::<f32>(&b.into_data(), Tolerance::absolute(2e-3));
    }
}

#[test]
fn wrong_weight_files_are_typed_errors() {
    let device = Device::flex();
    let layer = || Recurrent::new(CellKind::Gru, 8, 4, &device);
    let good = weights::to_bytes(layer(), 1).unwrap();
    let mut damaged = good.clone();
    *damaged.last_mut().unwrap() ^= 1;
    let other = weights::to_bytes(Recurrent::new(CellKind::Gru, 9, 4, &device), 1).unwrap();
    let cases: [(&str, &[u8], &str); 6] = [
        ("empty", &[], "no Kinestitch"),
        ("foreign", b"PK\x03\x04 something else entirely, and long enough to hold a head", "no Kinestitch"),
        ("truncated", &good[..good.len() - 10], "cut short"),
        ("damaged", &damaged, "damaged"),
        ("head only", &good[..44], "cut short"),
        ("another network", &other, "another network"),
    ];
    for (name, bytes, expected) in cases {
        match weights::from_bytes(layer(), 1, bytes) {
            Err(Error::Weights { message }) => assert!(message.contains(expected), "{name}: {message}"),
            other => panic!("{name}: {:?}", other.map(|_| ())),
        }
    }
    let version = weights::from_bytes(layer(), 2, &good).unwrap_err();
    assert!(version.to_string().contains("layout version 1 where 2"), "{version}");
    assert_eq!(version.code(), "weights");
}
