//! Optional roles: 15 bones of each hand, the eyes and the jaw. They are mapped by name only.

use super::{Rig, Role, name, trunk};
use crate::error::{Error, Result, quoted};
use crate::motion::skeleton::Skeleton;
use name::Side;
use serde::{Deserialize, Serialize};

/// Optional roles of a person's joints. The bones of a finger count from the palm; bones inside the palm have no role,
/// except the first bone of a thumb.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs)]
#[repr(u8)]
pub enum DetailRole {
    LeftThumb1,
    LeftThumb2,
    LeftThumb3,
    LeftIndex1,
    LeftIndex2,
    LeftIndex3,
    LeftMiddle1,
    LeftMiddle2,
    LeftMiddle3,
    LeftRing1,
    LeftRing2,
    LeftRing3,
    LeftPinky1,
    LeftPinky2,
    LeftPinky3,
    RightThumb1,
    RightThumb2,
    RightThumb3,
    RightIndex1,
    RightIndex2,
    RightIndex3,
    RightMiddle1,
    RightMiddle2,
    RightMiddle3,
    RightRing1,
    RightRing2,
    RightRing3,
    RightPinky1,
    RightPinky2,
    RightPinky3,
    LeftEye,
    RightEye,
    Jaw,
}

/// Number of bones of a hand with a role.
const HAND: usize = 15;
/// Number of bones of a finger with a role.
const BONES: usize = 3;

impl DetailRole {
    /// All 33 roles, in order.
    pub const ALL: [DetailRole; 33] = {
        use DetailRole::*;
        [
            LeftThumb1,
            LeftThumb2,
            LeftThumb3,
            LeftIndex1,
            LeftIndex2,
            LeftIndex3,
            LeftMiddle1,
            LeftMiddle2,
            LeftMiddle3,
            LeftRing1,
            LeftRing2,
            LeftRing3,
            LeftPinky1,
            LeftPinky2,
            LeftPinky3,
            RightThumb1,
            RightThumb2,
            RightThumb3,
            RightIndex1,
            RightIndex2,
            RightIndex3,
            RightMiddle1,
            RightMiddle2,
            RightMiddle3,
            RightRing1,
            RightRing2,
            RightRing3,
            RightPinky1,
            RightPinky2,
            RightPinky3,
            LeftEye,
            RightEye,
            Jaw,
        ]
    };

    /// Returns the same role on the other side of the body; the jaw is its own opposite.
    pub fn opposite(self) -> Self {
        match self {
            Self::LeftEye => Self::RightEye,
            Self::RightEye => Self::LeftEye,
            Self::Jaw => Self::Jaw,
            finger => Self::ALL[(finger as usize + HAND) % (2 * HAND)],
        }
    }

    /// Returns the role of the joint that carries this one: hand or head.
    pub fn carrier(self) -> Role {
        match self {
            Self::LeftEye | Self::RightEye | Self::Jaw => Role::Head,
            finger if (finger as usize) < HAND => Role::LeftHand,
            _ => Role::RightHand,
        }
    }

    /// Returns the role of the bone of the same finger that is nearer to the palm.
    pub fn parent(self) -> Option<Self> {
        let index = self as usize;
        (index < 2 * HAND && !index.is_multiple_of(BONES)).then(|| Self::ALL[index - 1])
    }

    /// Returns this role, then for a bone of a finger other than the thumb the same bone of the other fingers of the
    /// hand, the nearest first: a hand with few fingers moves them together.
    pub fn alternatives(self) -> Vec<Self> {
        let index = self as usize;
        let (hand, finger, bone) = (index / HAND * HAND, index % HAND / BONES, index % BONES);
        if index >= 2 * HAND || finger == 0 {
            return vec![self];
        }
        let mut fingers: Vec<usize> = (1..HAND / BONES).collect();
        fingers.sort_by_key(|other| other.abs_diff(finger));
        fingers.into_iter().map(|finger| Self::ALL[hand + finger * BONES + bone]).collect()
    }

    /// Returns the role of a bone of a finger. `finger`: 0 (thumb) to 4 (pinky); `bone`: 0 to 2.
    fn of_finger(side: Side, finger: usize, bone: usize) -> Self {
        let hand = if side == Side::Left { 0 } else { HAND };
        Self::ALL[hand + finger * BONES + bone]
    }
}

/// A role of the body, or an optional one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum AnyRole {
    /// One of the 22 roles of the body.
    Body(Role),
    /// A finger's bone, an eye, the jaw.
    Detail(DetailRole),
}

impl From<Role> for AnyRole {
    fn from(role: Role) -> Self {
        Self::Body(role)
    }
}

impl From<DetailRole> for AnyRole {
    fn from(role: DetailRole) -> Self {
        Self::Detail(role)
    }
}

impl std::fmt::Display for AnyRole {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Body(role) => write!(formatter, "{role:?}"),
            Self::Detail(role) => write!(formatter, "{role:?}"),
        }
    }
}

impl AnyRole {
    /// Returns all roles: those of the body, then the optional ones.
    pub fn all() -> impl Iterator<Item = AnyRole> {
        Role::ALL.into_iter().map(Self::Body).chain(DetailRole::ALL.into_iter().map(Self::Detail))
    }

    /// Returns the role with this name.
    ///
    /// # Errors
    /// [`Error::Option`] with a list of all names.
    pub fn from_name(name: &str) -> Result<Self> {
        Self::all().find(|role| role.to_string() == name).ok_or_else(|| {
            let roles = Self::all().map(|role| role.to_string()).collect::<Vec<_>>().join(", ");
            Error::Option { option: "rig", message: format!("{} is not a role; the roles are {roles}", quoted(name)) }
        })
    }
}

/// Sets the optional roles of a rig whose other roles are set.
pub fn map_details(rig: &mut Rig, skeleton: &Skeleton) {
    use Role::*;
    let words: Vec<(Option<Side>, Vec<String>)> =
        skeleton.joints().iter().map(|joint| name::split_side(&joint.name)).collect();
    for (side, ends) in [(Side::Left, [LeftHand, LeftForeArm]), (Side::Right, [RightHand, RightForeArm])] {
        let Some(end) = ends.into_iter().find_map(|role| rig.joint(role)) else { continue };
        let below: Vec<usize> = (end + 1..skeleton.len())
            .filter(|&joint| trunk::path(skeleton, joint).contains(&end) && words[joint].0.is_none_or(|s| s == side))
            .collect();
        for (finger, chain) in find_fingers(skeleton, &words, &below).into_iter().enumerate() {
            for (bone, joint) in chain.into_iter().enumerate().take(BONES) {
                rig.details.insert(DetailRole::of_finger(side, finger, bone), joint);
            }
        }
    }
    let is_free = |joint: &usize| !rig.joints.contains(&Some(*joint));
    let find = |part: &str, side: Option<Side>| {
        let is_part = |joint: &usize| {
            words[*joint].0 == side
                && words[*joint].1.iter().any(|word| word == part)
                && !words[*joint].1.iter().any(|word| FACE_HELPERS.contains(&word.as_str()))
        };
        let below = |joint: &usize| rig.joint(Head).is_none_or(|head| trunk::path(skeleton, *joint).contains(&head));
        (0..skeleton.len()).filter(is_free).filter(below).find(is_part)
    };
    let eyes = [DetailRole::LeftEye, DetailRole::RightEye].into_iter().zip([Side::Left, Side::Right]);
    let eyes = eyes.map(|(role, side)| (role, find("eye", Some(side))));
    let found: Vec<_> = eyes.chain([(DetailRole::Jaw, find("jaw", None))]).collect();
    rig.details.extend(found.into_iter().filter_map(|(role, joint)| Some((role, joint?))));
}

/// Words of joints near an eye or a jaw that are neither.
const FACE_HELPERS: &[&str] = &[
    "brow",
    "eyebrow",
    "lid",
    "eyelid",
    "lids",
    "lash",
    "lashes",
    "eyelash",
    "target",
    "aim",
    "look",
    "ik",
    "ctrl",
    "control",
    "end",
    "nub",
    "site",
    "socket",
    "blink",
    "upper",
    "lower",
    "up",
    "low",
    "helper",
    "light",
    "highlight",
    "shadow",
    "corner",
    "inner",
    "outer",
    "track",
];

/// The finger that a name states.
enum Finger {
    /// 0 (thumb) to 4 (pinky).
    Named(usize),
    /// A number whose meaning the numbers of the other fingers tell ("Finger0", "Finger01").
    Numbered(u32),
}

/// Returns the finger that the words of a joint name; `None` for other joints, and for bones inside the palm other than
/// the first bone of a thumb.
fn read_finger(words: &[String]) -> Option<Finger> {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    if has(&["end", "tip", "nub", "site", "effector", "twist", "ik", "ctrl", "control", "helper", "cup", "toe", "foot"])
    {
        return None;
    }
    let finger = FINGERS.iter().position(|names| has(names));
    let finger = finger.map(Finger::Named).or_else(|| {
        let at = words.iter().position(|word| matches!(word.as_str(), "finger" | "fingers" | "digit"))?;
        // 3ds Max numbers the bones of finger 0 as 0, 01, 02.
        let number = words[at + 1..].first()?.chars().next()?.to_digit(10)?;
        Some(Finger::Numbered(number))
    })?;
    let is_in_palm = has(&["metacarpal", "metacarpals", "carpal", "palm", "in", "start", "mc", "base"]);
    (!is_in_palm || matches!(finger, Finger::Named(0))).then_some(finger)
}

/// Names of the fingers: thumb, index, middle, ring, pinky.
const FINGERS: [&[&str]; 5] = [
    &["thumb", "first"],
    &["index", "second"],
    &["middle", "mid", "third"],
    &["ring", "fourth"],
    &["pinky", "pinkie", "little", "small", "fifth"],
];

/// Returns the bones of each finger, from the palm to the tip; empty for fingers without bones. `joints`: those below
/// the wrist, parents first.
fn find_fingers(skeleton: &Skeleton, words: &[(Option<Side>, Vec<String>)], joints: &[usize]) -> [Vec<usize>; 5] {
    let read: Vec<(usize, Finger)> =
        joints.iter().filter_map(|&joint| Some((joint, read_finger(&words[joint].1)?))).collect();
    let has_thumb = read.iter().any(|(_, finger)| matches!(finger, Finger::Named(0)));
    let mut numbers: Vec<u32> = read
        .iter()
        .filter_map(|(_, finger)| if let Finger::Numbered(number) = finger { Some(*number) } else { None })
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut fingers: [Vec<usize>; 5] = Default::default();
    for (joint, finger) in read {
        let finger = match finger {
            Finger::Named(finger) => finger,
            // The lowest number is the thumb, unless the thumb has a name.
            Finger::Numbered(number) => {
                numbers.iter().position(|&other| other == number).unwrap_or(0) + usize::from(has_thumb)
            }
        };
        let Some(chain) = fingers.get_mut(finger) else { continue };
        // Only joints of one chain: a finger has no branches.
        if chain.last().is_none_or(|&last| trunk::path(skeleton, joint).contains(&last)) {
            chain.push(joint);
        }
    }
    // A fourth joint is the tip if the thumb has one too, else the first of four lies inside the palm.
    let thumb_has_tip = fingers[0].len() > BONES;
    for chain in fingers.iter_mut().skip(1).filter(|chain| chain.len() > BONES && !thumb_has_tip) {
        chain.remove(0);
    }
    fingers.each_mut().map(|chain| {
        chain.truncate(BONES);
        std::mem::take(chain)
    })
}
