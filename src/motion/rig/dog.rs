//! Dogs: maps the joints of known rigs to the roles of a dog, by name.

use crate::motion::skeleton::Skeleton;

/// Roles of a dog's joints, parents first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum DogRole {
    Hips,
    LeftUpLeg,
    LeftLeg,
    LeftFoot,
    LeftPaw,
    RightUpLeg,
    RightLeg,
    RightFoot,
    RightPaw,
    Spine,
    /// Parent of the neck and the shoulders.
    Chest,
    Neck,
    Head,
    LeftShoulder,
    LeftArm,
    LeftForeArm,
    LeftHand,
    LeftForePaw,
    RightShoulder,
    RightArm,
    RightForeArm,
    RightHand,
    RightForePaw,
    Tail,
    Tail1,
}

use DogRole::*;

/// Role, parent role, opposite role, and the joint's names in two known rigs: MANN's recordings (Zhang 2018), and our
/// fixture "cleo". An empty name: the rig has no such joint.
type Entry = (DogRole, DogRole, DogRole, [&'static str; 2]);

#[rustfmt::skip]
const ENTRIES: [Entry; 25] = [
    (Hips, Hips, Hips, ["Hips", "Pelvis"]),
    (LeftUpLeg, Hips, RightUpLeg, ["LeftUpLeg", "FemurL"]),
    (LeftLeg, LeftUpLeg, RightLeg, ["LeftLeg", "TibiaL"]),
    (LeftFoot, LeftLeg, RightFoot, ["LeftFoot", "HockL"]),
    (LeftPaw, LeftFoot, RightPaw, ["", "HindPawL"]),
    (RightUpLeg, Hips, LeftUpLeg, ["RightUpLeg", "FemurR"]),
    (RightLeg, RightUpLeg, LeftLeg, ["RightLeg", "TibiaR"]),
    (RightFoot, RightLeg, LeftFoot, ["RightFoot", "HockR"]),
    (RightPaw, RightFoot, LeftPaw, ["", "HindPawR"]),
    (Spine, Hips, Spine, ["Spine", "Loin"]),
    (Chest, Spine, Chest, ["Spine1", "Chest"]),
    (Neck, Chest, Neck, ["Neck", "NeckBase"]),
    (Head, Neck, Head, ["Head", "Skull"]),
    (LeftShoulder, Chest, RightShoulder, ["LeftShoulder", "ScapulaL"]),
    (LeftArm, LeftShoulder, RightArm, ["LeftArm", "HumerusL"]),
    (LeftForeArm, LeftArm, RightForeArm, ["LeftForeArm", "RadiusL"]),
    (LeftHand, LeftForeArm, RightHand, ["LeftHand", "WristL"]),
    (LeftForePaw, LeftHand, RightForePaw, ["", "ForePawL"]),
    (RightShoulder, Chest, LeftShoulder, ["RightShoulder", "ScapulaR"]),
    (RightArm, RightShoulder, LeftArm, ["RightArm", "HumerusR"]),
    (RightForeArm, RightArm, LeftForeArm, ["RightForeArm", "RadiusR"]),
    (RightHand, RightForeArm, LeftHand, ["RightHand", "WristR"]),
    (RightForePaw, RightHand, LeftForePaw, ["", "ForePawR"]),
    (Tail, Hips, Tail, ["Tail", "TailA"]),
    (Tail1, Tail, Tail1, ["Tail1", "TailB"]),
];

impl DogRole {
    /// All 25 roles, in order.
    pub const ALL: [DogRole; 25] = {
        let mut all = [Hips; 25];
        let mut i = 0;
        while i < all.len() {
            all[i] = ENTRIES[i].0;
            i += 1;
        }
        all
    };

    /// Returns the parent role; `None` for the hips.
    pub fn parent(self) -> Option<DogRole> {
        (self != Hips).then_some(ENTRIES[self as usize].1)
    }

    /// Returns the same role on the other side; roles on the midline are their own opposites.
    pub fn opposite(self) -> DogRole {
        ENTRIES[self as usize].2
    }
}

/// Smallest length of forelegs relative to hind legs, each the sum of two bones. It excludes people whose joints have
/// the same names: their arms have 0.55 to 0.75 of the length of their legs.
const MIN_FORELEG: f32 = 0.78;

/// Finds the joint of each role, `[25]`. A paw is `None` if the rig has only an End Site there. Returns `None` if the
/// names or the length of the forelegs are not those of a known dog.
pub fn find_joints(skeleton: &Skeleton) -> Option<Vec<Option<usize>>> {
    let joints = find_by_names(skeleton)?;
    let length = |bone_ends: [DogRole; 2]| -> f32 {
        let ends = bone_ends.into_iter().filter_map(|role| joints[role as usize]);
        ends.map(|joint| skeleton.joints()[joint].offset.length()).sum()
    };
    let (fore, hind) = (length([LeftForeArm, LeftHand]), length([LeftLeg, LeftFoot]));
    (fore > MIN_FORELEG * hind).then_some(joints)
}

/// Finds the joints by the names of the first rig that has them all, each joint below the joint of its parent role.
fn find_by_names(skeleton: &Skeleton) -> Option<Vec<Option<usize>>> {
    (0..2).find_map(|rig| {
        let mut joints: Vec<Option<usize>> = Vec::with_capacity(ENTRIES.len());
        for (_, parent, _, names) in ENTRIES {
            let name = names[rig];
            let joint = if name.is_empty() { None } else { Some(skeleton.find(name)?) };
            let is_below = |joint: usize, parent_joint: usize| {
                std::iter::successors(Some(joint), |&joint| skeleton.joints()[joint].parent)
                    .any(|joint| joint == parent_joint)
            };
            let parent_joint = joints.get(parent as usize).copied().flatten();
            if joint.zip(parent_joint).is_some_and(|(joint, parent_joint)| !is_below(joint, parent_joint)) {
                return None;
            }
            joints.push(joint);
        }
        Some(joints)
    })
}
