//! A small DC-MoE network with random weights. With a small `output_scale`, its motion stays near the extrapolation to
//! which its output is added.

#![allow(dead_code)]

use glam::Quat;
use kinestitch::feature::dcmoe::{CONTACT, GATE, INPUT, OUTPUT, PHASE, VERSION};
use kinestitch::feature::posture::POSTURE_ROLES;
use kinestitch::method::dcmoe::posture::TENSORS;
use kinestitch::method::dcmoe::{Config, NAME};
use kinestitch::nn::mixture::{Sizes, parameters};
use kinestitch::nn::weights::Meta;
use kinestitch::nn::weights::write::{NamedTensor, Precision, to_bytes};

/// Sizes of a small network.
pub const SIZES: Sizes = Sizes { input: INPUT, gate: GATE, gate_hidden: 8, experts: 3, hidden: 16, output: OUTPUT };

/// Returns the bytes of the weight file. `output_scale`: standard deviation of each output column except the phases:
/// differences from the extrapolation (metres, components of axes) and contact probabilities. The posture of each style
/// is bent a little more than that of the previous one.
pub fn weight_file(styles: usize, output_scale: f32, precision: Precision) -> Vec<u8> {
    let sizes = SIZES;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    // Xorshift; uniform in [-1, 1).
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    };
    let config = Config { sizes, styles: (0..styles).map(|style| format!("style {style}")).collect() };
    let config = serde_json::to_value(config).unwrap();
    let (set, licence) = ("made".to_owned(), "any".to_owned());
    let meta = Meta { name: NAME.to_owned(), layout: VERSION, config, set, licence };
    let mut deviation = vec![output_scale; OUTPUT];
    deviation[PHASE..].fill(0.5);
    let mut mean = vec![0.0; OUTPUT];
    // Mean contact probability: lower than the probability at which a foot begins to be held.
    mean[CONTACT..PHASE].fill(0.3);
    let vector =
        |name: &str, values: Vec<f32>| NamedTensor { name: name.to_owned(), shape: vec![values.len()], values };
    let mut tensors = vec![
        vector("input.mean", vec![0.0; INPUT]),
        vector("input.deviation", vec![1.0; INPUT]),
        vector("gate_input.mean", vec![0.0; sizes.gate]),
        vector("gate_input.deviation", vec![1.0; sizes.gate]),
        vector("output.mean", mean),
        vector("output.deviation", deviation),
    ];
    tensors.extend(parameters(&sizes).into_iter().map(|parameter| {
        let inputs = parameter.shape[parameter.shape.len().saturating_sub(2)] as f32;
        let values = parameter.range().map(|_| next() * (3.0 / inputs).sqrt()).collect();
        NamedTensor { name: parameter.name, shape: parameter.shape, values }
    }));
    let bent = |style: usize| Quat::from_rotation_x(0.1 * (1 + style) as f32).to_array();
    let means = (0..styles).flat_map(|style| (0..POSTURE_ROLES.len()).flat_map(move |_| bent(style))).collect();
    // Mean rotations, spreads, heights and speeds, in the order of `TENSORS`.
    let postures = [means, vec![0.1; 3 * styles * POSTURE_ROLES.len()], vec![0.9; styles], [0.5, 2.0].repeat(styles)];
    if styles > 0 {
        tensors.extend(TENSORS.iter().zip(postures).map(|(name, values)| vector(name, values)));
    }
    to_bytes(&meta, &tensors, precision).unwrap()
}
