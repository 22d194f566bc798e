//! Local motion phases of whole clips: bipeds, a dog, named joints, contacts with an object; and seams by phase.

use crate::common::fixtures::fixture;
use crate::common::joins::cut_by;
use glam::Vec3;
use kinestitch::method::lscore::seam;
use kinestitch::method::phase::{ContactSurface, Limb, OBJECT_SPEED, ObjectTrack, PhaseOptions, phases};
use kinestitch::motion::fk::Pose;
use kinestitch::motion::rig::{self, Rig};
use kinestitch::motion::{bvh, resample};
use kinestitch::{Clip, Cut, Error, Input, Progress, stitch};
use std::f64::consts::{PI, TAU};

fn default_phases(clip: &Clip, rig: &Rig) -> Vec<Limb> {
    phases(clip, rig, &PhaseOptions::default()).unwrap()
}

fn wrapped(angle: f64) -> f64 {
    (angle + PI).rem_euclid(TAU) - PI
}

fn options_for_joints(names: &[&str]) -> PhaseOptions {
    PhaseOptions { joints: names.iter().map(|&name| name.to_owned()).collect(), object: None }
}

/// Measures the fraction of frames, away from the ends, in which the phase advances.
fn advancing_fraction(limb: &Limb) -> f64 {
    let steps: Vec<f64> = limb.fits.windows(2).map(|pair| wrapped(pair[1].phase - pair[0].phase)).collect();
    let inside = &steps[10..steps.len() - 10];
    inside.iter().filter(|step| **step > 0.0).count() as f64 / inside.len() as f64
}

#[test]
fn the_phases_of_both_feet_differ_by_half_a_cycle() {
    for name in ["ada-walk", "bo-walk", "ada-jog", "bo-run"] {
        let (clip, rig) = fixture(name);
        let limbs = default_phases(&clip, &rig);
        assert_eq!(limbs.iter().map(|limb| limb.name.as_str()).collect::<Vec<_>>(), ["LeftFoot", "RightFoot"]);
        for limb in &limbs {
            assert!(advancing_fraction(limb) > 0.98, "{name}, {}: {}", limb.name, advancing_fraction(limb));
            // In the middle of a contact, the phase is a quarter turn, so its sine is 1.
            let touching = limb.fits.iter().zip(&limb.contact).filter(|(_, touches)| **touches);
            let sum = touching.map(|(fit, _)| fit.phase.sin()).sum::<f64>();
            assert!(sum > 0.0, "{name}, {}: contacts lie where the wave is low", limb.name);
        }
        let differences = limbs[0].fits.iter().zip(&limbs[1].fits).map(|(a, b)| wrapped(a.phase - b.phase).abs());
        let difference = differences.sum::<f64>() / clip.frames() as f64;
        assert!((difference / PI - 1.0).abs() < 0.15, "{name}: the phases differ by {difference} radians");
    }
}

#[test]
fn a_faster_gait_has_a_higher_frequency_and_longer_vectors() {
    let [walk, run] = ["ada-walk", "ada-run"].map(|name| {
        let (clip, rig) = fixture(name);
        let limbs = default_phases(&clip, &rig);
        let middle = clip.frames() / 2;
        (limbs[0].fits[middle].frequency, limbs[0].vectors[middle].length())
    });
    assert!(run.0 > walk.0 && run.1 > walk.1, "walk {walk:?}, run {run:?}");
}

#[test]
fn standing_still_has_no_phase() {
    let (clip, rig) = fixture("ada-idle");
    let still = Clip::new(
        "still",
        clip.skeleton().clone(),
        clip.frame_time_secs(),
        clip.frame_rotations(0).repeat(90),
        clip.frame_translations(0).repeat(90),
    )
    .unwrap();
    for limb in default_phases(&still, &rig) {
        assert!(
            limb.contact.iter().all(|touches| *touches) && limb.vectors.iter().all(|vector| vector.length() == 0.0)
        );
    }
}

#[test]
fn each_leg_of_a_dog_has_a_phase() {
    for name in ["cleo-walk", "cleo-trot"] {
        let (clip, rig) = fixture(name);
        let limbs = default_phases(&clip, &rig);
        let names: Vec<&str> = limbs.iter().map(|limb| limb.name.as_str()).collect();
        assert_eq!(names, ["ForePawL", "ForePawR", "HindPawL", "HindPawR"]);
        for limb in &limbs {
            assert!(advancing_fraction(limb) > 0.95, "{name}, {}: {}", limb.name, advancing_fraction(limb));
        }
        if name == "cleo-trot" {
            // Diagonal legs are in phase.
            let differences = limbs[0].fits.iter().zip(&limbs[3].fits).map(|(a, b)| wrapped(a.phase - b.phase).abs());
            assert!(differences.sum::<f64>() / (clip.frames() as f64) < 0.8);
        }
    }
}

#[test]
fn the_phase_does_not_depend_on_the_frame_rate() {
    let (clip, rig) = fixture("ada-walk");
    let slow = resample::resample(&clip, 30.0).unwrap();
    let fast = resample::resample(&clip, 120.0).unwrap();
    let (slow, fast) = (default_phases(&slow, &rig), default_phases(&fast, &rig));
    for (slow, fast) in slow.iter().zip(&fast) {
        for frame in 10..slow.fits.len() - 10 {
            let difference = wrapped(slow.fits[frame].phase - fast.fits[4 * frame].phase).abs();
            assert!(difference < 0.35, "{}, frame {frame}: {difference}", slow.name);
        }
    }
}

#[test]
fn joints_can_be_requested_by_name_or_role() {
    let (clip, rig) = fixture("bo-walk");
    let [toe, hand] = [rig::Role::LeftToe, rig::Role::RightHand].map(|role| rig.joint(role).unwrap());
    let names = ["LeftToe", "RightHand", "hand_r"];
    // Two names are those of roles only.
    assert_eq!(names.map(|name| clip.skeleton().find(name)), [None, None, Some(hand)]);
    let limbs = phases(&clip, &rig, &options_for_joints(&names)).unwrap();
    assert_eq!((limbs[0].joint, limbs[1].joint, limbs[2].joint), (toe, hand, hand));
    // The contacts of a toe are those of its foot: of heel and toe together.
    assert_eq!(limbs[0].contact, default_phases(&clip, &rig)[0].contact);
    assert!(limbs[1].contact.iter().all(|touches| !touches), "a hand in the air is not in contact");
}

/// Generates the track of an object, metres, that is 5 cm from the left hand in the first half of each second, and
/// a metre above it in the second half: one cycle of contact per second.
fn ball(clip: &Clip, rig: &Rig) -> Vec<Vec3> {
    let hand = rig.joint(rig::Role::LeftHand).unwrap();
    let near = |frame: usize| ((frame as f64 / clip.fps() * 2.0) as usize).is_multiple_of(2);
    let position = |frame: usize| {
        let hand = Pose::from_clip(clip, frame).world_positions[hand];
        if near(frame) { hand + Vec3::new(0.05, 0.0, 0.0) } else { hand + Vec3::new(0.0, 1.0, 0.0) }
    };
    (0..clip.frames()).map(position).collect()
}

#[test]
fn hands_touch_an_object() {
    let (clip, rig) = fixture("bo-walk");
    let object = ObjectTrack { positions: ball(&clip, &rig), radius: 0.15, speed: OBJECT_SPEED };
    let options = PhaseOptions { object: Some(object), ..PhaseOptions::default() };
    let limbs = phases(&clip, &rig, &options).unwrap();
    let names: Vec<_> = limbs.iter().map(|limb| (limb.name.as_str(), limb.touches)).collect();
    let (ground, object) = (ContactSurface::Ground, ContactSurface::Object);
    assert_eq!(names, [("LeftFoot", ground), ("RightFoot", ground), ("LeftHand", object), ("RightHand", object)]);
    let left = &limbs[2];
    let middle = clip.frames() / 2;
    assert!((left.fits[middle].frequency - 1.0).abs() < 0.15, "{:?}", left.fits[middle]);
    assert!(left.contact.iter().any(|touches| *touches) && left.contact.iter().any(|touches| !touches));
    assert!(limbs[3].contact.iter().all(|touches| !touches));
}

#[test]
fn invalid_input_is_an_error_with_a_message() {
    let (clip, rig) = fixture("ada-walk");
    let fail = |clip: &Clip, rig: &Rig, options: &PhaseOptions| phases(clip, rig, options).unwrap_err();

    let error = fail(&clip, &rig, &options_for_joints(&["LeftFoot", "Antenna"]));
    assert!(
        matches!(&error, Error::Option { option: "joints", message } if message.contains("\"Antenna\"")),
        "{error}"
    );

    let object = |positions, radius| PhaseOptions {
        object: Some(ObjectTrack { positions, radius, speed: OBJECT_SPEED }),
        ..PhaseOptions::default()
    };
    let still = vec![Vec3::ZERO; clip.frames()];
    let short = fail(&clip, &rig, &object(still[1..].to_vec(), 0.2)).to_string();
    assert!(short.contains(&format!("{} positions", clip.frames() - 1)), "{short}");
    let mut broken = still.clone();
    broken[3].y = f32::NAN;
    assert!(fail(&clip, &rig, &object(broken, 0.2)).to_string().contains("frame 3"));
    for radius in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        assert_eq!(fail(&clip, &rig, &object(still.clone(), radius)).code(), "option");
    }

    let empty = Clip::new("empty", clip.skeleton().clone(), 1.0 / 30.0, Vec::new(), Vec::new()).unwrap();
    assert!(matches!(fail(&empty, &rig, &PhaseOptions::default()), Error::TooShort { frames: 0, .. }));
    // A flying point has no feet.
    let flight = "HIERARCHY\nROOT kite\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\n\
        End Site\n{\nOFFSET 0 1 0\n}\n}\nMOTION\nFrames: 3\nFrame Time: 0.1\n0 100 0\n500 200 0\n1000 300 0\n";
    let kite = bvh::parse("kite", flight.as_bytes()).unwrap().clip;
    let error = fail(&kite, &Rig::empty(), &PhaseOptions::default());
    assert!(matches!(&error, Error::Rig { clip, .. } if clip == "kite"), "{error}");
}

/// Largest part that [`phase_cut`] may cut away of each clip, seconds.
const MAX_CUT_SECS: f64 = 1.0;

/// Stitches two clips at similar phases. Returns take-off and landing.
fn phase_cut(a: &(Clip, Rig), b: &(Clip, Rig)) -> Result<(usize, usize), Error> {
    let options = cut_by(Cut::Phase { max_cut: MAX_CUT_SECS });
    let inputs = [a, b].map(|(clip, rig)| Input { clip, rig });
    let stitched = stitch(&inputs, &options, &mut Progress::silent())?;
    let cut = stitched.seam_reports[0].cut_at.expect("a cut is searched");
    Ok((cut.takeoff, cut.landing))
}

#[test]
fn a_seam_by_phase_continues_the_phases_of_all_feet() {
    for (first, second) in [("ada-walk", "bo-walk"), ("ada-jog", "ada-walk"), ("cleo-trot", "cleo-walk")] {
        let (a, b) = (fixture(first), fixture(second));
        let (takeoff, landing) = phase_cut(&a, &b).unwrap();
        let limit = seam::cut_frames(MAX_CUT_SECS, a.0.fps()).unwrap();
        assert!(takeoff + 1 + limit >= a.0.frames() && landing <= limit, "{first}: {takeoff}, {landing}");
        let (before, after) = (default_phases(&a.0, &a.1), default_phases(&b.0, &b.1));
        // The landing replaces the frame after the take-off.
        let difference = |(before, after): (&Limb, &Limb)| {
            let replaced = (takeoff + 1).min(before.fits.len() - 1);
            wrapped(before.fits[replaced].phase - after.fits[landing].phase).abs()
        };
        let differences: Vec<f64> = before.iter().zip(&after).map(difference).collect();
        // At a random cut the phases would differ by a quarter turn on average. From trot to walk, the phases of all
        // four feet cannot agree.
        let mean = differences.iter().sum::<f64>() / differences.len() as f64;
        assert!(mean < if differences.len() == 2 { 0.5 } else { 1.0 }, "{first} to {second}: {differences:?}");
    }
}

#[test]
fn a_seam_by_phase_needs_feet_and_works_for_short_clips() {
    let walk = fixture("ada-walk");
    let unmapped = (walk.0.clone(), Rig::empty());
    // Without roles, the ends of the limbs are found by their contacts with the ground.
    phase_cut(&unmapped, &unmapped).unwrap();
    let short = (walk.0.trimmed(0..10).unwrap(), walk.1.clone());
    assert_eq!(phase_cut(&short, &short).unwrap(), (9, 0));
    let mut flying = unmapped.clone();
    for (frame, root) in flying.0.translations_mut().iter_mut().enumerate() {
        root.y += frame as f32;
    }
    assert!(matches!(phase_cut(&flying, &flying).unwrap_err(), Error::Rig { .. }));
}

#[test]
fn a_clip_of_one_frame_has_phases() {
    let (clip, rig) = fixture("cleo-walk");
    for limb in default_phases(&clip.trimmed(0..1).unwrap(), &rig) {
        assert_eq!((limb.fits.len(), limb.vectors[0].length()), (1, 0.0));
    }
}
