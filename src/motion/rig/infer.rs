//! Inference of a rig: by name where names speak, by shape where they are silent.

use super::limbs::{self, ARM_WEIGHTS, LEG_WEIGHTS, Limb};
use super::name::{self, Hint, Side};
use super::place::Places;
use super::quadruped::Quadruped;
use super::{ARMS, LEGS, Rig, RigKind, Role, axes, detail, dog, shape, trunk};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose;
use crate::motion::skeleton::Skeleton;

/// Maps a clip's joints to roles: by name where names suffice, else by topology and by geometry in a few frames of the
/// clip. Never fails: roles that could not be mapped are absent, and warnings name the required ones.
pub fn infer(clip: &Clip) -> Rig {
    let skeleton: &Skeleton = clip.skeleton();
    let hints: Vec<Hint> = skeleton.joints().iter().map(|joint| name::read_hint(&joint.name)).collect();
    let poses = shape::sample_poses(clip, shape::SAMPLES);
    let places = Places::new(clip, &poses);
    let named = NamedLimbs { skeleton, hints: &hints, places: &places, poses: &poses };
    let mut legs = named.find(LEG_WEIGHTS, limbs::LEG_BONES, |hint| hint.leg);
    let mut arms = named.find(ARM_WEIGHTS, limbs::ARM_BONES, |hint| hint.arm);

    let mut rig = Rig::empty();
    if is_part_of_body(&hints) {
        rig.warnings.push("the joints are those of a hand or a face, not of a body".into());
    } else if legs.is_none() || arms.is_none() {
        add_by_shape(&mut rig, &mut legs, &mut arms, (skeleton, &places, &poses));
    }
    legs = legs.map(|legs| named.with_ends(legs));
    for (roles, limbs) in [(LEGS, legs), (ARMS, arms)] {
        for (role, joint) in roles.iter().flatten().zip(limbs.iter().flatten().flatten()) {
            rig.joints[*role as usize] = joint.map(|joint| places.settle(joint));
        }
    }
    let no_limbs: [Limb; 2] = [[None; 4]; 2];
    trunk::map_trunk(&mut rig, skeleton, &hints, legs.unwrap_or(no_limbs), arms.unwrap_or(no_limbs));
    let hips = &mut rig.joints[Role::Hips as usize];
    *hips = hips.or_else(|| hints.iter().position(|hint| hint.hips));
    settle_trunk(&mut rig, &places);
    set_kind(&mut rig, clip, &hints, &poses);
    if rig.kind == RigKind::Biped {
        detail::map_details(&mut rig, skeleton);
    }
    for joint in rig.details.values_mut() {
        *joint = places.settle(*joint);
    }
    if rig.kind == RigKind::Biped
        && axes::Axes::detect(clip, &rig).is_some_and(|axes| axes.source == axes::Source::Motion)
    {
        rig.warnings.push(
            "the rest pose shows no standing body and the rig is not a known one, so the directions of its joints' \
             axes were estimated from this motion"
                .into(),
        );
    }
    rig
}

/// Moves the roles of the trunk to the joints that rotate, unless another role has them.
fn settle_trunk(rig: &mut Rig, places: &Places) {
    use Role::*;
    for role in [Hips, Spine, Spine1, Spine2, Neck, Head] {
        if let Some(settled) = rig.joint(role).map(|joint| places.settle(joint))
            && !rig.joints.contains(&Some(settled))
        {
            rig.joints[role as usize] = Some(settled);
        }
    }
}

/// Returns whether the names are those of a hand or a face alone: they name fingers or parts of a face, and neither
/// limbs nor a trunk.
fn is_part_of_body(hints: &[Hint]) -> bool {
    let is_detail = |hint: &&Hint| hint.finger || hint.face;
    // A wrist may carry fingers, a head a face.
    let is_of_body = |hint: &Hint| {
        let arm_above_hand = hint.arm[..3].iter().any(|score| *score > 0.0);
        hint.trunk || arm_above_hand || hint.leg.iter().any(|score| *score > 0.0)
    };
    let details = hints.iter().filter(is_detail).count();
    details >= 3 && 2 * details > hints.len() && !hints.iter().any(|hint| !hint.finger && is_of_body(hint))
}

/// Adds the limbs that the names do not give by the shape, unless the shape contradicts the names.
fn add_by_shape(
    rig: &mut Rig,
    legs: &mut Option<[Limb; 2]>,
    arms: &mut Option<[Limb; 2]>,
    (skeleton, places, poses): (&Skeleton, &Places, &[Pose]),
) {
    let Some(body) = shape::detect_visible_body(skeleton, places, poses) else { return };
    if legs.is_none() && arms.is_none() {
        if !body.has_known_sides {
            rig.warnings.push("front and back could not be told apart, so left and right may be swapped".into());
        }
        rig.warnings.push("joints were mapped by the skeleton's shape, not by their names; check them".into());
        (*legs, *arms) = (Some(body.legs), body.arms);
    } else if body.arms.is_some() && legs.is_some_and(|legs| legs[0][0] == body.legs[0][0]) {
        rig.warnings.push("arms were mapped by the skeleton's shape, not by their names; check them".into());
        *arms = body.arms;
    } else if legs.is_none() && arms.zip(body.arms).is_some_and(|(by_name, by_shape)| by_name[0][1] == by_shape[0][1]) {
        rig.warnings.push("legs were mapped by the skeleton's shape, not by their names; check them".into());
        *legs = Some(body.legs);
    }
}

/// Limbs by name.
struct NamedLimbs<'a> {
    skeleton: &'a Skeleton,
    hints: &'a [Hint],
    places: &'a Places<'a>,
    poses: &'a [Pose],
}

impl NamedLimbs<'_> {
    /// Finds the limbs of both sides; `None` if a long bone of one side has no name. `bones`: indices of the long bones
    /// in a limb.
    fn find(&self, weights: [f32; 4], bones: [usize; 2], scores: fn(&Hint) -> [f32; 4]) -> Option<[Limb; 2]> {
        let find = |side| {
            let mut limb = limbs::find_limb(self.skeleton, self.hints, side, weights, scores);
            let [upper, lower] = bones;
            if let (Some(start), Some(middle)) = (limb[upper], limb[lower])
                && self.hints[middle].segment
            {
                limb[lower] = self.bending_segment(start, middle, limb[lower + 1]);
            }
            limbs::has_bones(&limb, bones).then_some(limb)
        };
        find(Side::Left).zip(find(Side::Right)).map(|(left, right)| [left, right])
    }

    /// Returns the joint that bends a limb whose joints between its ends have equal names.
    fn bending_segment(&self, start: usize, first: usize, end: Option<usize>) -> Option<usize> {
        let last = end.or_else(|| self.skeleton.children(first).next())?;
        let chain = trunk::path(self.skeleton, last);
        let segments: Vec<usize> =
            chain.into_iter().filter(|&joint| self.hints[joint].segment && Some(joint) != end).collect();
        self.places.bending(self.poses, [start, last], &segments).or(Some(first))
    }

    /// Adds feet to legs whose names end at the shin: a foot that hangs elsewhere and is placed by its translations, or
    /// else the only joint below the shin, unless the body has more legs on this side.
    fn with_ends(&self, legs: [Limb; 2]) -> [Limb; 2] {
        let mut sides = [Side::Left, Side::Right].into_iter();
        legs.map(|leg| {
            let side = sides.next();
            let [_, Some(shin), None, _] = leg else { return leg };
            let names_foot = |joint: &usize| {
                let hint = &self.hints[*joint];
                hint.side == side && hint.leg[2] >= 0.8 && self.skeleton.translation_slot(*joint).is_some()
            };
            let is_below = |joint: usize, above: usize| trunk::path(self.skeleton, joint).contains(&above);
            let has_more_legs = (0..self.skeleton.len()).any(|joint| {
                let hint = &self.hints[joint];
                let is_of_this_leg = leg[0].is_some_and(|top| is_below(joint, top) || is_below(top, joint));
                hint.side == side && hint.leg[1] > 0.0 && !is_of_this_leg
            });
            let foot = (0..self.skeleton.len()).find(names_foot).or_else(|| {
                if has_more_legs {
                    return None;
                }
                let mut below = self.skeleton.children(shin).filter(|&joint| !self.hints[joint].extra);
                below.next().filter(|_| below.next().is_none())
            });
            let toe = foot.and_then(|foot| {
                let names_toe =
                    |&joint: &usize| joint != foot && is_below(joint, foot) && self.hints[joint].leg[3] >= 1.0;
                (0..self.skeleton.len()).find(names_toe)
            });
            [leg[0], leg[1], foot, toe.or(leg[3])]
        })
    }
}

/// Roles that a [`RigKind::Biped`] must have.
pub(super) const REQUIRED_ROLES: [Role; 7] =
    [Role::Hips, Role::LeftUpLeg, Role::LeftLeg, Role::LeftFoot, Role::RightUpLeg, Role::RightLeg, Role::RightFoot];

/// Start of the warning about missing required roles.
pub(super) const MISSING_ROLES: &str = "no joint found for";
/// Start of the warnings about four-legged bodies.
pub(super) const FOUR_LEGGED: &str = "looks like a four-legged animal";
/// Warning about bipeds without arms.
pub(super) const NO_ARMS: &str = "no arms found, so arm motion of other clips cannot be transferred to it";
/// Warning about legs that seem to be exchanged.
pub(super) const SWAPPED_SIDES: &str = "feet or knees point backwards, so left and right may be swapped";

/// Returns the warning about missing required roles; `None` if all are mapped.
pub(super) fn missing_roles_warning(rig: &Rig) -> Option<String> {
    let missing: Vec<String> =
        REQUIRED_ROLES.into_iter().filter(|&role| rig.joint(role).is_none()).map(|role| format!("{role:?}")).collect();
    (!missing.is_empty()).then(|| {
        format!(
            "{MISSING_ROLES} {}, so the clip stitches only with clips of the same skeleton, unless you map these roles",
            missing.join(", ")
        )
    })
}

/// Whether an upper arm is not mapped.
pub(super) fn lacks_arms(rig: &Rig) -> bool {
    rig.joint(Role::LeftArm).is_none() || rig.joint(Role::RightArm).is_none()
}

/// Sets `rig.kind`, and adds warnings about missing or doubtful roles.
fn set_kind(rig: &mut Rig, clip: &Clip, hints: &[Hint], poses: &[Pose]) {
    let skeleton = clip.skeleton();
    let missing = missing_roles_warning(rig);
    let is_dog = dog::find_joints(skeleton).is_some() || hints.iter().any(|hint| hint.quadruped);
    // Limbs that were mapped by shape may belong to an animal, because people and animals share this shape.
    let by_shape = !rig.warnings.is_empty();
    let looks_quadruped = is_dog || shape::is_quadruped(rig, poses);
    let body = match looks_quadruped || missing.is_some() {
        true => Quadruped::detect(clip).ok(),
        false if by_shape => Quadruped::detect_at_rest(clip).ok(),
        false => None,
    };
    if let Some(body) = body {
        rig.kind = RigKind::Quadruped;
        rig.joints[Role::Hips as usize] = body.trunk.first().copied();
        rig.warnings = vec![format!("{FOUR_LEGGED}, so it stitches only with other four-legged animals")];
        return;
    }
    if let Some(warning) = missing {
        rig.warnings.push(warning);
        return;
    }
    if looks_quadruped {
        rig.warnings.push(format!("{FOUR_LEGGED}, so it stitches only with clips of the same skeleton"));
        return;
    }
    rig.kind = RigKind::Biped;
    if lacks_arms(rig) {
        rig.warnings.push(NO_ARMS.into());
    }
    if shape::are_sides_swapped(rig, skeleton, poses) {
        rig.warnings.push(SWAPPED_SIDES.into());
    }
}
