//! Untrusted bytes: damaged files of every format, and networks with arbitrary values. No panic, no hang, finite
//! results. Seeded, a few seconds; `node scripts/fuzz.mjs` runs longer.

use crate::common::fixtures::repository;
use crate::common::mutants::Mutants;
use crate::common::networks;
use crate::common::networks::WeightTemplate;
use crate::common::readers;
use kinestitch::method::random::Random;
use std::fs;

/// Damaged files per seed.
const PER_SEED: usize = 150;

/// Reads mutants of every seed file. Returns the number of accepted mutants.
fn read_mutants(name: &str, seeds: &[Vec<u8>], read: impl Fn(&[u8]) -> bool) -> usize {
    let mut accepted = 0;
    for (index, seed) in seeds.iter().enumerate() {
        assert!(read(seed), "{name}: seed {index} is not accepted");
        let mut mutants = Mutants::new(1 + index as u64);
        accepted += (0..PER_SEED).filter(|_| read(&mutants.mutate(seed, seeds))).count();
    }
    println!("{name}: {} mutants, {accepted} accepted", PER_SEED * seeds.len());
    accepted
}

#[test]
fn damaged_bvh_files_are_rejected_or_give_clips() {
    assert!(read_mutants("bvh", &readers::bvh_seeds(), readers::bvh) > 0);
}

#[test]
fn damaged_packed_clips_are_rejected_or_give_clips() {
    assert!(read_mutants("pack", &readers::pack_seeds(), readers::pack) > 0);
}

#[test]
fn damaged_galleries_are_rejected_or_can_be_searched() {
    assert!(read_mutants("gallery", &readers::gallery_seeds(), readers::gallery) > 0);
}

#[test]
fn weight_files_of_unknown_networks_are_rejected() {
    let mut template = networks::small_templates().remove(0);
    template.name = "unknown";
    let error = networks::run(&template.file(|_, _| 1.0)).unwrap_err();
    assert!(error.to_string().contains("unknown"), "{error}");
}

#[test]
fn damaged_weight_files_are_rejected_or_can_be_run() {
    let seeds = readers::weight_seeds();
    assert!(read_mutants("weights", &seeds, |bytes| networks::run(bytes).is_ok()) > 0);
}

/// Gives weight values by tensor name and index.
type ValueSource = Box<dyn FnMut(&str, usize) -> f32>;

/// Returns sources of weight values with their names. The largest value that weight files may have is 1e6.
fn value_sources() -> Vec<(&'static str, ValueSource)> {
    let signs = |size: f32| move |_: &str, index: usize| if index.is_multiple_of(2) { size } else { -size };
    let mut random = Random::new(5);
    let mut large_random = Random::new(6);
    let random_except = |part: &'static str, value: f32| {
        let mut random = Random::new(7);
        move |name: &str, _: usize| if name.contains(part) { value } else { 0.3 * random.normal() }
    };
    vec![
        ("3e38", Box::new(|_, _| 3e38)),
        ("3e38 of both signs", Box::new(signs(3e38))),
        ("largest", Box::new(|_, _| 1e6)),
        ("largest of both signs", Box::new(signs(1e6))),
        ("smallest", Box::new(|_, _| f32::MIN_POSITIVE)),
        ("zeros", Box::new(|_, _| 0.0)),
        ("not numbers", Box::new(|_, _| f32::NAN)),
        ("random", Box::new(move |_, _| random.normal())),
        ("random up to the largest", Box::new(move |_, _| (1e6 * large_random.normal()).clamp(-1e6, 1e6))),
        ("deviations of zero", Box::new(random_except("deviation", 0.0))),
        ("deviations near zero", Box::new(random_except("deviation", 1e-38))),
        ("negative deviations", Box::new(random_except("deviation", -1.0))),
        ("means at the limit", Box::new(random_except("mean", 1e6))),
        ("biases at the limit", Box::new(random_except("bias", -1e6))),
        ("matrices at the limit", Box::new(random_except("weight", 1e6))),
        ("scales of zero", Box::new(random_except("scale", 0.0))),
        ("scales near zero", Box::new(random_except("scale", 2e-7))),
        ("a standing body far away", Box::new(random_except("start", 1e6))),
    ]
}

#[test]
fn networks_with_any_weights_give_finite_motion_or_an_error() {
    let (mut runs, mut motions) = (0, 0);
    for template in networks::templates() {
        for (source, mut value) in value_sources() {
            println!("{}, {source}", template.name);
            let result = networks::run(&template.file(&mut value));
            runs += 1;
            motions += usize::from(result.is_ok());
            if let Err(error) = &result {
                assert!(
                    ["weights", "device", "rig", "clip"].contains(&error.code()),
                    "{}, {source}: {error}",
                    template.name
                );
            }
            if source.starts_with("3e38") || source == "not numbers" {
                let error = result.unwrap_err().to_string();
                assert!(error.contains("weights: tensor") && error.contains("or not a number"), "{error}");
            }
        }
    }
    println!("networks: {runs} runs, {motions} gave a motion");
    assert!(motions > runs / 4, "{motions} of {runs}");
}

#[test]
fn a_single_extreme_weight_gives_finite_motion_or_an_error() {
    for WeightTemplate { name, tensors, .. } in &networks::small_templates() {
        assert!(!tensors.is_empty(), "{name}");
    }
    for template in networks::small_templates() {
        for (tensor, shape) in &template.tensors {
            let count: usize = shape.iter().product();
            for value in [1e6, -1e6, 3e38, f32::INFINITY] {
                let mut random = Random::new(9);
                let extreme_index = count / 2;
                let file = template.file(|name, index| match name == tensor && index == extreme_index {
                    true => value,
                    false if name.ends_with("deviation") || name.ends_with("scale") || name == "calibration" => 1.0,
                    false => 0.2 * random.normal(),
                });
                let result = networks::run(&file);
                assert!(value.abs() <= 1e6 || result.is_err(), "{} accepted {value:e} in {tensor}", template.name);
            }
        }
    }
}

#[test]
#[ignore = "writes the seeds of the fuzz targets; run by scripts/fuzz.mjs"]
fn write_fuzz_seeds() {
    let network_count = networks::small_templates().len() as u8;
    let all = [
        ("bvh", readers::bvh_seeds()),
        ("pack", readers::pack_seeds()),
        ("gallery", readers::gallery_seeds()),
        ("weights", readers::weight_seeds()),
        // The first byte selects one of the small networks.
        ("networks", (0..network_count).map(|kind| [&[kind][..], b"networks of any numbers"].concat()).collect()),
    ];
    for (target, seeds) in all {
        let folder = repository("fuzz/corpus").join(target);
        fs::create_dir_all(&folder).unwrap();
        for (index, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(format!("seed-{index}")), seed).unwrap();
        }
    }
}
