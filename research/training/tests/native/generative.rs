//! Training of generative control: agreement of gradients with differences of the losses, agreement of the packed form
//! with the tensor form, and a short run.

use crate::small_controller;
use burn::module::{Module, ModuleVisitor, Param};
use burn::nn::DropoutConfig;
use burn::optim::GradientsParams;
use burn::tensor::{Device, Tensor, TensorData};
use kinestitch::body::biped;
use kinestitch::feature::controller::{Layout, TRAJECTORY_WIDTH};
use kinestitch::method::controller::generative::{Buffers, Generative, Sizes};
use kinestitch::motion::{bvh, resample};
use kinestitch::nn::device::values;
use kinestitch::nn::weights::module::{load_into, tensors};
use kinestitch::nn::weights::write::{NamedTensor, Precision, to_bytes};
use kinestitch::nn::weights::{Meta, Network, Weights};
use std::collections::BTreeMap;
use std::path::Path;
use training::checkpoint;
use training::controller::{self, Data};
use training::data::sets::Label;
use training::data::{Recording, Split};
use training::experts::normal::Normal;
use training::generative::network::Networks;
use training::generative::spread::spread;
use training::generative::{GenerativeTraining, Recipe, file};
use training::gradients::gradients;
use training::run::{self, Batch, Run, Training};

const SIZES: Sizes = Sizes { path: 6, hidden: 9, code: 3 };

/// Creates random numbers between −1.5 and 1.5.
fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut next = small_controller::random(seed);
    (0..count).map(|_| 1.5 * next()).collect()
}

fn matrix(values: Vec<f32>, columns: usize, device: &Device) -> Tensor<2> {
    let rows = values.len() / columns;
    Tensor::from_data(TensorData::new(values, [rows, columns]), device)
}

fn untrained(device: &Device) -> Networks {
    let normal = Normal { mean: vec![0.0; SIZES.path], deviation: vec![1.0; SIZES.path] };
    Networks::untrained(&SIZES, &normal, 4, device)
}

/// Returns a copy of networks with these parameters.
fn with_parameters(networks: &Networks, parameters: &[NamedTensor]) -> Networks {
    let config = serde_json::to_value(SIZES).unwrap();
    let (name, set, licence) = (Networks::NAME.to_owned(), String::new(), String::new());
    let meta = Meta { name, layout: Networks::LAYOUT, config, set, licence };
    let bytes = to_bytes(&meta, parameters, Precision::F32).unwrap();
    load_into(networks.clone(), &Weights::read(&bytes).unwrap()).unwrap()
}

/// Computes the gradients of a loss, by the names of the parameters. Parameters without a gradient are left out.
fn gradients_by_name(networks: &Networks, loss: &Tensor<1>) -> BTreeMap<String, Vec<f32>> {
    struct Reader(Vec<String>, GradientsParams, BTreeMap<String, Vec<f32>>);
    impl ModuleVisitor for Reader {
        fn enter_module(&mut self, name: &str, _: &str) {
            self.0.push(name.to_owned());
        }

        fn exit_module(&mut self, _: &str, _: &str) {
            self.0.pop();
        }

        fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
            if let Some(gradient) = self.1.get::<D>(param.id) {
                self.2.insert(self.0.join("."), values(gradient).unwrap());
            }
        }
    }
    let gradients = GradientsParams::from_grads(loss.backward(), networks);
    let mut reader = Reader(Vec::new(), gradients, BTreeMap::new());
    networks.visit(&mut reader);
    reader.2
}

/// Checks that the discriminator has the gradient of its own loss, encoder and decoder have the gradient of the other
/// losses, and all other parameters have no gradient.
#[test]
fn each_network_has_the_gradient_of_its_own_loss() {
    let (device, autodiff_device) = (Device::flex(), Device::flex().autodiff());
    let rows = numbers(8 * SIZES.path, 1);
    let no_dropout = DropoutConfig::new(0.0).init();
    let losses = |networks: &Networks, device: &Device| {
        let [reconstruction, adversarial, discriminator] =
            networks.losses(matrix(rows.clone(), SIZES.path, device), &no_dropout);
        [reconstruction * 5.0 + adversarial, discriminator]
    };
    let untrained_networks = untrained(&device);
    let mut parameters = tensors(&untrained_networks).unwrap();
    // With this noise, biases are not zero.
    let mut noise = numbers(10_000, 7).into_iter();
    let is_trained = |name: &str| name.ends_with("weight") || name.ends_with("bias");
    for parameter in parameters.iter_mut().filter(|parameter| is_trained(&parameter.name)) {
        parameter.values.iter_mut().zip(&mut noise).for_each(|(value, noise)| *value += 0.1 * noise);
    }
    let networks = with_parameters(&untrained(&autodiff_device), &parameters);
    let [coder, discriminator] = losses(&networks, &autodiff_device);
    let gradients = gradients_by_name(&networks, &(coder + discriminator));
    for index in 0..parameters.len() {
        let NamedTensor { name, values, .. } = &parameters[index];
        if !is_trained(name) {
            assert!(!gradients.contains_key(name), "{name} is not trained");
            continue;
        }
        let gradient = &gradients[name];
        let loss_index = usize::from(name.starts_with("discriminator"));
        let largest = gradient.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
        for element in (0..values.len()).step_by(5) {
            let loss_after_change = |change: f32| {
                let mut parameters = parameters.clone();
                parameters[index].values[element] += change;
                let networks = with_parameters(&untrained_networks, &parameters);
                losses(&networks, &device)[loss_index].clone().into_scalar::<f32>()
            };
            // The larger step can change the sign of a ReLU's input; then the smaller step counts.
            let slopes = [1e-3, 1e-4].map(|step| (loss_after_change(step) - loss_after_change(-step)) / (2.0 * step));
            let fits = |slope: &f32| (slope - gradient[element]).abs() < 0.02 * largest + 1e-3;
            assert!(slopes.iter().any(fits), "{name}, element {element}: {slopes:?}, {}", gradient[element]);
        }
    }
}

#[test]
fn the_packed_form_agrees_with_the_tensor_form() {
    let layout = Layout::new(biped(), 4, 2);
    let (sizes, device) = (small_controller::generative_sizes(&layout), Device::flex());
    let bytes = small_controller::weight_file_with_noise(biped(), 0.02, 0.5);
    let file = Weights::read(&bytes).unwrap();
    let packed = Generative::read(&file, sizes).unwrap();
    let mut all = checkpoint::read_tensors(&file, |name| name.starts_with("generative.")).unwrap();
    let blank = Networks::blank(&sizes, &device);
    all.extend(tensors(&blank).unwrap().into_iter().filter(|tensor| !Networks::is_stored(&tensor.name)));
    let complete = to_bytes(&file.meta, &all, Precision::F32).unwrap();
    let networks = load_into(blank, &Weights::read(&complete).unwrap()).unwrap();

    let path = numbers(sizes.path, 1);
    let mut noise = Vec::new();
    packed.noise(&numbers(sizes.code, 2), &mut noise);
    let code = networks.encode(networks.normalise(matrix(path.clone(), sizes.path, &device)), None);
    let plain = values(networks.decode(code.clone())).unwrap();
    let with_noise = values(networks.decode(code + matrix(noise.clone(), sizes.code, &device))).unwrap();
    let mut varied = path.clone();
    packed.vary(&mut varied, &noise, &mut Buffers::default());
    let ahead = 7 * layout.sample_width();
    assert_eq!(varied[..ahead], path[..ahead], "the past does not change");
    for column in ahead..sizes.path {
        // Actions do not change.
        let change =
            if column % layout.sample_width() < TRAJECTORY_WIDTH { with_noise[column] - plain[column] } else { 0.0 };
        let expected = path[column] + change;
        assert!((varied[column] - expected).abs() < 1e-4, "column {column}: {} where {expected}", varied[column]);
    }
    assert!(varied[ahead..].iter().zip(&path[ahead..]).any(|(a, b)| (a - b).abs() > 0.1));
}

/// Prepares a walk for training and for validation, and the recipe of a controller of this walk.
fn data() -> (Data, controller::Recipe) {
    let bytes = std::fs::read("../../tests/fixtures/ada-walk.bvh").unwrap();
    let clip = resample::resample(&bvh::parse("ada-walk", &bytes).unwrap().clip, 30.0).unwrap();
    let recording = |split| {
        let text = |text: &str| text.to_owned();
        let (set, subject, style, character) = (text("cmu"), text("ada"), text("neutral"), text("biped"));
        Recording::from_clip(&clip, &Label { set, split, subject, style, character, lead: 0 }).unwrap()
    };
    let mut controller: controller::Recipe =
        checkpoint::read_json(Path::new("../recipes/controller-biped-open.json")).unwrap();
    controller.takes = [("cmu".to_owned(), [("*".to_owned(), 1.0)].into())].into();
    (Data::new(&[recording(Split::Train), recording(Split::Validation)], &controller).unwrap(), controller)
}

fn recipe() -> Recipe {
    let mut recipe: Recipe = checkpoint::read_json(Path::new("../recipes/generative-biped-open.json")).unwrap();
    recipe.hidden = 24;
    let schedule =
        r#"{ "steps": 60, "cooldown": 10, "batch": 16, "rate": 0.004, "warmup": 4, "every": 30, "seed": 3 }"#;
    recipe.schedule = serde_json::from_str(schedule).unwrap();
    recipe
}

#[test]
fn threads_share_a_batch_and_train_the_same_parameters() {
    let (data, controller) = data();
    let recipe = Recipe { dropout: 0.0, ..recipe() };
    let tape = Device::flex().autodiff();
    let training = GenerativeTraining::new(&data, &recipe, &controller.header).unwrap();
    let model = training.model(None, &tape).unwrap();
    let [one, two] = [1, 2].map(|threads| gradients(&training, &model, &recipe.schedule, 5, threads, &tape).unwrap());
    assert_eq!(one.params.len(), two.params.len());
    assert_eq!(one.params.len(), 2 * (2 + 2 + 4), "weight and bias of each layer, no statistics");
    assert!((one.norm - two.norm).abs() < 1e-3 * one.norm, "{} and {}", one.norm, two.norm);
    assert!(one.losses.iter().zip(&two.losses).all(|(a, b)| (a - b).abs() < 1e-3 * a), "{:?}", two.losses);
}

#[test]
fn it_learns_resumes_and_exports() {
    let ((data, controller), recipe, device) = (data(), recipe(), Device::flex());
    let training = GenerativeTraining::new(&data, &recipe, &controller.header).unwrap();
    let error = |model: &Networks| training.validate(model, &device).unwrap()[0];
    let untrained = error(&training.model(None, &device).unwrap());
    let folder = std::env::temp_dir().join(format!("kinestitch-generative-{}", std::process::id()));
    let run = |stop, resume| Run { folder: folder.clone(), resume, from: None, stop, threads: 1 };
    run::train(&training, &recipe.schedule, &run(30, false), &device).unwrap();
    let state = run::train(&training, &recipe.schedule, &run(usize::MAX, true), &device).unwrap();
    assert_eq!(state.step, 60);
    let bytes = file::export(&recipe, &controller, &folder.join("average.bpk")).unwrap();
    let network = folder.join("network.safetensors");
    std::fs::write(&network, &bytes).unwrap();
    let loaded = training.model(Some(&network), &device).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    assert!(error(&loaded) < 0.8 * untrained, "{} after {untrained}", error(&loaded));

    let written = Weights::read(&bytes).unwrap();
    let layout = &data.writer.layout;
    let sizes: Sizes = written.config().unwrap();
    assert_eq!(sizes, Sizes { path: layout.path().len(), hidden: 24, code: layout.path().len() / 2 });
    let packed = Generative::read(&written, sizes).unwrap();
    let mut noise = Vec::new();
    packed.noise(&numbers(sizes.code, 2), &mut noise);
    assert!(noise.iter().any(|value| value.abs() > 1e-3), "the noise has the covariance of codes");
    let batch = Batch { seed: 9, step: 0, size: 16, lanes: 0..16, device: &device };
    assert!(training.loss(&loaded, &batch).unwrap().iter().all(|loss| loss.clone().into_scalar::<f32>().is_finite()));
}

#[test]
fn a_dropout_of_all_columns_is_rejected() {
    let (data, controller) = data();
    let recipe = Recipe { dropout: 1.0, ..recipe() };
    let error = GenerativeTraining::new(&data, &recipe, &controller.header).err().unwrap();
    assert!(error.to_string().contains("dropout") && error.to_string().contains("below 1"), "{error}");
}

/// Checks codes of which one half is fixed by the end of the path: only the other half gets noise.
#[test]
fn noise_keeps_the_requested_columns() {
    let layout = Layout::new(biped(), 2, 1);
    let width = layout.path().len();
    let count = 4000;
    let mut paths = numbers(count * width, 3);
    // Free columns are between the current frame and the end of the path.
    let (end, free) = (12 * layout.sample_width(), 9 * layout.sample_width());
    let mut codes = Vec::new();
    for path in paths.chunks_exact_mut(width) {
        path[free + 1] += 0.5 * path[end + 1];
        codes.extend([path[end], path[end + 1], path[free], path[free + 1]]);
    }
    let root = spread(&codes, &paths, &layout).unwrap();
    let deviation = |column: usize| root.iter().skip(column).step_by(4).map(|value| value * value).sum::<f32>().sqrt();
    // The standard deviation of uniform numbers between −1.5 and 1.5 is √0.75.
    for (column, expected) in [(0, 0.0), (1, 0.0), (2, 0.866), (3, 0.866)] {
        assert!((deviation(column) - expected).abs() < 0.06, "column {column}: {}", deviation(column));
    }
}
