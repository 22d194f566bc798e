//! Weight files: round trips, with and without Burn, and error messages.

use kinestitch::Error;
use kinestitch::nn::weights::write::{NamedTensor, to_bytes};
use kinestitch::nn::weights::{Meta, Precision, Weights};
use serde_json::json;

fn meta() -> Meta {
    Meta {
        name: "net".to_owned(),
        layout: 3,
        config: json!({ "experts": 4 }),
        set: "open".to_owned(),
        licence: "for any use".to_owned(),
    }
}

fn tensor(name: &str, shape: &[usize]) -> NamedTensor {
    let count = shape.iter().product::<usize>();
    // Columns of very different magnitudes, as in real weights.
    let columns = *shape.last().unwrap();
    let value = |index: usize| (index as f32 * 1.7).sin() * 10_f32.powi((index % columns) as i32 % 5 - 3);
    NamedTensor { name: name.to_owned(), shape: shape.to_vec(), values: (0..count).map(value).collect() }
}

fn tensors() -> Vec<NamedTensor> {
    vec![
        tensor("layer.weight", &[6, 5]),
        tensor("layer.bias", &[5]),
        tensor("experts", &[3, 4, 5]),
        tensor("none", &[0, 4]),
    ]
}

fn message(bytes: &[u8]) -> String {
    let opened = Weights::read(bytes).and_then(|weights| weights.tensor("layer.weight", &[6, 5]));
    match opened.unwrap_err() {
        Error::Weights { message } => message,
        other => panic!("{other:?}"),
    }
}

#[test]
fn tensors_survive_the_round_trip_within_the_error_of_their_precision() {
    for (name, precision) in Precision::ALL {
        let bytes = to_bytes(&meta(), &tensors(), precision).unwrap();
        assert_eq!(bytes, to_bytes(&meta(), &tensors(), precision).unwrap(), "writing is deterministic");
        let weights = Weights::read(&bytes).unwrap();
        assert_eq!(weights.meta, meta());
        assert_eq!(weights.names(), ["experts", "layer.bias", "layer.weight", "none"]);
        for NamedTensor { name: tensor, shape, values } in tensors() {
            assert_eq!(weights.shape(&tensor).as_ref(), Some(&shape));
            let restored = weights.tensor(&tensor, &shape).unwrap();
            let columns = *shape.last().unwrap();
            for (index, (value, restored)) in values.iter().zip(&restored).enumerate() {
                let largest = values.iter().skip(index % columns).step_by(columns).fold(0.0_f32, |a, b| a.max(b.abs()));
                let error = match precision {
                    _ if shape.len() == 1 => 0.0,
                    Precision::F32 => 0.0,
                    Precision::F16 => value.abs() / 1024.0,
                    // The scale may clip outliers for more precision elsewhere.
                    Precision::Int8 => largest / 60.0,
                };
                assert!((value - restored).abs() <= error, "{name} {tensor} {index}: {value} was read as {restored}");
            }
        }
    }
}

#[test]
fn integers_take_a_quarter_of_the_space() {
    let big = [tensor("weight", &[200, 300])];
    let size = |precision| to_bytes(&meta(), &big, precision).unwrap().len();
    assert!(size(Precision::F16) < size(Precision::F32) * 51 / 100);
    assert!(size(Precision::Int8) < size(Precision::F32) * 26 / 100);
}

#[test]
fn invalid_files_are_errors_with_a_message() {
    let good = to_bytes(&meta(), &tensors(), Precision::F16).unwrap();
    let weights = Weights::read(&good).unwrap();
    let text = |error: Error| error.to_string();
    assert!(text(weights.check_layout("rmr", 3).unwrap_err()).contains("\"net\", where \"rmr\""));
    assert!(text(weights.check_layout("net", 4).unwrap_err()).contains("layout version 3 where 4"));
    assert!(weights.check_layout("net", 3).is_ok());
    assert!(
        text(weights.tensor("layer.weight", &[5, 6]).unwrap_err())
            .contains("has the shape [6, 5], but [5, 6] is needed")
    );
    assert!(text(weights.tensor("other", &[1]).unwrap_err()).contains("no tensor \"other\""));
    assert!(text(weights.config::<Vec<f32>>().unwrap_err()).contains("configuration"));

    assert!(message(b"").contains("safetensors"));
    assert!(message(&good[..good.len() - 1]).contains("safetensors"));
    assert!(message(&good[..40]).contains("safetensors"));
    assert!(message(b"KINESTCH\x01\0\0\0 and so on").contains("earlier release"));
    let hostile = [&u64::MAX.to_le_bytes()[..], b"{}"].concat();
    assert!(message(&hostile).contains("safetensors"));
    // A header that states more data than the file has.
    let header = br#"{"layer.weight":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}"#;
    assert!(message(&[&(header.len() as u64).to_le_bytes()[..], header].concat()).contains("safetensors"));
    let foreign = safetensors::serialize(Vec::<(&str, safetensors::tensor::TensorView)>::new(), None).unwrap();
    assert!(message(&foreign).contains("does not name the network"));

    let mut too_large = tensors();
    for value in [f32::INFINITY, f32::NAN, -2e6] {
        too_large[0].values[3] = value;
        assert!(
            text(to_bytes(&meta(), &too_large, Precision::F32).unwrap_err()).contains("beyond 1e6 or not a number")
        );
    }
    too_large[0].values[3] = 1e6;
    assert!(text(to_bytes(&meta(), &too_large, Precision::F16).unwrap_err()).contains("half precision"));
    let mut damaged = to_bytes(&meta(), &tensors()[..1], Precision::F32).unwrap();
    let end = damaged.len();
    damaged[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(message(&damaged).contains("not a number"));
}

#[test]
fn integers_times_scales_beyond_the_largest_value_are_errors() {
    let big = |value: f32| {
        let tensor = NamedTensor { name: "layer.weight".to_owned(), shape: vec![6, 5], values: vec![value; 30] };
        to_bytes(&meta(), &[tensor], Precision::Int8).unwrap()
    };
    let mut bytes = big(9e5);
    assert!(Weights::read(&bytes).unwrap().tensor("layer.weight", &[6, 5]).is_ok());
    // Each scale alone is below the limit.
    let scale = Weights::read(&bytes).unwrap().tensor("layer.weight.scale", &[5]).unwrap()[0];
    let position = bytes.windows(4).rposition(|window| window == scale.to_le_bytes()).unwrap();
    bytes[position..position + 4].copy_from_slice(&9e5_f32.to_le_bytes());
    assert!(message(&bytes).contains("integer times scale"), "{}", message(&bytes));
}

/// Reads all tensors of a file. Returns whether the file was accepted.
fn is_accepted(bytes: &[u8]) -> bool {
    let Ok(weights) = Weights::read(bytes) else { return false };
    for name in weights.names() {
        let _ = weights.tensor(name, &weights.shape(name).unwrap());
    }
    true
}

#[test]
fn damaged_files_do_not_panic() {
    let good = to_bytes(&meta(), &tensors(), Precision::Int8).unwrap();
    let mut accepted = vec![0; good.len()];
    for at in 0..good.len() {
        let bytes = (0..8).map(|bit| good[at] ^ 1 << bit).chain([0, b'"', b'0', b'9', b'{', b'}', 0xff]);
        for byte in bytes.filter(|byte| *byte != good[at]) {
            let mut bytes = good.clone();
            bytes[at] = byte;
            accepted[at] += usize::from(is_accepted(&bytes));
        }
        assert!(!is_accepted(&good[..at]), "cut after {at} bytes");
    }
    // With a damaged name or dimension, a file can still be valid. With a damaged number, it always is, because numbers
    // are checked when their tensor is read.
    let data = 8 + u64::from_le_bytes(good[..8].try_into().unwrap()) as usize;
    let of_header = accepted[..data].iter().filter(|count| **count > 0).count();
    assert!(of_header > 0 && of_header < data / 2, "{of_header} of {data} bytes");
    assert!(accepted[data..].iter().all(|count| *count > 0), "{accepted:?}");
}

mod with_burn {
    use super::*;
    use burn::tensor::{Device, Distribution, Tensor, Tolerance};
    use kinestitch::feature::layout::RefinerRow;
    use kinestitch::method::rmr::Config;
    use kinestitch::method::rmr::Rmr;
    use kinestitch::nn::recurrent::CellKind;
    use kinestitch::nn::weights::{self, Network, module};

    const CONFIG: Config = Config { cell: CellKind::Bgru, dropout: 0.1 };
    const SET_AND_LICENCE: (&str, &str) = ("open", "for any use");

    #[test]
    fn a_network_survives_the_round_trip() {
        let device = Device::flex();
        let network = Rmr::blank(&CONFIG, &device);
        let rows = Tensor::random([7, RefinerRow::WIDTH], Distribution::Normal(0.0, 1.0), &device);
        let expected = network.infer(rows.clone()).into_data();
        for (name, precision) in Precision::ALL {
            let bytes = weights::write(&network, &CONFIG, SET_AND_LICENCE, precision).unwrap();
            let opened = Weights::read(&bytes).unwrap();
            assert_eq!((&*opened.meta.name, opened.meta.layout), (Rmr::NAME, RefinerRow::LAYOUT_VERSION));
            assert_eq!(opened.config::<Config>().unwrap(), CONFIG);
            let restored: Rmr = weights::into_module(&opened, &device).unwrap();
            let result = restored.infer(rows.clone()).into_data();
            result.assert_approx_eq::<f32>(&expected, Tolerance::absolute(if name == "f32" { 1e-6 } else { 3e-2 }));
        }
    }

    #[test]
    fn a_loaded_network_can_be_trained() {
        let device = Device::flex();
        let bytes = weights::write(&Rmr::blank(&CONFIG, &device), &CONFIG, SET_AND_LICENCE, Precision::F32).unwrap();
        let network: Rmr = weights::into_module(&Weights::read(&bytes).unwrap(), &device.autodiff()).unwrap();
        let device = network.normal.mean().device();
        let steps = vec![Tensor::random([1, RefinerRow::WIDTH], Distribution::Normal(0.0, 1.0), &device); 3];
        let gradients = network.forward(&steps).sum().backward();
        let trained = burn::optim::GradientsParams::from_grads(gradients, &network);
        // Weights and biases of the encoder's two linear layers, of two recurrent layers with two cells of two products
        // each, and of the decoder's two linear layers; not the mean and deviation.
        assert_eq!(trained.len(), 2 * (2 + 2 * 2 * 2 + 2));
    }

    #[test]
    fn other_networks_are_rejected() {
        let device = Device::flex();
        let bytes = weights::write(&Rmr::blank(&CONFIG, &device), &CONFIG, SET_AND_LICENCE, Precision::F16).unwrap();
        let opened = Weights::read(&bytes).unwrap();
        let other = Rmr::blank(&Config { cell: CellKind::Lstm, ..CONFIG }, &device);
        let error = module::load_into(other, &opened).unwrap_err().to_string();
        assert!(error.contains("\"recurrent.0.forwards.input.weight\" has the shape [256, 768]"), "{error}");
        let error = Rmr::load(&to_bytes(&meta(), &tensors(), Precision::F32).unwrap(), &device).unwrap_err();
        assert!(error.to_string().contains("\"rmr\" is needed"), "{error}");
    }
}
