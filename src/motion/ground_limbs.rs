//! Limbs that stand on the ground: the legs of a biped, or of any other body the limbs whose ends touch the floor.

use crate::motion::clip::Clip;
use crate::motion::contact::{FootPart, Legs, ground_contacts};
use crate::motion::fk::{Pose, point_tracks};
use crate::motion::rig::Rig;
use crate::motion::skeleton::Skeleton;
use glam::Vec3;

/// Largest resting height of the end of a limb over the lowest end of all limbs, as a fraction of its limb's length.
const MAX_REST_HEIGHT: f32 = 0.3;
/// The resting height of a point is this quantile of its heights.
const REST_QUANTILE: f64 = 0.05;

/// A limb that stands on the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct GroundLimb {
    /// Upper, middle and end joint of the chain that inverse kinematics bends.
    pub chain: [usize; 3],
    /// Point that touches the ground: a joint, and a position in its axes, metres.
    pub tip: (usize, Vec3),
    /// Length of the chain along its bones, metres.
    pub length: f32,
}

/// Finds the limbs of a body that stand on the ground in a clip, left before right for a biped. Empty if there are
/// none: a snake, a prop, or a clip without frames.
pub fn detect(clip: &Clip, rig: &Rig) -> Vec<GroundLimb> {
    if clip.frames() == 0 {
        return Vec::new();
    }
    let limbs = match Legs::detect(clip, rig) {
        Some(legs) => [0, 1].map(|side| (legs.chain[side], legs.points[side][FootPart::Toe as usize])).to_vec(),
        None => standing_ends(clip),
    };
    let pose = Pose::from_clip(clip, 0);
    let length = |[upper, middle, end]: [usize; 3]| {
        let position = |joint: usize| pose.world_positions[joint];
        position(upper).distance(position(middle)) + position(middle).distance(position(end))
    };
    limbs.into_iter().map(|(chain, tip)| GroundLimb { chain, tip, length: length(chain) }).collect()
}

/// Detects the contacts of limbs with the ground: `[limbs][frames]`, and the resting height of each limb's tip, metres.
pub fn contacts(clip: &Clip, limbs: &[GroundLimb]) -> Vec<(Vec<bool>, f32)> {
    let tips: Vec<(usize, Vec3)> = limbs.iter().map(|limb| limb.tip).collect();
    let tracks = point_tracks(clip, &tips);
    let contact = |(limb, track): (&GroundLimb, &Vec<Vec3>)| {
        let ([flags], height) = ground_contacts([&track[..]], limb.length.max(1e-3), clip.fps());
        (flags, height)
    };
    limbs.iter().zip(&tracks).map(contact).collect()
}

/// Returns the chains and tips of limbs whose ends rest near the lowest end: one for each limb, the lowest.
fn standing_ends(clip: &Clip) -> Vec<([usize; 3], (usize, Vec3))> {
    let skeleton = clip.skeleton();
    let pose = Pose::from_clip(clip, 0);
    let candidates: Vec<([usize; 3], (usize, Vec3))> = (0..skeleton.len())
        .filter(|&joint| skeleton.children(joint).next().is_none())
        .filter_map(|leaf| {
            let site = skeleton.joints()[leaf].longest_site().unwrap_or(Vec3::ZERO);
            Some((chain_of(skeleton, &pose, leaf)?, (leaf, site)))
        })
        .collect();
    let tips: Vec<(usize, Vec3)> = candidates.iter().map(|&(_, tip)| tip).collect();
    let heights: Vec<f32> = point_tracks(clip, &tips).iter().map(|track| rest_height(track)).collect();
    let floor = heights.iter().copied().fold(f32::INFINITY, f32::min);
    let length = |chain: [usize; 3]| pose.world_positions[chain[0]].distance(pose.world_positions[chain[2]]);
    let mut limbs: Vec<(f32, ([usize; 3], (usize, Vec3)))> = Vec::new();
    for (limb, height) in candidates.into_iter().zip(heights) {
        if height - floor > MAX_REST_HEIGHT * length(limb.0) {
            continue;
        }
        match limbs.iter_mut().find(|(_, other)| other.0[0] == limb.0[0]) {
            Some(other) if height < other.0 => *other = (height, limb),
            Some(_) => {}
            None => limbs.push((height, limb)),
        }
    }
    limbs.into_iter().map(|(_, limb)| limb).collect()
}

/// Returns the chain of the limb that ends in `leaf`: from the joint below the nearest branching of the body to the
/// leaf, bent at the joint that is farthest from the line between both. `None` for a limb of fewer than three joints.
fn chain_of(skeleton: &Skeleton, pose: &Pose, leaf: usize) -> Option<[usize; 3]> {
    let joints = skeleton.joints();
    let mut path = vec![leaf];
    while let Some(parent) = joints[path[path.len() - 1]].parent {
        // Fingers and claws branch near the end of a limb; the trunk has limbs of two or more joints.
        let limbs = skeleton.children(parent).filter(|&child| skeleton.children(child).next().is_some()).count();
        if joints[parent].parent.is_none() || (limbs >= 2 && path.len() >= 3) {
            break;
        }
        path.push(parent);
    }
    path.reverse();
    let (&upper, &end) = (path.first()?, path.last()?);
    let position = |joint: usize| pose.world_positions[joint];
    let line = (position(end) - position(upper)).normalize_or(Vec3::NEG_Y);
    let bend = |joint: usize| (position(joint) - position(upper)).reject_from_normalized(line).length();
    let middle = path[1..path.len().max(2) - 1].iter().copied().max_by(|&a, &b| bend(a).total_cmp(&bend(b)))?;
    Some([upper, middle, end])
}

fn rest_height(track: &[Vec3]) -> f32 {
    let mut heights: Vec<f32> = track.iter().map(|position| position.y).collect();
    let index = (heights.len() as f64 * REST_QUANTILE) as usize;
    *heights.select_nth_unstable_by(index, f32::total_cmp).1
}
