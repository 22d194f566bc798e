//! The manifold in-betweener: encoding round trip, agreement of the trained and the packed network, seeds, and user
//! edits.

use burn::tensor::{Device, Distribution, Tensor, TensorData};
use glam::{Quat, Vec3};
use kinestitch::body::interpolate::interpolate;
use kinestitch::body::poses::{Poses, ROLES, joint_positions};
use kinestitch::feature::manifold::columns::{Columns, Row};
use kinestitch::feature::manifold::mirror::mirror_row;
use kinestitch::feature::manifold::{self as feature, ROW};
use kinestitch::method::filler::{BodyKeys, BodyMotion};
use kinestitch::method::manifold::sizes::Sizes;
use kinestitch::method::manifold::step::{Moment, MotionState};
use kinestitch::method::manifold::tensor::ManifoldSampler;
use kinestitch::method::manifold::{Conditions, Manifold, legs};
use kinestitch::method::supports::correct_supports;
use kinestitch::nn::normal::Normal;
use kinestitch::nn::weights::{Network, Precision, Weights, write};
use training::manifold::rollout::Gaps;

const SMALL: Sizes = Sizes {
    latent: 6,
    experts: 3,
    hidden: 16,
    gate: 8,
    embedding: [16, 8],
    state: 12,
    parse: [16, 12],
    past: 2,
    longest: 30,
};

fn offsets() -> [Vec3; ROLES] {
    std::array::from_fn(|role| match role {
        0 => Vec3::ZERO,
        1 | 5 => Vec3::new(if role == 1 { 0.1 } else { -0.1 }, -0.05, 0.0),
        2 | 3 | 6 | 7 => Vec3::new(0.0, -0.42, 0.01),
        4 | 8 => Vec3::new(0.0, -0.05, 0.15),
        _ => Vec3::new(0.02 * (role as f32).sin(), 0.15, 0.01),
    })
}

/// Creates a body walking along a curve with swinging limbs.
fn motion(frames: usize) -> Poses {
    let mut poses = Poses::default();
    for frame in 0..frames {
        let time = frame as f32 / 30.0;
        let swing = |role: usize| {
            let pace = 2.0 + 0.3 * role as f32;
            let heading = if role == 0 { Quat::from_rotation_y(0.8 * time) } else { Quat::IDENTITY };
            let knee = if role == 2 || role == 6 { 0.5 } else { 0.0 };
            heading * Quat::from_rotation_x(knee + 0.3 * (pace * time).sin()) * Quat::from_rotation_z(0.05)
        };
        poses.push(Vec3::new((0.8 * time).sin(), 0.9, 1.2 * time), (0..ROLES).map(swing));
    }
    poses
}

fn keys<'a>(past: &'a Poses, target: &'a Poses, offsets: &'a [Vec3; ROLES]) -> BodyKeys<'a> {
    BodyKeys { past, target, offsets, ground: 0.0 }
}

fn row(poses: &Poses, frame: usize) -> Row {
    feature::encode(poses.hips[frame], poses.pose(frame), &offsets(), Vec3::ZERO)
}

/// Creates an untrained network with non-zero last layers.
fn network(sizes: &Sizes) -> (ManifoldSampler, Vec<u8>) {
    struct AddNoise;
    impl burn::module::ModuleMapper for AddNoise {
        fn map_float<const D: usize>(
            &mut self,
            param: burn::module::Param<Tensor<D>>,
        ) -> burn::module::Param<Tensor<D>> {
            param.map(|tensor| match D {
                1 => tensor,
                _ => tensor.clone() + tensor.random_like(Distribution::Normal(0.0, 0.15)),
            })
        }
    }
    let device = Device::flex();
    device.seed(5);
    let mut network = burn::module::Module::map(ManifoldSampler::blank(sizes, &device), &mut AddNoise);
    // Standard deviations typical of a body's steps and turns.
    let normal = |columns: usize| Normal::new(&vec![0.0; columns], &vec![0.02; columns], &device);
    (network.manifold.step, network.manifold.moves) = (normal(feature::STEP), normal(feature::MOVES));
    let bytes = write(&network, sizes, ("open", "any"), Precision::F32).unwrap();
    (network, bytes)
}

fn packed(bytes: &[u8]) -> Manifold {
    Manifold::read(&Weights::read(bytes).unwrap()).unwrap()
}

fn seeded(seed: Option<u64>) -> Conditions<'static> {
    Conditions { seed, ..Conditions::default() }
}

fn tensor(row: &Row) -> Tensor<2> {
    Tensor::from_data(TensorData::new(row.0.clone(), [1, row.0.len()]), &Device::flex())
}

#[test]
fn a_change_in_the_axes_of_the_hips_leads_to_the_next_row() {
    let poses = motion(20);
    let (current, next) = (row(&poses, 9), row(&poses, 10));
    assert_eq!(current.0.len(), ROW);
    let heading = feature::heading(&current);
    let change = next.minus(&current);
    let [step, moves] = feature::split_change(&change, &heading);
    let advanced = feature::advance(&current, &heading, &step, &moves, &feature::upper_rotations(&change));
    let error = advanced.0.iter().zip(&next.0).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(error < 1e-5, "{error}");
    // Encoded rotations decode to the same rotations.
    let decoded = feature::rotations(&next.0, poses.pose(10));
    assert!(decoded.iter().zip(poses.pose(10)).all(|(a, b)| a.angle_between(*b) < 1e-3));
}

#[test]
fn only_held_feet_stay() {
    let poses = motion(20);
    let (current, next) = (row(&poses, 9), row(&poses, 10));
    let heading = feature::heading(&current);
    let change = next.minus(&current);
    let [step, moves] = feature::split_change(&change, &heading);
    let held = feature::hold_feet(&moves, &Row(vec![1.0, 0.5, 0.0, 0.0]));
    let advanced = feature::advance(&current, &heading, &step, &held, &feature::upper_rotations(&change));
    // Points: hips, then knee, ankle and toe of the left leg, and those of the right leg. The left ankle is held fully,
    // the left toe by half.
    let value = |row: &Row, point: usize, axis: usize| row.0[7 * axis + point];
    for axis in [0, 2] {
        let fraction =
            |point: usize| (value(&advanced, point, axis) - value(&current, point, axis)) / value(&change, point, axis);
        let fractions: Vec<f32> = (0..7).map(fraction).collect();
        let expected = [1.0, 1.0, 0.0, 0.5, 1.0, 1.0, 1.0];
        assert!(fractions.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-3), "{fractions:?}");
    }
    assert!(
        (0..7).all(|point| (value(&advanced, point, 1) - value(&next, point, 1)).abs() < 1e-6),
        "held feet can rise"
    );
}

#[test]
fn network_inputs_do_not_depend_on_position_and_heading() {
    let poses = motion(30);
    let rotation = Quat::from_rotation_y(2.2);
    let moved = Poses {
        hips: poses.hips.iter().map(|hips| rotation * *hips + Vec3::new(5.0, 0.0, -3.0)).collect(),
        rotations: poses
            .rotations
            .iter()
            .enumerate()
            .map(|(i, q)| if i % ROLES == 0 { rotation * *q } else { *q })
            .collect(),
    };
    let read = |poses: &Poses| {
        let motion = MotionState::between(&row(poses, 8), &row(poses, 9));
        let (goal, heading) = (row(poses, 25), feature::heading(&motion.row));
        let condition = feature::condition(&motion.row, &motion.rate, &heading);
        let guess = row(poses, 10).minus(&motion.row);
        let inputs = feature::encoder_inputs(&motion.row, &motion.rate, &goal, &guess, &condition, &heading);
        [inputs.map(|input| input.0).concat(), condition.0].concat()
    };
    let difference = read(&poses).iter().zip(read(&moved)).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(difference < 1e-4, "{difference}");
}

#[test]
fn the_remaining_difference_is_zero_at_the_target() {
    assert!(feature::typical_difference(5, 4).iter().all(|size| *size == 0.0));
    let (near, far) = (feature::typical_difference(1, 20), feature::typical_difference(10, 20));
    assert!(near.iter().zip(&far).all(|(near, far)| *near > 0.0 && near < far));
    assert_eq!(near.len(), feature::CHANGE);
}

#[test]
fn noise_and_time_embedding_are_those_of_the_paper() {
    let noise = |span| Moment { elapsed: 0, span }.noise_amplitude();
    assert_eq!([noise(3), noise(5), noise(15), noise(30), noise(90)], [0.0, 0.0, 0.4, 1.0, 1.0]);
    let embedding = Moment { elapsed: 2, span: 7 }.embedding(16, 60);
    for (half, frames) in embedding.chunks_exact(8).zip([7.0_f32, 2.0]) {
        let angle = frames / 10_000_f32.powf(2.0 / 8.0);
        assert!((half[0] - frames.sin()).abs() < 1e-6 && (half[1] - frames.cos()).abs() < 1e-6);
        assert!((half[2] - angle.sin()).abs() < 1e-6 && (half[3] - angle.cos()).abs() < 1e-6);
    }
    assert_eq!(Moment { elapsed: 61, span: 70 }.embedding(16, 60), Moment { elapsed: 60, span: 60 }.embedding(16, 60));
}

#[test]
fn the_packed_networks_are_the_trained_ones() {
    let (network, bytes) = network(&SMALL);
    let poses = motion(40);
    let (gap, last) = (9, 9);
    let (past, target) = (poses.slice(0..last + 1), poses.slice(last + gap + 1..last + gap + 2));
    let filled = packed(&bytes).fill(&keys(&past, &target, &offsets()), gap, &Conditions::default()).unwrap();
    // The training form of the network, with legs solved as in the packed form.
    let origin = poses.hips[last].with_y(0.0);
    let row = |poses: &Poses, frame: usize| {
        tensor(&feature::encode(poses.hips[frame], poses.pose(frame), &offsets(), origin))
    };
    let (goal, interpolation) = (row(&target, 0), interpolate(&past, &target, gap));
    // The packed form returns the mean of the outputs for the motion and for its mirror image.
    let mirrored = |row: &Tensor<2>| tensor(&mirror_row(&Row(row.to_data().try_into_vec().unwrap())));
    let mirrored_motion =
        |motion: &MotionState<Tensor<2>>| MotionState { row: mirrored(&motion.row), rate: mirrored(&motion.rate) };
    let lanes = || network.lanes(Tensor::zeros([1, SMALL.embedding[1]], &Device::flex()));
    let (mut lanes, mut mirrored_lanes) = (lanes(), lanes());
    for frame in last - SMALL.past..last {
        let motion = MotionState::between(&row(&poses, frame - 1), &row(&poses, frame));
        let (next, moment) = (row(&poses, frame + 1), Moment { elapsed: 0, span: gap + 1 + last - frame });
        motion.observe(&mut lanes, &goal, &next, vec![moment]);
        mirrored_motion(&motion).observe(&mut mirrored_lanes, &mirrored(&goal), &mirrored(&next), vec![moment]);
    }
    let mut motion = MotionState::between(&row(&poses, last - 1), &row(&poses, last));
    let mut trained = BodyMotion::default();
    let mut previous_rotations = poses.pose(last).to_vec();
    for frame in 0..gap {
        let moment = Moment { elapsed: frame, span: gap + 1 - frame };
        let next = row(&interpolation, frame);
        let (predicted, contacts) = motion.next(&mut lanes, &goal, &next, vec![moment]);
        let (mirrored_prediction, mirrored_contacts) =
            mirrored_motion(&motion).next(&mut mirrored_lanes, &mirrored(&goal), &mirrored(&next), vec![moment]);
        let mean = feature::orthonormal_rotations(&((predicted.row + mirrored(&mirrored_prediction.row)) * 0.5));
        motion = MotionState { rate: mean.clone() - motion.row, row: mean };
        let swapped = [mirrored_contacts.clone().narrow(1, 2, 2), mirrored_contacts.narrow(1, 0, 2)];
        let contacts = (contacts + Tensor::cat(swapped.to_vec(), 1)) * 0.5;
        let (hips, rotations) = legs::solve(
            &motion.row.clone().into_data().try_into_vec::<f32>().unwrap(),
            &previous_rotations,
            &offsets(),
        );
        previous_rotations.clone_from(&rotations);
        trained.poses.push(hips + origin, rotations);
        let logits = contacts.into_data().try_into_vec::<f32>().unwrap();
        trained.contacts.extend(logits.iter().map(|logit| 1.0 / (1.0 + (-logit).exp())));
    }
    let trained = correct_supports(trained, &keys(&past, &target, &offsets()));
    for frame in 0..gap {
        let distance = trained.poses.hips[frame].distance(filled.poses.hips[frame]);
        assert!(distance < 2e-3, "{distance} in frame {frame}");
        let pairs = trained.poses.pose(frame).iter().zip(filled.poses.pose(frame));
        let angle = pairs.map(|(a, b)| a.angle_between(*b)).fold(0.0, f32::max);
        assert!(angle < 0.02, "{angle} in frame {frame}");
    }
    for (trained, packed) in trained.contacts.iter().zip(&filled.contacts) {
        assert!((trained - packed).abs() < 5e-3);
    }
}

#[test]
fn a_target_may_move_during_the_transition() {
    let (_, bytes) = network(&SMALL);
    let (network, poses, offsets) = (packed(&bytes), motion(60), offsets());
    let (past, target) = (poses.slice(0..10), poses.slice(50..51));
    let last_distance = |moves: bool| {
        let keys = keys(&past, &target, &offsets);
        let mut rollout = kinestitch::method::manifold::Rollout::new(&network, &keys, 20, &Conditions::default());
        let mut moved_target = target.clone();
        let mut last = Vec3::ZERO;
        for span in (2..=20).rev() {
            if moves && span == 12 {
                moved_target.hips[0] += Vec3::new(0.4, 0.0, 0.3);
            }
            last = rollout.next(&moved_target, span).hips;
        }
        last.distance(moved_target.hips[0])
    };
    let [moved, fixed] = [true, false].map(last_distance);
    assert!((moved - fixed).abs() < 0.05, "{moved} {fixed}");
}

#[test]
fn hips_arrive_for_any_sampler_output() {
    let (_, bytes) = network(&SMALL);
    let poses = motion(60);
    let (target, offsets) = (poses.slice(50..51), offsets());
    let filled = packed(&bytes).fill(&keys(&poses.slice(0..10), &target, &offsets), 40, &seeded(Some(3))).unwrap();
    // The last frame is one step before the target, within the length of a step.
    let (last, step) = (filled.poses.hips[39], filled.poses.hips[39].distance(filled.poses.hips[38]));
    assert!(last.distance(target.hips[0]) < 3.0 * step + 0.02, "{last} {step}");
}

#[test]
fn every_seed_gives_another_motion_and_the_same_motion_again() {
    let (_, bytes) = network(&SMALL);
    let (network, poses, offsets) = (packed(&bytes), motion(60), offsets());
    let (past, target) = (poses.slice(0..10), poses.slice(40..41));
    let fill = |seed| network.fill(&keys(&past, &target, &offsets), 30, &seeded(seed)).unwrap();
    assert_eq!(fill(Some(1)), fill(Some(1)));
    assert_eq!(fill(None), fill(None));
    assert_ne!(fill(Some(1)), fill(Some(2)));
    assert_ne!(fill(None), fill(Some(0)));
}

#[test]
fn the_latent_variable_can_be_pushed_and_legs_follow() {
    let (_, bytes) = network(&SMALL);
    let (network, poses, offsets) = (packed(&bytes), motion(60), offsets());
    let (past, target) = (poses.slice(0..10), poses.slice(40..41));
    let fill = |latent: &[f32]| network.fill(&keys(&past, &target, &offsets), 30, &Conditions { seed: None, latent });
    let (mean, pushed) = (fill(&[]).unwrap(), fill(&[0.0, 1.5]).unwrap());
    assert_eq!(mean, fill(&[0.0; SMALL.latent]).unwrap());
    let distance = |frame: usize| {
        let positions = |filled: &kinestitch::method::filler::BodyMotion| {
            joint_positions(filled.poses.hips[frame], filled.poses.pose(frame), &offsets)
        };
        let (a, b) = (positions(&mean), positions(&pushed));
        std::array::from_fn::<f32, ROLES, _>(|role| a[role].distance(b[role])).into_iter().fold(0.0, f32::max)
    };
    assert!(distance(14) > 0.005 && distance(14) > 2.0 * distance(0), "{} {}", distance(14), distance(0));
    for wrong in [&[0.0; SMALL.latent + 1][..], &[f32::NAN]] {
        assert!(matches!(fill(wrong).unwrap_err(), kinestitch::Error::Option { option: "latent", .. }));
    }
    assert_eq!(fill(&[1e30]).unwrap(), fill(&[1e20]).unwrap(), "very large values are clamped");
}

#[test]
fn several_frames_at_once_agree_with_single_frames() {
    let (network, _) = network(&SMALL);
    let (poses, gap, past) = (motion(40), 6, SMALL.past);
    let truth: Vec<_> = (0..past + gap + 3).map(|frame| tensor(&row(&poses, 4 + frame))).collect();
    let interpolation: Vec<_> = (0..gap).map(|frame| tensor(&row(&poses, 20 + frame))).collect();
    for (truth, past, is_single) in [(&truth[..], past, false), (&truth[past..], 0, true)] {
        let gaps = Gaps { truth, interpolation: &interpolation, past, is_single };
        let noise = Tensor::random([1, SMALL.embedding[1]], Distribution::Normal(0.0, 1.0), &Device::flex());
        let inputs = gaps.roll_out(&network, noise.clone());
        let generated = gaps.recompute(&network, noise, &inputs).into_data().try_into_vec::<f32>().unwrap();
        let inputs = inputs.row.into_data().try_into_vec::<f32>().unwrap();
        let difference = generated.iter().zip(&inputs[ROW..]).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(generated.len() == gap * ROW && difference < 1e-4, "{difference}");
    }
}

#[test]
fn unreachable_targets_give_finite_motions() {
    let (_, bytes) = network(&SMALL);
    let (network, poses, offsets) = (packed(&bytes), motion(60), offsets());
    let past = poses.slice(0..10);
    let target = |hips: Vec3, rotation: Quat| {
        let mut target = poses.slice(40..41);
        (target.hips[0], target.rotations[0]) = (hips, rotation * target.rotations[0]);
        target
    };
    let behind = target(Vec3::new(0.0, 0.9, -4.0), Quat::IDENTITY);
    let far = target(Vec3::new(0.0, 0.9, 10.0), Quat::from_rotation_y(3.0));
    let upside_down = target(Vec3::new(0.5, 0.3, 0.4), Quat::from_rotation_x(3.1));
    let single = poses.slice(9..10);
    for (past, target, gap) in
        [(&past, &behind, 30), (&past, &far, 5), (&past, &upside_down, 20), (&single, &far, 2), (&past, &behind, 120)]
    {
        for seed in [None, Some(4)] {
            let filled = network.fill(&keys(past, target, &offsets), gap, &seeded(seed)).unwrap();
            assert_eq!((filled.poses.len(), filled.contacts.len()), (gap, 4 * gap));
            assert!(filled.poses.rotations.iter().all(|rotation| rotation.is_normalized()));
            for frame in 0..gap {
                let positions = joint_positions(filled.poses.hips[frame], filled.poses.pose(frame), &offsets);
                let is_near = |position: &Vec3| position.is_finite() && position.length() < 30.0;
                assert!(positions.iter().all(is_near), "{positions:?}");
            }
        }
    }
    let wrong =
        |gap, target: &Poses| network.fill(&keys(&past, target, &offsets), gap, &Conditions::default()).unwrap_err();
    assert!(matches!(wrong(0, &behind), kinestitch::Error::Option { option: "frames", .. }));
    assert!(matches!(wrong(5, &Poses::default()), kinestitch::Error::Option { option: "keys", .. }));
}
