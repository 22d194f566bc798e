//! Untrusted bytes: damaged files of every format, and networks with arbitrary values. No panic, no hang, finite
//! results. Seeded, a few seconds; `node scripts/fuzz.mjs` runs longer.

#[path = "common/mutants.rs"]
mod mutants;
#[path = "common/networks.rs"]
mod networks;
#[path = "common/readers.rs"]
mod readers;

use kinestitch::method::random::Random;
use mutants::Mutants;
use networks::WeightTemplate;
use std::fs;
use std::path::Path;

/// Damaged files per seed.
const PER_SEED: usize = 150;

/// Reads mutants of every seed. Returns the number of accepted ones.
fn survive(name: &str, seeds: &[Vec<u8>], read: impl Fn(&[u8]) -> bool) -> usize {
    let mut accepted = 0;
    for (index, seed) in seeds.iter().enumerate() {
        assert!(read(seed), "{name}: seed {index} is a whole file");
        let mut mutants = Mutants::new(1 + index as u64);
        accepted += (0..PER_SEED).filter(|_| read(&mutants.mutate(seed, seeds))).count();
    }
    println!("{name}: {} mutants, {accepted} accepted", PER_SEED * seeds.len());
    accepted
}

#[test]
fn damaged_bvh_files_are_refused_or_are_clips() {
    assert!(survive("bvh", &readers::bvh_seeds(), readers::bvh) > 0);
}

#[test]
fn damaged_packs_are_refused_or_are_clips() {
    assert!(survive("pack", &readers::pack_seeds(), readers::pack) > 0);
}

#[test]
fn damaged_galleries_are_refused_or_are_searched() {
    assert!(survive("gallery", &readers::gallery_seeds(), readers::gallery) > 0);
}

#[test]
fn damaged_weight_files_are_refused_or_are_run() {
    let seeds = readers::weight_seeds();
    assert!(survive("weights", &seeds, |bytes| networks::run(bytes).is_ok()) > 0);
}

/// Weight values by tensor name and index.
type Filler = Box<dyn FnMut(&str, usize) -> f32>;

fn fillers() -> Vec<(&'static str, Filler)> {
    let signs = |size: f32| move |_: &str, at: usize| if at.is_multiple_of(2) { size } else { -size };
    let mut random = Random::new(5);
    let mut wild = Random::new(6);
    let spiked = |of: &'static str, value: f32| {
        let mut random = Random::new(7);
        move |name: &str, _: usize| if name.contains(of) { value } else { 0.3 * random.normal() }
    };
    vec![
        ("3e38", Box::new(|_, _| 3e38)),
        ("3e38 of both signs", Box::new(signs(3e38))),
        ("largest", Box::new(|_, _| 1e6)),
        ("largest of both signs", Box::new(signs(1e6))),
        ("smallest", Box::new(|_, _| f32::MIN_POSITIVE)),
        ("none", Box::new(|_, _| 0.0)),
        ("no numbers", Box::new(|_, _| f32::NAN)),
        ("random", Box::new(move |_, _| random.normal())),
        ("random up to the largest", Box::new(move |_, _| (1e6 * wild.normal()).clamp(-1e6, 1e6))),
        ("deviations of nothing", Box::new(spiked("deviation", 0.0))),
        ("deviations of next to nothing", Box::new(spiked("deviation", 1e-38))),
        ("deviations below nothing", Box::new(spiked("deviation", -1.0))),
        ("means at the limit", Box::new(spiked("mean", 1e6))),
        ("biases at the limit", Box::new(spiked("bias", -1e6))),
        ("matrices at the limit", Box::new(spiked("weight", 1e6))),
        ("scales of nothing", Box::new(spiked("scale", 0.0))),
        ("scales of next to nothing", Box::new(spiked("scale", 2e-7))),
        ("a standing body far away", Box::new(spiked("start", 1e6))),
    ]
}

#[test]
fn networks_of_any_numbers_end_in_finite_motion_or_an_error() {
    let (mut runs, mut made) = (0, 0);
    for blank in networks::templates() {
        for (filler, mut value) in fillers() {
            println!("{}, {filler}", blank.name);
            let result = networks::run(&blank.file(&mut value));
            runs += 1;
            made += usize::from(result.is_ok());
            if let Err(error) = &result {
                assert!(
                    ["weights", "device", "rig", "clip"].contains(&error.code()),
                    "{}, {filler}: {error}",
                    blank.name
                );
            }
            if filler.starts_with("3e38") || filler == "no numbers" {
                let error = result.unwrap_err().to_string();
                assert!(error.contains("weights: tensor") && error.contains("not finite or beyond"), "{error}");
            }
        }
    }
    println!("networks: {runs} runs, {made} made motion");
    assert!(made > runs / 4, "{made} of {runs}");
}

#[test]
fn a_single_number_anywhere_does_no_harm() {
    for WeightTemplate { name, tensors, .. } in &networks::small_templates() {
        assert!(!tensors.is_empty(), "{name}");
    }
    for blank in networks::small_templates() {
        for (tensor, shape) in &blank.tensors {
            let count: usize = shape.iter().product();
            for value in [1e6, -1e6, 3e38, f32::INFINITY] {
                let mut random = Random::new(9);
                let place = count / 2;
                let file = blank.file(|name, at| match name == tensor && at == place {
                    true => value,
                    false if name.ends_with("deviation") || name.ends_with("scale") || name == "calibration" => 1.0,
                    false => 0.2 * random.normal(),
                });
                let result = networks::run(&file);
                assert!(value.abs() <= 1e6 || result.is_err(), "{} took {value:e} in {tensor}", blank.name);
            }
        }
    }
}

#[test]
#[ignore = "writes the seeds of the fuzz targets; run by scripts/fuzz.mjs"]
fn write_fuzz_seeds() {
    let all = [
        ("bvh", readers::bvh_seeds()),
        ("pack", readers::pack_seeds()),
        ("gallery", readers::gallery_seeds()),
        ("weights", readers::weight_seeds()),
        ("networks", (0..6).map(|kind| [&[kind][..], b"networks of any numbers"].concat()).collect()),
    ];
    for (target, seeds) in all {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
        fs::create_dir_all(&folder).unwrap();
        for (index, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(format!("seed-{index}")), seed).unwrap();
        }
    }
}
