//! Checks that `models/manifest.json` agrees with the shipped files and their headers, and that the refiner works.

use burn::tensor::{Device, Tensor, TensorData, Tolerance};
use kinestitch::feature::layout::RefinerRow;
use kinestitch::method::random::Random;
use kinestitch::method::rmr::{self, PackedRmr, Rmr};
use kinestitch::nn::weights::Weights;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::Path;
use training::checkpoint;
use training::recipe::Recipe;

#[test]
fn shipped_weights_agree_with_the_manifest() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let manifest: Value = serde_json::from_slice(&std::fs::read(root.join("models/manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["version"], 2);
    let networks = manifest["networks"].as_array().unwrap();
    if networks.is_empty() {
        println!("skipped: models/ holds no networks");
    }
    for network in networks {
        for file in network["files"].as_array().unwrap() {
            let path = root.join("models").join(file["name"].as_str().unwrap());
            let bytes = std::fs::read(&path).unwrap();
            let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(file["sha256"], sum, "{}", path.display());
            assert_eq!(file["bytes"], bytes.len(), "{}", path.display());
            if file["role"] == "weights" {
                let meta = Weights::read(&bytes).unwrap().meta;
                assert_eq!((&network["name"], &network["set"]), (&meta.name.into(), &meta.set.into()));
                assert_eq!((&network["layout"], &network["licence"]), (&meta.layout.into(), &meta.licence.into()));
                if network["name"] == rmr::NAME {
                    check_refiner(&bytes);
                }
            }
        }
        if network["name"] == rmr::NAME {
            let recipe: Recipe = checkpoint::read_json(&root.join(network["recipe"].as_str().unwrap())).unwrap();
            assert!(network["steps"].as_u64().unwrap() <= recipe.schedule.steps as u64);
        }
    }
}

/// Checks that training, inference and packed form of the refiner agree, and that it changes poses.
fn check_refiner(bytes: &[u8]) {
    let device = Device::flex();
    let network = Rmr::load(bytes, &device).unwrap();
    let shape = [60, RefinerRow::WIDTH];
    let mut random = Random::new(1);
    let input: Vec<f32> = (0..shape[0] * shape[1]).map(|_| random.normal()).collect();
    let noise: Tensor<2> = Tensor::from_data(TensorData::new(input.clone(), shape), &device);
    let steps = (0..60).map(|row| noise.clone().narrow(0, row, 1)).collect::<Vec<_>>();
    let inferred = network.infer(noise.clone()).into_data();
    network.forward(&steps).into_data().assert_approx_eq::<f32>(&inferred, Tolerance::absolute(1e-4));
    let rows: Vec<f32> = network.normal.denormalise(noise).into_data().try_into_vec().unwrap();
    let packed = TensorData::new(PackedRmr::from_bytes(bytes).unwrap().forward(&rows), shape);
    let by_burn = pollster::block_on(network.forward_rows(&rows)).unwrap();
    // With integer weights, the packed form rounds activations to 16 bits, hence 1e-2.
    TensorData::new(by_burn, shape).assert_approx_eq::<f32>(&packed, Tolerance::absolute(1e-2));
    let output: Vec<f32> = inferred.try_into_vec().unwrap();
    assert!(output.iter().all(|value| value.is_finite()));
    let pairs = output.chunks_exact(RefinerRow::WIDTH).zip(input.chunks_exact(RefinerRow::WIDTH));
    // Contacts are left out: their logits differ from the input even in an untrained network.
    let mut poses = pairs.flat_map(|(output, input)| output.iter().zip(input).take(RefinerRow::CONTACT.start));
    assert!(poses.any(|(a, b)| (a - b).abs() > 1e-2), "trained weights change poses");
}
