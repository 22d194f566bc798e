//! Corrections of a rig by hand, with checks.

use super::{REQUIRED_ROLES, Rig, RigKind, Role};
use crate::error::{Error, Result, quoted};
use crate::motion::skeleton::Skeleton;

impl Rig {
    /// This rig with some roles assigned to other joints (by exact name) or removed. `skeleton` is the one the rig
    /// was inferred from. Warnings about missing joints that the change fixes are dropped.
    ///
    /// # Errors
    /// [`Error::Rig`] if a joint does not exist, has two roles, or is not below the joint of the parent role (a
    /// hand must be below its forearm).
    pub fn with_changes(&self, skeleton: &Skeleton, changes: &[(Role, Option<&str>)]) -> Result<Rig> {
        let fail = |message: String| Err(Error::Rig { clip: String::new(), message });
        let mut rig = self.clone();
        for &(role, name) in changes {
            rig.joints[role as usize] = match name {
                None => None,
                Some(name) => match skeleton.find(name) {
                    Some(joint) => Some(joint),
                    None => {
                        return fail(format!(
                            "{role:?}: no joint is named {}{}",
                            quoted(name),
                            nearest(skeleton, name)
                        ));
                    }
                },
            };
        }
        let name = |joint: usize| quoted(&skeleton.joints()[joint].name);
        for (i, role) in Role::ALL.into_iter().enumerate() {
            let Some(joint) = rig.joint(role) else { continue };
            if joint >= skeleton.len() {
                return fail(format!("{role:?}: the rig belongs to another skeleton; infer it again"));
            }
            if let Some(other) = Role::ALL[..i].iter().find(|&&other| rig.joint(other) == Some(joint)) {
                return fail(format!(
                    "joint {} is given to both {other:?} and {role:?}; give one of them another joint, or none",
                    name(joint)
                ));
            }
            let above = std::iter::successors(role.parent(), |role| role.parent());
            let above =
                above.filter_map(|above| Some((above, rig.joint(above)?))).find(|(above, _)| binds(*above, role));
            if let Some((above_role, above)) = above
                && !is_below(skeleton, joint, above)
            {
                return fail(format!(
                    "{role:?} is {}, which does not hang from {above_role:?} {}; choose a joint below it",
                    name(joint),
                    name(above)
                ));
            }
        }
        let had_all = REQUIRED_ROLES.iter().all(|&role| self.joint(role).is_some());
        let has_all = REQUIRED_ROLES.iter().all(|&role| rig.joint(role).is_some());
        if has_all && !had_all {
            rig.kind = RigKind::Biped;
            rig.warnings.retain(|warning| !warning.starts_with("no joint found"));
        }
        if !has_all && rig.kind == RigKind::Biped {
            rig.kind = RigKind::Other;
        }
        Ok(rig)
    }
}

/// Whether `role` must be below `above`. Shoulders and necks of real skeletons branch off anywhere along the spine,
/// so the order is checked only within the spine.
fn binds(above: Role, role: Role) -> bool {
    use Role::*;
    let spine = |role| matches!(role, Spine | Spine1 | Spine2);
    !spine(above) || spine(role)
}

fn is_below(skeleton: &Skeleton, joint: usize, above: usize) -> bool {
    std::iter::successors(skeleton.joints()[joint].parent, |&j| skeleton.joints()[j].parent).any(|j| j == above)
}

/// Suggests the joint whose name differs from the wanted one only in case and separators.
fn nearest(skeleton: &Skeleton, wanted: &str) -> String {
    let plain =
        |name: &str| name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let similar = skeleton.joints().iter().find(|joint| plain(&joint.name) == plain(wanted));
    similar.map_or_else(
        || "; names are case-sensitive".to_owned(),
        |joint| format!("; did you mean {}?", quoted(&joint.name)),
    )
}
