//! What `models/manifest.json` says of the shipped weights is true, and they load.
#![cfg(feature = "train")]

use burn::tensor::{Device, Distribution, Tensor, TensorData, Tolerance};
use kinestitch::feature::layout::Refiner;
use kinestitch::method::rmr::{self, CpuRmr};
use kinestitch::train::recipe::{Recipe, load};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::Path;

#[test]
fn shipped_weights_are_what_the_manifest_says_and_refine() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest: Value = serde_json::from_slice(&std::fs::read(root.join("models/manifest.json")).unwrap()).unwrap();
    let models = manifest["models"].as_array().unwrap();
    if models.is_empty() {
        println!("skipped: models/ holds no weights of layout {}", Refiner::VERSION);
    }
    for model in models {
        let path = root.join("models").join(model["file"].as_str().unwrap());
        let bytes = std::fs::read(&path).unwrap();
        let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(model["sha256"], sum, "{}", path.display());
        assert_eq!(model["size"], bytes.len(), "{}", path.display());
        assert_eq!(model["layout"], Refiner::VERSION);
        let recipe = Recipe::read(&root.join(model["recipe"].as_str().unwrap())).unwrap();
        assert_eq!(model["steps"], recipe.schedule.steps);

        let device = Device::flex();
        let network = load(&recipe, &path, &device).unwrap();
        let still: Vec<Tensor<2>> = (0..8).map(|_| Tensor::zeros([1, Refiner::WIDTH], &device)).collect();
        let refined = network.forward(&still).into_data();
        let inferred = network.infer(Tensor::cat(still, 0)).into_data();
        refined.assert_approx_eq::<f32>(&inferred, Tolerance::absolute(1e-4));
        let wave = Tensor::random([60, Refiner::WIDTH], Distribution::Normal(0.0, 1.0), &device);
        let rows: Vec<f32> = network.normal.denormalise(wave).into_data().try_into_vec().unwrap();
        let packed = TensorData::new(CpuRmr::new(&network).unwrap().forward(&rows), [60, Refiner::WIDTH]);
        let by_burn = pollster::block_on(rmr::Refiner::new(network, device).forward(&rows)).unwrap();
        TensorData::new(by_burn, [60, Refiner::WIDTH]).assert_approx_eq::<f32>(&packed, Tolerance::absolute(1e-4));
        let refined: Vec<f32> = refined.try_into_vec().unwrap();
        assert!(refined.iter().all(|value| value.is_finite()));
        assert!(refined.iter().any(|value| value.abs() > 1e-3), "trained weights change something");
    }
}
