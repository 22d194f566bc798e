//! The generated clips: the committed files are the generator's output, planted feet stay planted, and each gait has
//! the properties of its name.
#![cfg(not(target_arch = "wasm32"))]

use glam::Quat;
use kinestitch::Clip;
use kinestitch::metrics::{foot_skate, largest_step, soles};
use kinestitch::motion::bvh;
use kinestitch::motion::fk::world_positions;
use kinestitch::motion::rig::{self, Rig, RigKind, Role};
use std::path::{Path, PathBuf};

const CHARACTERS: [&str; 2] = ["ada", "bo"];
const GAITS: [&str; 5] = ["walk", "jog", "run", "turn", "idle"];
const DOG: [&str; 2] = ["cleo-walk", "cleo-trot"];

/// Names of all fixtures.
fn names() -> Vec<String> {
    let people = CHARACTERS.iter().flat_map(|character| GAITS.map(|gait| format!("{character}-{gait}")));
    people.chain(DOG.map(str::to_owned)).collect()
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures")
}

fn read(file: &Path) -> Clip {
    let bytes = std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let parsed = bvh::parse("gait", &bytes).unwrap();
    assert!(parsed.source.warnings.is_empty(), "{}: {:?}", file.display(), parsed.source.warnings);
    parsed.clip
}

fn load(character: &str, gait: &str) -> (Clip, Rig) {
    let clip = read(&fixtures().join(format!("{character}-{gait}.bvh")));
    let rig = rig::infer(&clip);
    assert_eq!((rig.kind, &rig.warnings), (RigKind::Biped, &Vec::new()), "{character}-{gait}");
    (clip, rig)
}

/// World heights of a joint by role, [frames], metres.
fn heights(clip: &Clip, rig: &Rig, role: Role) -> Vec<f32> {
    let joint = rig.joint(role).unwrap();
    world_positions(clip).chunks_exact(clip.joints()).map(|pose| pose[joint].y).collect()
}

fn lowest(heights: &[f32]) -> f32 {
    heights.iter().copied().fold(f32::MAX, f32::min)
}

/// Frames without contact: both balls of the feet are more than a centimetre above the ground.
fn flying_frames(clip: &Clip, rig: &Rig) -> usize {
    let feet = [Role::LeftToe, Role::RightToe].map(|role| heights(clip, rig, role));
    let ground = lowest(&feet[0]);
    (0..clip.frames()).filter(|&frame| feet.iter().all(|foot| foot[frame] > ground + 0.01)).count()
}

#[test]
fn the_committed_files_are_the_output_of_the_generator() {
    let out = std::env::temp_dir().join(format!("kinestitch-gait-{}", std::process::id()));
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_gait")).arg("--out").arg(&out).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    for name in names().iter().map(|name| format!("{name}.bvh")) {
        let (generated, committed) = (read(&out.join(&name)), read(&fixtures().join(&name)));
        assert_eq!(generated.skeleton(), committed.skeleton(), "{name}");
        assert_eq!(generated.frames(), committed.frames(), "{name}");
        // The last bits of sines differ between machines.
        let pairs = world_positions(&generated).into_iter().zip(world_positions(&committed));
        let difference = pairs.map(|(a, b)| a.distance(b)).fold(0.0, f32::max);
        assert!(
            difference < 1e-4,
            "{name} differs by {difference} m: run `cargo run --release -p lab --bin gait -- --out tests/fixtures`"
        );
    }
    std::fs::remove_dir_all(&out).unwrap();
}

#[test]
fn feet_do_not_slide() {
    for character in CHARACTERS {
        for gait in GAITS {
            let (clip, rig) = load(character, gait);
            let ground = [Role::LeftFoot, Role::LeftToe].map(|role| lowest(&heights(&clip, &rig, role)));
            let skate = foot_skate(&clip, &soles(&rig, ground), 0..clip.frames());
            // For comparison: 0.0016 in a walk of LAFAN1.
            assert!(skate.slide < 0.0016, "{character}-{gait} slides {} m a frame", skate.slide);
        }
    }
}

/// Fails if a joint moves while it is on the ground.
fn assert_planted(clip: &Clip, joint: usize, name: &str) {
    let ball: Vec<_> = world_positions(clip).chunks_exact(clip.joints()).map(|pose| pose[joint]).collect();
    let ground = lowest(&ball.iter().map(|p| p.y).collect::<Vec<_>>());
    let down = |p: &&[glam::Vec3]| p.iter().all(|p| p.y < ground + 1e-4);
    let planted: Vec<_> = ball.windows(2).filter(down).collect();
    assert!(planted.len() > 8, "{name}: {} planted frames", planted.len());
    let moved = planted.iter().map(|p| p[0].distance(p[1])).fold(0.0, f32::max);
    assert!(moved < 5e-4, "{name} moves a planted foot by {moved} m");
}

#[test]
fn the_planted_ball_of_the_foot_stays_on_its_spot() {
    for character in CHARACTERS {
        for gait in GAITS {
            let (clip, rig) = load(character, gait);
            assert_planted(&clip, rig.joint(Role::LeftToe).unwrap(), &format!("{character}-{gait}"));
        }
    }
}

#[test]
fn the_dog_is_no_biped_and_her_paws_stay_on_their_spots() {
    for name in DOG {
        let clip = read(&fixtures().join(format!("{name}.bvh")));
        assert_eq!(rig::infer(&clip).kind, RigKind::Quadruped);
        for paw in ["HindPawL", "HindPawR", "ForePawL", "ForePawR"] {
            assert_planted(&clip, clip.skeleton().find(paw).unwrap(), name);
        }
    }
}

#[test]
fn running_and_jogging_fly_and_walking_does_not() {
    for character in CHARACTERS {
        let flying = |gait| {
            let (clip, rig) = load(character, gait);
            flying_frames(&clip, &rig) as f32 / clip.frames() as f32
        };
        assert_eq!([flying("walk"), flying("turn"), flying("idle")], [0.0; 3], "{character}");
        assert!(flying("jog") > 0.15 && flying("run") > flying("jog"), "{character}");
    }
}

#[test]
fn clips_are_whole_cycles_and_never_jump() {
    for character in CHARACTERS {
        for gait in GAITS {
            let (clip, _) = load(character, gait);
            assert!((clip.fps() - 30.0).abs() < 0.003, "{character}-{gait}: {} fps", clip.fps());
            assert!((2.0..5.0).contains(&(clip.frames() as f32 / 30.0)), "{character}-{gait}");
            // 10.5 m/s: the speed of a foot in the fastest swing.
            assert!(largest_step(&clip) < 0.35, "{character}-{gait}");
            // The last pose has the rotations of the first, except that of the root in a turn.
            let first_joint = usize::from(gait == "turn");
            let [start, end] = [0, clip.frames() - 1].map(|frame| &clip.frame_rotations(frame)[first_joint..]);
            // An arc cosine of small angles has errors of up to 1e-3, so the distance of the quaternions is used.
            let angle = |(a, b): (&Quat, &Quat)| 2.0 * (*a - *b).length().min((*a + *b).length());
            let largest = start.iter().zip(end).map(angle).fold(0.0, f32::max);
            assert!(largest < 1e-3, "{character}-{gait} ends {largest} rad from its start");
        }
    }
}
