//! A small controller network with random weights, whose output is near a standing body.

// Each test uses only some of these functions.
#![allow(dead_code)]

use kinestitch::body::Character;
use kinestitch::feature::controller::{JOINT_WIDTH, Layout, VERSION};
use kinestitch::method::controller::network::{NAME, Sizes, parameters};
use kinestitch::method::controller::{Config, generative};
use kinestitch::nn::weights::Meta;
use kinestitch::nn::weights::write::{NamedTensor, Precision, to_bytes};

/// Returns a generator of numbers from -1 to 1, determined by the seed.
pub fn random(seed: u64) -> impl FnMut() -> f32 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }
}

/// Returns the sizes of a small network for a character with four actions.
pub fn sizes(layout: &Layout) -> Sizes {
    Sizes {
        input: layout.input_width(),
        gate: layout.gate_width(),
        gate_hidden: 8,
        experts: 3,
        hidden: 16,
        output: layout.output_width(),
    }
}

/// Returns small sizes for the generative control.
pub fn generative_sizes(layout: &Layout) -> generative::Sizes {
    generative::Sizes { path: layout.path().len(), hidden: 16, code: layout.path().len() / 2 }
}

/// Returns the bytes of a weight file without generative control. `deviation`: standard deviation of the network's
/// output.
pub fn weight_file(character: &Character, styles: usize, deviation: f32, precision: Precision) -> Vec<u8> {
    write(character, styles, deviation, precision, None)
}

/// Returns the bytes of a weight file with generative control, which has random weights too. `spread`: effect of a unit
/// of noise on each column of the code.
pub fn weight_file_with_noise(character: &Character, deviation: f32, spread: f32) -> Vec<u8> {
    write(character, 2, deviation, Precision::F32, Some(spread))
}

fn write(character: &Character, styles: usize, deviation: f32, precision: Precision, spread: Option<f32>) -> Vec<u8> {
    let layout = Layout::new(character, 4, styles);
    let sizes = sizes(&layout);
    let mut next = random(3);
    let config = Config {
        sizes,
        character: character.name.to_owned(),
        actions: ["stand", "move", "sit", "lie"].map(str::to_owned).to_vec(),
        styles: (0..styles).map(|style| format!("style {style}")).collect(),
        other_styles: 0,
        offsets: (0..character.len()).map(|joint| [0.0, if joint == 0 { 0.0 } else { -0.05 }, 0.02]).collect(),
        rest: vec![0.02; character.contacts.len()],
        fastest: 3.0,
        generative: spread.map(|_| generative_sizes(&layout)),
    };
    let config = serde_json::to_value(config).unwrap();
    let meta =
        Meta { name: NAME.to_owned(), layout: VERSION, config, set: "made".to_owned(), licence: "any".to_owned() };
    // Every joint is upright, 0.4 m above the ground.
    let start: Vec<f32> =
        (0..character.len()).flat_map(|_| [0.0, 0.4, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]).collect();
    assert_eq!(start.len(), character.len() * JOINT_WIDTH);
    let mut mean = vec![0.0; sizes.output];
    mean[layout.out_state()].copy_from_slice(&start);
    mean[layout.out_contact()].fill(0.5);
    // On average every sample of the path faces ahead (+z) and has the first action.
    for sample in mean[layout.out_path()].chunks_exact_mut(layout.sample_width()) {
        (sample[3], sample[6]) = (1.0, 1.0);
    }
    let mut tensors = vec![
        vector("start", start),
        vector("input.mean", vec![0.0; sizes.input]),
        vector("input.deviation", vec![1.0; sizes.input]),
        vector("gate_input.mean", vec![0.0; sizes.gate]),
        vector("gate_input.deviation", vec![1.0; sizes.gate]),
        vector("output.mean", mean),
        vector("output.deviation", vec![deviation; sizes.output]),
    ];
    tensors.extend(parameters(&sizes).into_iter().map(|parameter| {
        let inputs = parameter.shape[parameter.shape.len().saturating_sub(2)] as f32;
        let values = parameter.range().map(|_| next() * (3.0 / inputs).sqrt()).collect();
        NamedTensor { name: parameter.name, shape: parameter.shape, values }
    }));
    if let Some(spread) = spread {
        tensors.extend(generative_tensors(&generative_sizes(&layout), spread, &mut next));
    }
    to_bytes(&meta, &tensors, precision).unwrap()
}

fn vector(name: &str, values: Vec<f32>) -> NamedTensor {
    NamedTensor { name: name.to_owned(), shape: vec![values.len()], values }
}

/// Returns the tensors of the generative control. `next`: generator of numbers from -1 to 1.
fn generative_tensors(sizes: &generative::Sizes, spread: f32, next: &mut impl FnMut() -> f32) -> Vec<NamedTensor> {
    let mut tensors = Vec::new();
    for (name, widths) in [("encoder", sizes.encoder()), ("decoder", sizes.decoder())] {
        for (layer, pair) in widths.windows(2).enumerate() {
            let values = (0..pair[0] * pair[1]).map(|_| next() * (3.0 / pair[0] as f32).sqrt()).collect();
            let name = format!("generative.{name}.{layer}");
            tensors.push(NamedTensor { name: format!("{name}.weight"), shape: pair.to_vec(), values });
            tensors.push(vector(&format!("{name}.bias"), vec![0.1; pair[1]]));
        }
    }
    tensors.push(vector("generative.path.mean", vec![0.0; sizes.path]));
    tensors.push(vector("generative.path.deviation", vec![1.0; sizes.path]));
    let diagonal = (0..sizes.code * sizes.code).map(|index| if index % (sizes.code + 1) == 0 { spread } else { 0.0 });
    let name = "generative.spread".to_owned();
    tensors.push(NamedTensor { name, shape: vec![sizes.code; 2], values: diagonal.collect() });
    tensors
}
