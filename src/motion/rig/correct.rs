//! Corrections of a rig by hand, with checks.

use super::infer::{
    FOUR_LEGGED, MISSING_ROLES, NO_ARMS, REQUIRED_ROLES, SWAPPED_SIDES, lacks_arms, missing_roles_warning,
};
use super::{AnyRole, DetailRole, Rig, RigKind, Role, detail};
use crate::error::{Error, Result, quoted};
use crate::motion::skeleton::Skeleton;

impl Rig {
    /// Returns this rig with some roles mapped to other joints (by exact name) or to none. `skeleton` is the skeleton
    /// from which the rig was inferred. If the changes map the last missing required roles, the rig becomes a biped,
    /// even if it was four-legged. A biped that loses a required role becomes [`RigKind::Other`]. Warnings about
    /// missing roles are updated; the one about swapped sides is removed if a leg is changed. A joint that a change gives
    /// to one of the three spine roles loses the other one.
    ///
    /// # Errors
    /// [`Error::Rig`] if the rig belongs to another skeleton, or if a joint does not exist, has two roles, or is not
    /// below the joint of the parent role (a hand must be below its forearm). All roles are checked, also unchanged
    /// ones.
    pub fn with_changes<R: Into<AnyRole> + Copy>(
        &self,
        skeleton: &Skeleton,
        changes: &[(R, Option<&str>)],
    ) -> Result<Rig> {
        let mut rig = self.clone();
        for &(role, name) in changes {
            let joint = name.map(|name| find_joint(skeleton, role.into(), name)).transpose()?;
            match (role.into(), joint) {
                (AnyRole::Body(role), joint) => rig.joints[role as usize] = joint,
                (AnyRole::Detail(role), Some(joint)) => drop(rig.details.insert(role, joint)),
                (AnyRole::Detail(role), None) => drop(rig.details.remove(&role)),
            }
        }
        rig.free_spine_joints(changes);
        rig.free_detail_joints(changes);
        rig.check(skeleton)?;
        let had_all = REQUIRED_ROLES.iter().all(|&role| self.joint(role).is_some());
        let has_all = REQUIRED_ROLES.iter().all(|&role| rig.joint(role).is_some());
        if has_all && !had_all {
            rig.kind = RigKind::Biped;
            if rig.details.is_empty() {
                detail::map_details(&mut rig, skeleton);
            }
            rig.warnings.retain(|warning| !warning.starts_with(FOUR_LEGGED));
        }
        if !has_all && rig.kind == RigKind::Biped {
            rig.kind = RigKind::Other;
            rig.details.clear();
        }
        if changes.iter().any(|&(role, _)| matches!(role.into(), AnyRole::Body(role) if is_leg(role))) {
            rig.warnings.retain(|warning| warning != SWAPPED_SIDES);
        }
        rig.update_warnings();
        Ok(rig)
    }

    /// Unmaps the spine roles whose joint the changes give to another spine role: which of its three roles a joint of a
    /// short spine has is a convention (VRM names the upper of two joints "chest", the second role).
    fn free_spine_joints<R: Into<AnyRole> + Copy>(&mut self, changes: &[(R, Option<&str>)]) {
        let is_changed = |role: Role| changes.iter().any(|&(changed, _)| changed.into() == AnyRole::Body(role));
        let spine = [Role::Spine, Role::Spine1, Role::Spine2];
        let given: Vec<Option<usize>> =
            spine.iter().filter(|role| is_changed(**role)).map(|role| self.joint(*role)).collect();
        for role in spine.into_iter().filter(|role| !is_changed(*role)) {
            if given.contains(&self.joint(role)) {
                self.joints[role as usize] = None;
            }
        }
    }

    /// Unmaps the optional roles whose joint the changes give to another role.
    fn free_detail_joints<R: Into<AnyRole> + Copy>(&mut self, changes: &[(R, Option<&str>)]) {
        let changed: Vec<AnyRole> = changes.iter().map(|&(role, _)| role.into()).collect();
        let given: Vec<usize> = changed.iter().filter_map(|&role| self.joint_of(role)).collect();
        self.details.retain(|&role, joint| changed.contains(&AnyRole::Detail(role)) || !given.contains(joint));
    }

    /// Returns the joint of any role.
    fn joint_of(&self, role: AnyRole) -> Option<usize> {
        match role {
            AnyRole::Body(role) => self.joint(role),
            AnyRole::Detail(role) => self.details.get(&role).copied(),
        }
    }

    /// Checks that no joint has two roles, and that each joint is below the joint of its parent role. A foot with
    /// translations may be anywhere: some rigs place feet by controls.
    fn check(&self, skeleton: &Skeleton) -> Result<()> {
        let fail = |message: String| Err(Error::Rig { clip: String::new(), message });
        let name = |joint: usize| quoted(&skeleton.joints()[joint].name);
        let mut taken: Vec<(AnyRole, usize)> = Vec::new();
        for role in AnyRole::all() {
            let Some(joint) = self.joint_of(role) else { continue };
            if joint >= skeleton.len() {
                return fail(format!("{role}: the rig belongs to another skeleton; infer it again"));
            }
            if let Some((other, _)) = taken.iter().find(|(_, other_joint)| *other_joint == joint) {
                return fail(format!(
                    "{other} and {role} are both mapped to joint {}; map one of them to another joint, or to none",
                    name(joint)
                ));
            }
            taken.push((role, joint));
            let is_placed_foot = matches!(role, AnyRole::Body(Role::LeftFoot | Role::RightFoot))
                && skeleton.translation_slot(joint).is_some();
            if let Some((parent_role, parent)) = self.required_parent(role)
                && !(is_below(skeleton, joint, parent) || is_placed_foot)
            {
                return fail(format!(
                    "{role} is mapped to {}, which is not below {parent_role} ({}); map it to a joint below that one",
                    name(joint),
                    name(parent)
                ));
            }
        }
        Ok(())
    }

    /// Returns the role below whose joint the joint of `role` must be, and this joint.
    fn required_parent(&self, role: AnyRole) -> Option<(AnyRole, usize)> {
        let mapped = |role: AnyRole| Some((role, self.joint_of(role)?));
        match role {
            AnyRole::Body(role) => {
                let parent_roles = std::iter::successors(role.parent(), |role| role.parent());
                parent_roles.filter(|&parent| must_be_below(parent, role)).map(AnyRole::Body).find_map(mapped)
            }
            AnyRole::Detail(role) => {
                let previous = std::iter::successors(role.parent(), |role: &DetailRole| role.parent());
                let carrier = AnyRole::Body(role.carrier());
                previous.map(AnyRole::Detail).chain([carrier]).find_map(mapped)
            }
        }
    }

    /// Updates the warnings about missing roles.
    fn update_warnings(&mut self) {
        self.warnings.retain(|warning| !warning.starts_with(MISSING_ROLES) && warning != NO_ARMS);
        match self.kind {
            RigKind::Biped if lacks_arms(self) => self.warnings.push(NO_ARMS.into()),
            RigKind::Other => self.warnings.extend(missing_roles_warning(self)),
            _ => {}
        }
    }
}

fn is_leg(role: Role) -> bool {
    use Role::*;
    matches!(role, LeftUpLeg | LeftLeg | LeftFoot | LeftToe | RightUpLeg | RightLeg | RightFoot | RightToe)
}

/// Returns whether the joint of `role` must be below the joint of `above`, the nearest parent role with a joint.
/// Shoulders and necks of real skeletons branch off anywhere along the spine, so only spine roles must be below a spine
/// role.
fn must_be_below(above: Role, role: Role) -> bool {
    use Role::*;
    let is_spine = |role| matches!(role, Spine | Spine1 | Spine2);
    !is_spine(above) || is_spine(role)
}

fn is_below(skeleton: &Skeleton, joint: usize, above: usize) -> bool {
    std::iter::successors(skeleton.joints()[joint].parent, |&j| skeleton.joints()[j].parent).any(|j| j == above)
}

/// Returns the joint with exactly this name.
fn find_joint(skeleton: &Skeleton, role: AnyRole, name: &str) -> Result<usize> {
    skeleton.find(name).ok_or_else(|| {
        let message = format!("{role}: no joint is named {}{}", quoted(name), suggest_joint(skeleton, name));
        Error::Rig { clip: String::new(), message }
    })
}

/// Suggests the joint whose name differs from `name` only in case and separators. Empty if there is none.
fn suggest_joint(skeleton: &Skeleton, name: &str) -> String {
    let simplify =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let simple_name = simplify(name);
    let is_similar = |joint: &str| !simple_name.is_empty() && simplify(joint) == simple_name;
    let similar = skeleton.joints().iter().find(|joint| is_similar(&joint.name));
    similar.map_or_else(String::new, |joint| format!("; did you mean {}?", quoted(&joint.name)))
}
