//! Packing, pairs, and a few training steps of the refiner on generated clips. Checks that training runs, resumes and
//! exports, but not the quality of the result.

use burn::tensor::Device;
use kinestitch::Error;
use kinestitch::body::GroundPose;
use kinestitch::feature::layout::RefinerRow;
use kinestitch::method::rmr::{Config, Rmr};
use kinestitch::motion::bvh;
use kinestitch::motion::root::wrap;
use kinestitch::nn::weights::{self, Network, Precision};
use rand::SeedableRng;
use std::path::{Path, PathBuf};
use training::checkpoint;
use training::data::{Label, Recording, Split, pack};
use training::device;
use training::evaluate::evaluate;
use training::pairs::{Neighbours, WINDOW, clips, cut, rows, windows};
use training::recipe::{Recipe, export, load};
use training::rmr::{RmrTraining, train};
use training::run::Run;
use training::schedule::Schedule;

fn recordings() -> Vec<Recording> {
    let clips = ["ada-walk", "ada-jog", "ada-run", "ada-turn", "ada-idle", "bo-walk", "bo-jog", "bo-run", "bo-turn"];
    let read = |name: &&str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/fixtures/{name}.bvh"));
        let clip = bvh::parse(name, &std::fs::read(path).unwrap()).unwrap().clip;
        let (subject, _) = name.split_once('-').unwrap();
        let label = Label {
            set: "ours".to_owned(),
            split: if *name == "bo-turn" { Split::Validation } else { Split::Train },
            subject: subject.to_owned(),
            style: "plain".to_owned(),
            character: "biped".to_owned(),
            lead: 0,
        };
        Recording::from_clip(&clip, &label).unwrap()
    };
    clips.iter().map(read).collect()
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("kinestitch-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_pack_is_read_back_within_its_precision() {
    let folder = folder("pack");
    let path = folder.join("ours.pack");
    let recordings = recordings();
    pack::save(&path, &recordings).unwrap();
    let loaded = pack::load(&path).unwrap();
    for (a, b) in recordings.iter().zip(&loaded) {
        assert_eq!((&a.name, a.split, a.ground, a.rest), (&b.name, b.split, b.ground, b.rest));
        assert_eq!((&a.set, &a.subject, &a.style, &a.character), (&b.set, &b.subject, &b.style, &b.character));
        assert_eq!((a.clip.translations(), a.clip.skeleton()), (b.clip.translations(), b.clip.skeleton()));
        let errors =
            a.clip.rotations().iter().zip(b.clip.rotations()).map(|(a, b)| (*a - *b).length().min((*a + *b).length()));
        assert!(errors.fold(0.0, f32::max) < 1e-4, "{}", a.name);
    }
    std::fs::write(&path, b"not a pack").unwrap();
    assert!(matches!(pack::load(&path), Err(Error::File { .. })));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn pairs_copy_the_beginning_and_keep_the_root() {
    let recordings = recordings();
    let neighbours = Neighbours::new(&recordings);
    let mut rng = rand::rngs::StdRng::seed_from_u64(3);
    let mut count = 0;
    for window in windows(&recordings, Split::Train) {
        let Some(pair) = neighbours.pair(&recordings, window, &mut rng) else { continue };
        let (input, truth) = clips(&recordings, &pair).unwrap();
        let kept_frames = pair.replaced[0].0;
        assert_eq!(kept_frames % 10, 0);
        let kept_rotations = kept_frames * truth.joints();
        assert_eq!(input.rotations()[..kept_rotations], truth.rotations()[..kept_rotations]);
        for frame in 0..WINDOW {
            let (a, b) = (GroundPose::from_clip(&input, frame), GroundPose::from_clip(&truth, frame));
            assert!(a.position.distance(b.position) < 1e-4 && wrap(a.heading - b.heading).abs() < 1e-3);
        }
        let (input_rows, truth_rows) = rows(&recordings, &pair).unwrap();
        assert_eq!([input_rows.len(), truth_rows.len()], [WINDOW * RefinerRow::WIDTH; 2]);
        assert!(input_rows.iter().chain(&truth_rows).all(|value| value.is_finite()));
        count += 1;
    }
    assert!(count > 10, "{count} pairs");
}

#[test]
fn mirroring_a_window_twice_is_identity() {
    let mut recordings = recordings();
    let window = windows(&recordings, Split::Train).into_iter().find(|window| window.mirrored).unwrap();
    let unmirrored = cut(&recordings, training::segment_index::Segment { mirrored: false, ..window }, WINDOW).unwrap();
    recordings[window.recording].clip = cut(&recordings, window, WINDOW).unwrap();
    let mirrored_twice = cut(&recordings, training::segment_index::Segment { start: 0, ..window }, WINDOW).unwrap();
    assert_eq!(unmirrored, mirrored_twice);
}

fn recipe() -> Recipe {
    Recipe {
        name: "test".to_owned(),
        sets: vec!["ours".to_owned()],
        set: "open".to_owned(),
        licence: "for any use".to_owned(),
        schedule: Schedule {
            steps: 3,
            batch: 3,
            rate: 1e-3,
            warmup: 1,
            cooldown: None,
            seed: 5,
            optimizer: None,
            decay: None,
            clip: None,
            every: None,
        },
        dropout: 0.1,
        pairs: 8,
        seams: 0.4,
    }
}

#[test]
fn windows_without_neighbours_give_an_error_that_says_what_to_do() {
    let mut recordings = recordings();
    recordings.retain(|recording| ["ada-walk", "bo-turn"].contains(&recording.name.as_str()));
    recordings[0].clip = recordings[0].clip.trimmed(0..WINDOW).unwrap();
    // Of the random segments of such a short recording, some have a neighbour, others have none.
    let mut errors = 0;
    for seed in 0..20 {
        let mut recipe = Recipe { pairs: 1, ..recipe() };
        recipe.schedule.seed = seed;
        if let Err(error) = RmrTraining::new(&recordings, &recipe) {
            assert!(error.to_string().contains("add training recordings"), "{error}");
            errors += 1;
        }
    }
    assert!(errors > 0);
    let no_pairs = RmrTraining::new(&recordings, &Recipe { pairs: 0, ..recipe() }).err().unwrap().to_string();
    assert!(no_pairs.contains("\"pairs\" to 1 or more"), "{no_pairs}");
    // Without training recordings, the indices of segments are empty.
    recordings.remove(0);
    let windows = windows(&recordings, Split::Validation);
    let mut rng = rand::rngs::StdRng::seed_from_u64(1);
    let error = Neighbours::new(&recordings).draw(&recordings, &windows, 4, &mut rng, || ()).unwrap_err().to_string();
    assert!(error.contains("none of 4") && error.contains("add training recordings"), "{error}");
}

#[test]
fn tables_state_how_many_pairs_were_found() {
    let mut recordings = recordings();
    recordings.truncate(1);
    recordings[0].clip = recordings[0].clip.trimmed(0..WINDOW).unwrap();
    let (folder, recipe, device) = (folder("few-pairs"), recipe(), Device::flex());
    let weights = folder.join("blank.safetensors");
    let blank = Rmr::blank(&recipe.config(), &device);
    std::fs::write(&weights, weights::write(&blank, &recipe.config(), ("open", ""), Precision::F16).unwrap()).unwrap();
    let tables = evaluate(&recordings, &recipe, &weights, (Split::Train, 30)).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
    assert!((1..30).contains(&tables[0].pairs), "{}", tables[0].pairs);
}

#[test]
fn a_file_with_an_impossible_dropout_rate_is_an_error() {
    let (recipe, device) = (recipe(), Device::flex());
    let config = recipe.config();
    let blank = Rmr::blank(&config, &device);
    let bytes = |dropout| weights::write(&blank, &Config { dropout, ..config }, ("open", ""), Precision::F16).unwrap();
    assert!(Rmr::load(&bytes(0.5), &device).is_ok());
    for dropout in [-0.1, 1.0, 5.0] {
        let error = Rmr::load(&bytes(dropout), &device).unwrap_err().to_string();
        assert!(error.contains("dropout"), "{error}");
    }
}

#[test]
fn training_resumes_exports_and_scores_weights() {
    let (recordings, recipe) = (recordings(), recipe());
    let folder = folder("run");
    let run = |stop, resume, from| Run { folder: folder.clone(), resume, from, stop, threads: 2 };
    train(&recordings, &recipe, &run(2, false, None), &Device::flex()).unwrap();
    train(&recordings, &recipe, &run(usize::MAX, true, None), &Device::flex()).unwrap();
    let log = std::fs::read_to_string(folder.join("loss.csv")).unwrap();
    let steps: Vec<&str> = log.lines().map(|line| line.split(',').next().unwrap()).collect();
    assert_eq!(steps, ["step", "0", "2", "3"]);
    let refuse = |run: Run| train(&recordings, &recipe, &run, &Device::flex()).unwrap_err().to_string();
    let error = refuse(run(usize::MAX, false, None));
    assert!(error.contains("has the checkpoint of a run") && error.contains("--resume"), "{error}");
    let error = refuse(Run { folder: folder.join("mistyped"), ..run(usize::MAX, true, None) });
    assert!(error.contains("mistyped has no state.json") && !folder.join("mistyped").exists(), "{error}");
    assert_eq!(std::fs::read_to_string(folder.join("loss.csv")).unwrap(), log);

    let weights = folder.join("test.safetensors");
    let size = export(&recipe, &folder, &weights, Precision::F16).unwrap();
    assert_eq!(size as u64, std::fs::metadata(&weights).unwrap().len());
    assert!(load(&recipe, &weights, &Device::flex()).unwrap().is_gru());
    let tables = evaluate(&recordings, &recipe, &weights, (Split::Validation, 4)).unwrap();
    assert_eq!((tables[0].set.as_str(), tables[0].pairs), ("ours", 4));
    let names: Vec<&str> = tables[0].rows.iter().map(|row| row.0.as_str()).collect();
    assert_eq!(names, ["truth", "input", "crossfade", "inertialize", "rmr"]);
    assert_eq!(tables[0].rows[0].1.mse, 0.0);
    assert!(tables[0].rows[1].1.pop >= tables[0].rows[3].1.pop, "inertializing a hard cut makes pops smaller");

    let start = |name: &str, stop, from| Run { folder: folder.join(name), ..run(stop, false, from) };
    train(&recordings, &recipe, &start("continued", 1, Some(weights)), &Device::flex()).unwrap();
    let mut diverging = recipe.clone();
    (diverging.schedule.rate, diverging.schedule.clip) = (1e30, Some(f32::MAX));
    let error = train(&recordings, &diverging, &start("diverging", usize::MAX, None), &Device::flex()).unwrap_err();
    assert!(error.to_string().contains("not finite") && error.to_string().contains("lower rate"), "{error}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_device_that_is_not_in_the_build_gives_an_error_with_the_feature() {
    assert!(device::from_name("cpu").is_ok());
    #[cfg(not(feature = "cuda"))]
    assert!(device::from_name("cuda").unwrap_err().to_string().contains("--features cuda"));
    #[cfg(not(feature = "vulkan"))]
    assert!(device::from_name("vulkan").unwrap_err().to_string().contains("--features vulkan"));
    assert!(device::from_name("abacus").unwrap_err().to_string().contains("cpu, cuda, vulkan"));
}

/// Checks that a method can read its recipe.
fn assert_reads<T: serde::de::DeserializeOwned>(path: &Path) {
    checkpoint::read_json::<T>(path).unwrap();
}

#[test]
fn every_recipe_is_read_by_its_method() {
    let files = std::fs::read_dir("../recipes").unwrap().map(|entry| entry.unwrap().path());
    for path in files {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        match name.split('-').next().unwrap() {
            "rmr" => assert_reads::<Recipe>(&path),
            "delta" => assert_reads::<training::delta::Recipe>(&path),
            "manifold" => assert_reads::<training::manifold::recipe::Recipe>(&path),
            "controller" => assert_reads::<training::controller::Recipe>(&path),
            "dcmoe" => assert_reads::<training::dcmoe::Recipe>(&path),
            "judge" => assert_reads::<training::judge::Recipe>(&path),
            "periodic" => assert_reads::<training::periodic::Recipe>(&path),
            "gallery" => assert_reads::<training::gallery::Recipe>(&path),
            "generative" => assert_reads::<training::generative::Recipe>(&path),
            name => assert_eq!(name, "sets", "this recipe belongs to no method"),
        }
    }
}
