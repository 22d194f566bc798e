//! Dogs: maps joints to the parts of a four-legged body, by the names of known rigs.

use crate::motion::skeleton::Skeleton;

/// Parts of a dog, in order.
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
    /// Carries neck and shoulders.
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

/// Role, its parent, its opposite, and its names in known rigs: MANN's recordings (Zhang 2018), our own "cleo".
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
    /// All 25, in order.
    pub const ALL: [DogRole; 25] = {
        let mut all = [Hips; 25];
        let mut i = 0;
        while i < all.len() {
            all[i] = ENTRIES[i].0;
            i += 1;
        }
        all
    };

    /// Parent role; `None` for the hips.
    pub fn parent(self) -> Option<DogRole> {
        (self != Hips).then_some(ENTRIES[self as usize].1)
    }

    /// The same role on the other side; itself for the middle of the body.
    pub fn opposite(self) -> DogRole {
        ENTRIES[self as usize].2
    }
}

/// Smallest length of forelegs relative to hind legs, thigh and shin; people's arms have 0.55 to 0.75 of their legs.
const FORELEG: f32 = 0.78;

/// The joint of each role, `[25]`. Paws may be absent and are replaced by End Sites. `None` if the skeleton is not a
/// known dog's by its names and the length of its forelegs.
pub fn find_joints(skeleton: &Skeleton) -> Option<Vec<Option<usize>>> {
    let named = by_names(skeleton)?;
    let length = |[middle, end]: [DogRole; 2]| {
        [middle, end]
            .into_iter()
            .filter_map(|role| named[role as usize])
            .map(|joint| skeleton.joints()[joint].offset.length())
            .sum::<f32>()
    };
    let (fore, hind) = (length([LeftForeArm, LeftHand]), length([LeftLeg, LeftFoot]));
    (fore > FORELEG * hind).then_some(named)
}

fn by_names(skeleton: &Skeleton) -> Option<Vec<Option<usize>>> {
    (0..2).find_map(|rig| {
        let mut joints: Vec<Option<usize>> = Vec::with_capacity(ENTRIES.len());
        for (_, parent, _, names) in ENTRIES {
            let name = names[rig];
            let joint = if name.is_empty() { None } else { Some(skeleton.find(name)?) };
            let hangs = |joint: usize, above: usize| {
                std::iter::successors(Some(joint), |&joint| skeleton.joints()[joint].parent).any(|joint| joint == above)
            };
            let above = joints.get(parent as usize).copied().flatten();
            if joint.zip(above).is_some_and(|(joint, above)| !hangs(joint, above)) {
                return None;
            }
            joints.push(joint);
        }
        Some(joints)
    })
}
