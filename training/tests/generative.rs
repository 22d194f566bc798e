//! Training of generative control: gradients against differences of the loss, and the packed form against the training
//! passes.

#[path = "../../tests/common/controller.rs"]
mod made;

use kinestitch::body::biped;
use kinestitch::feature::controller::{Layout, WAY};
use kinestitch::method::controller::generative::{Buffers, Generative};
use kinestitch::nn::weights::Weights;
use training::chain::{Chain, Pass};
use training::generative::spread::spread;

const COUNT: usize = 5;

fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut next = made::random(seed);
    (0..count).map(|_| 1.5 * next()).collect()
}

#[test]
fn gradients_of_a_chain_are_those_of_the_loss() {
    let chain = Chain::new(&[6, 9, 5, 3]);
    let mut weights = chain.initial(4);
    weights.iter_mut().zip(numbers(chain.len(), 8)).for_each(|(weight, noise)| *weight += 0.1 * noise);
    let (rows, truth) = (numbers(COUNT * 6, 1), numbers(COUNT * 3, 2));
    for keep in [1.0, 0.7] {
        // The dropout masks are the same each time.
        let forward = |weights: &[f32], rows: &[f32], pass: &mut Pass| {
            let mut next = made::random(5);
            chain.forward(weights, rows, pass, keep, &mut || 0.5 + 0.5 * next());
        };
        let loss = |weights: &[f32], rows: &[f32]| {
            let mut pass = Pass::default();
            forward(weights, rows, &mut pass);
            pass.out().iter().zip(&truth).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>()
        };
        let mut pass = Pass::default();
        forward(&weights, &rows, &mut pass);
        let by_out: Vec<f32> = pass.out().iter().zip(&truth).map(|(a, b)| 2.0 * (a - b)).collect();
        let mut gradient = vec![0.0; chain.len()];
        chain.backward(&weights, &mut gradient, &by_out, &mut pass);
        let moved = |values: &[f32], index: usize, by: f32| {
            let mut values = values.to_vec();
            values[index] += by;
            values
        };
        let step = 1e-3;
        let largest = gradient.iter().fold(0.0_f32, |largest, g| largest.max(g.abs()));
        for index in (0..chain.len()).step_by(3) {
            let up = loss(&moved(&weights, index, step), &rows);
            let slope = (up - loss(&moved(&weights, index, -step), &rows)) / f64::from(2.0 * step);
            assert!((slope as f32 - gradient[index]).abs() < 0.01 * largest, "{index}, keep {keep}: {slope}");
        }
        for (index, by) in pass.by_input().iter().enumerate() {
            let up = loss(&weights, &moved(&rows, index, step));
            let slope = (up - loss(&weights, &moved(&rows, index, -step))) / f64::from(2.0 * step);
            assert!((slope as f32 - by).abs() < 0.01 * largest, "input {index}, keep {keep}: {slope}, {by}");
        }
    }
}

#[test]
fn the_packed_form_says_what_the_trained_chains_do() {
    let layout = Layout::of(biped(), 4, 2);
    let sizes = made::generative_sizes(&layout);
    let bytes = made::varying(biped(), 0.02, 0.5);
    let file = Weights::read(&bytes).unwrap();
    let packed = Generative::read(&file, sizes).unwrap();
    let run = |name: &str, widths: [usize; 3], rows: &[f32]| {
        let mut weights = Vec::new();
        for (layer, pair) in widths.windows(2).enumerate() {
            weights.extend(file.tensor(&format!("generative.{name}.{layer}.weight"), pair).unwrap());
            weights.extend(file.tensor(&format!("generative.{name}.{layer}.bias"), &pair[1..]).unwrap());
        }
        let mut pass = Pass::default();
        Chain::new(&widths).forward(&weights, rows, &mut pass, 1.0, &mut || 1.0);
        pass.out().to_vec()
    };
    let path = numbers(sizes.path, 1);
    let mut noise = Vec::new();
    packed.noise(&numbers(sizes.code, 2), &mut noise);
    let code = run("encoder", sizes.encoder(), &path);
    let plain = run("decoder", sizes.decoder(), &code);
    let noisy: Vec<f32> = code.iter().zip(&noise).map(|(code, noise)| code + noise).collect();
    let with = run("decoder", sizes.decoder(), &noisy);
    let mut varied = path.clone();
    packed.vary(&mut varied, &noise, &mut Buffers::default());
    let ahead = 7 * layout.sample();
    assert_eq!(varied[..ahead], path[..ahead], "what has been stays");
    for column in ahead..sizes.path {
        // Actions stay as requested.
        let change = if column % layout.sample() < WAY { with[column] - plain[column] } else { 0.0 };
        let wanted = path[column] + change;
        assert!((varied[column] - wanted).abs() < 1e-4, "column {column}: {} where {wanted}", varied[column]);
    }
    assert!(varied[ahead..].iter().zip(&path[ahead..]).any(|(a, b)| (a - b).abs() > 0.1));
}

/// Codes with one half fixed by the end of the path: only the other half gets noise.
#[test]
fn noise_leaves_what_is_asked_for() {
    let layout = Layout::of(biped(), 2, 1);
    let width = layout.path().len();
    let count = 4000;
    let mut paths = numbers(count * width, 3);
    // Free columns are between the present and the end.
    let (end, free) = (12 * layout.sample(), 9 * layout.sample());
    let mut codes = Vec::new();
    for path in paths.chunks_exact_mut(width) {
        path[free + 1] += 0.5 * path[end + 1];
        codes.extend([path[end], path[end + 1], path[free], path[free + 1]]);
    }
    let root = spread(&codes, &paths, &layout).unwrap();
    let deviation = |column: usize| root.iter().skip(column).step_by(4).map(|value| value * value).sum::<f32>().sqrt();
    // Uniform within ±1.5: the standard deviation is √.75.
    for (column, wanted) in [(0, 0.0), (1, 0.0), (2, 0.866), (3, 0.866)] {
        assert!((deviation(column) - wanted).abs() < 0.06, "column {column}: {}", deviation(column));
    }
}
