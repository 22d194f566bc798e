//! Functions that run each file parser and use its result as a page would, and small seed files for the parsers. Shared
//! by `tests/hostile_bytes.rs` and the fuzz targets.

use super::networks::small_templates;
use glam::Vec2;
use kinestitch::method::gallery::file::{Contents, Segment, Track};
use kinestitch::method::gallery::{Gallery, Request};
use kinestitch::method::random::Random;
use kinestitch::motion::clip::Clip;
use kinestitch::motion::ground_path::GroundState;
use kinestitch::motion::resample::resample;
use kinestitch::motion::source::Source;
use kinestitch::motion::{bvh, glb, pack, rig};
use kinestitch::nn::weights::write::{NamedTensor, Precision, to_bytes};
use kinestitch::nn::weights::{Meta, Weights};

/// Reads a BVH file, writes the clip and infers its rig. Returns whether the file was accepted.
pub fn bvh(bytes: &[u8]) -> bool {
    let Ok(parsed) = bvh::parse("hostile", bytes) else { return false };
    use_clip(&parsed.clip);
    true
}

/// Reads a packed clip, checks that packing and reading it again gives the same bits, writes it and infers its rig.
/// Returns whether the file was accepted.
pub fn pack(bytes: &[u8]) -> bool {
    let Ok(read) = pack::unpack(bytes, None) else { return false };
    let repacked = pack::pack(&read.clip, &read.rig, &read.source).expect("a clip that was read can be packed");
    let again = pack::unpack(&repacked, None).expect("a packed clip can be read");
    assert_eq!(again, read);
    // `==` does not distinguish 0 and −0, so the bytes are compared too.
    assert!(pack::pack(&again.clip, &again.rig, &again.source) == Ok(repacked), "the clips differ in a bit");
    use_clip(&read.clip);
    true
}

/// Writes a clip, infers its rig and resamples it, as a page does. Skips long clips and large skeletons, and does not
/// resample a long duration: their size would only make the test slow.
fn use_clip(clip: &Clip) {
    if clip.frames() > 300 || clip.joints() > 300 {
        return;
    }
    let _ = bvh::write(clip);
    let _ = glb::write(clip);
    let _ = rig::infer(clip);
    if clip.frame_time_secs() * (clip.frames() as f64) < 100.0 {
        let _ = resample(clip, 30.0);
    }
}

/// Reads a gallery and searches it. The results must be finite. Returns whether the file was accepted.
pub fn gallery(bytes: &[u8]) -> bool {
    let Ok(gallery) = Gallery::read(bytes) else { return false };
    let standing = |z: f32, heading: f32| GroundState { position: Vec2::new(0.0, z), heading, velocity: None };
    let request = Request { count: 3, ..Request::default() };
    for candidate in gallery.candidates(standing(0.0, 0.0), standing(2.0, 0.5), &request) {
        assert!(candidate.path.positions.iter().all(|position| position.is_finite()), "{candidate:?}");
        assert!(candidate.path.headings.iter().all(|heading| heading.is_finite()), "{candidate:?}");
    }
    true
}

/// Reads the BVH files in `fuzz/seeds`.
pub fn bvh_seeds() -> Vec<Vec<u8>> {
    let folder = format!("{}/../../fuzz/seeds", env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Packs the clips of [`bvh_seeds`], every second one with a warning.
pub fn pack_seeds() -> Vec<Vec<u8>> {
    let packed = |(index, bytes): (usize, &Vec<u8>)| {
        let parsed = bvh::parse("seed", bytes).ok()?;
        let rig = rig::infer(&parsed.clip);
        let source = Source { warnings: vec!["a doubt".to_owned(); index % 2], ..parsed.source };
        Some(pack::pack(&parsed.clip, &rig, &source).unwrap())
    };
    bvh_seeds().iter().enumerate().filter_map(packed).collect()
}

/// Writes small galleries: one with several tracks, one with many equal segments, and an empty one.
pub fn gallery_seeds() -> Vec<Vec<u8>> {
    let track = |style: usize, turn: f32| {
        let position = |index: usize| Vec2::new((turn * index as f32).sin(), 0.1 * index as f32);
        let heading = |index: usize| turn * index as f32;
        let (positions, headings) = ((0..30).map(position).collect(), (0..30).map(heading).collect());
        Track { style, positions, headings, heights: vec![0.9; 30] }
    };
    let contents = |styles: &[&str]| Contents {
        set: "made".to_owned(),
        licence: "any".to_owned(),
        styles: styles.iter().map(|style| (*style).to_owned()).collect(),
        ..Contents::default()
    };
    let segments =
        (0..2).flat_map(|track| (0..4).map(move |index| Segment { track, start: 3 * index, steps: 5 + 4 * index }));
    let varied = Contents {
        tracks: vec![track(0, 0.02), track(1, -0.1)],
        segments: segments.collect(),
        ..contents(&["usual", "old"])
    };
    let repeated = Contents {
        tracks: vec![track(0, 0.0)],
        segments: vec![Segment { track: 0, start: 0, steps: 20 }; 40],
        ..contents(&["usual"])
    };
    [varied, repeated, contents(&[])].iter().map(|stored| stored.write().unwrap()).collect()
}

/// Writes a small weight file for each network except the refiner, with 8-bit integers and in half precision.
pub fn weight_seeds() -> Vec<Vec<u8>> {
    let mut random = Random::new(3);
    let mut seeds: Vec<Vec<u8>> = Vec::new();
    for template in small_templates() {
        let single = template.file(|name, _| match name {
            _ if name.ends_with("deviation") || name.ends_with("scale") || name == "calibration" => 1.0,
            _ => 0.2 * random.normal(),
        });
        for precision in [Precision::Int8, Precision::F16] {
            seeds.push(convert(&single, precision));
        }
    }
    seeds
}

/// Converts a weight file to another precision.
fn convert(file: &[u8], precision: Precision) -> Vec<u8> {
    let weights = Weights::read(file).unwrap();
    let meta: Meta = weights.meta.clone();
    let named = |name: &&str| {
        let shape = weights.shape(name).unwrap();
        NamedTensor { name: (*name).to_owned(), values: weights.tensor(name, &shape).unwrap(), shape }
    };
    to_bytes(&meta, &weights.names().iter().map(named).collect::<Vec<_>>(), precision).unwrap()
}
