//! The two people of the generated clips, with different joint names, proportions, rest poses, units and channel
//! orders.

use crate::foot::Shape;
use glam::Vec3;
use kinestitch::motion::skeleton::{Channel, FileSpace, Joint, PositionMode, UpAxis};
use kinestitch::{Result, Skeleton};
use std::f32::consts::FRAC_PI_4;
use std::sync::Arc;

/// Joint indices of one limb, from thigh to toe or from collar to hand.
pub type Limb = [usize; 4];

/// A skeleton and the joints that the gait drives. The rest pose, with all rotations zero, stands and faces +Z.
pub struct Character {
    /// Name of the character, the first part of its file names.
    pub name: &'static str,
    pub skeleton: Arc<Skeleton>,
    /// Root joint on the ground, which moves along the path; `None` if the pelvis is the root.
    pub ground: Option<usize>,
    pub pelvis: usize,
    /// Joints from pelvis to chest, without the pelvis.
    pub spine: Vec<usize>,
    pub neck: usize,
    pub head: usize,
    /// Thigh, shin, foot, toe; left, then right.
    pub legs: [Limb; 2],
    /// Collar, upper arm, forearm, hand; left, then right.
    pub arms: [Limb; 2],
    /// Rest positions in the world, metres, `[joints]`.
    pub rest: Vec<Vec3>,
    /// Initial heading in the clips, radians about +Y from +Z.
    pub heading: f32,
}

impl Character {
    /// Returns the lengths of thigh and shin, metres.
    pub fn leg_lengths(&self) -> [f32; 2] {
        let [thigh, shin, foot, _] = self.legs[0];
        [self.rest[thigh].distance(self.rest[shin]), self.rest[shin].distance(self.rest[foot])]
    }

    /// Returns the rest shape of the foot.
    pub fn foot_shape(&self) -> Shape {
        let [_, _, foot, toe] = self.legs[0];
        Shape {
            ankle_height: self.rest[foot].y,
            to_ball: (self.rest[toe] - self.rest[foot]).with_x(0.0),
            toe_length: self.skeleton.joints()[toe].end_sites[0].z,
            heel: Some(0.05),
        }
    }
}

/// Collects the joints of a skeleton; converts world positions to offsets.
#[derive(Default)]
pub struct SkeletonBuilder {
    pub joints: Vec<Joint>,
    pub rest: Vec<Vec3>,
}

impl SkeletonBuilder {
    /// Adds a joint at a position in the world, metres, and returns its index.
    pub fn add_joint(&mut self, name: &str, parent: Option<usize>, world: Vec3, channels: &[Channel]) -> usize {
        let origin = parent.map_or(Vec3::ZERO, |parent| self.rest[parent]);
        self.joints.push(Joint {
            name: name.to_owned(),
            parent,
            // Rounded to a hundredth of a millimetre, so that the files hold short numbers.
            offset: ((world - origin) * 1e5).round() / 1e5,
            channels: channels.to_vec(),
            position_mode: PositionMode::Replace,
            end_sites: Vec::new(),
        });
        self.rest.push(world);
        self.joints.len() - 1
    }

    /// Adds an end site to a joint. `offset`: from the joint, metres.
    pub fn add_end_site(&mut self, joint: usize, offset: Vec3) {
        self.joints[joint].end_sites.push(offset);
    }
}

/// Returns `v`, a vector of the left side, if `side` is 0 (left), and its mirror image if `side` is 1 (right).
pub fn on_side(v: Vec3, side: usize) -> Vec3 {
    if side == 0 { v } else { Vec3::new(-v.x, v.y, v.z) }
}

const XYZ_POSITION: [Channel; 3] = [Channel::Xposition, Channel::Yposition, Channel::Zposition];
const ZYX: [Channel; 3] = [Channel::Zrotation, Channel::Yrotation, Channel::Xrotation];
const ZXY: [Channel; 3] = [Channel::Zrotation, Channel::Xrotation, Channel::Yrotation];
const YXZ: [Channel; 3] = [Channel::Yrotation, Channel::Xrotation, Channel::Zrotation];

/// "Ada": 1.78 m, motion-capture names and channel order, centimetres, T-pose, position channels on the hips only.
pub fn ada() -> Result<Character> {
    let mut b = SkeletonBuilder::default();
    let position_zyx: Vec<Channel> = XYZ_POSITION.into_iter().chain(ZYX).collect();
    let pelvis = b.add_joint("Hips", None, Vec3::new(0.0, 0.955, 0.0), &position_zyx);
    let mut legs = [[0; 4]; 2];
    for (side, name) in ["Left", "Right"].into_iter().enumerate() {
        let at = |x, y, z| on_side(Vec3::new(x, y, z), side);
        let thigh = b.add_joint(&format!("{name}UpLeg"), Some(pelvis), at(0.098, 0.935, 0.0), &ZYX);
        let shin = b.add_joint(&format!("{name}Leg"), Some(thigh), at(0.098, 0.505, 0.012), &ZYX);
        let foot = b.add_joint(&format!("{name}Foot"), Some(shin), at(0.098, 0.085, -0.018), &ZYX);
        let toe = b.add_joint(&format!("{name}Toe"), Some(foot), at(0.098, 0.02, 0.125), &ZYX);
        b.add_end_site(toe, Vec3::new(0.0, -0.008, 0.07));
        legs[side] = [thigh, shin, foot, toe];
    }
    let spine = b.add_joint("Spine", Some(pelvis), Vec3::new(0.0, 1.04, -0.012), &ZYX);
    let spine1 = b.add_joint("Spine1", Some(spine), Vec3::new(0.0, 1.165, -0.015), &ZYX);
    let spine2 = b.add_joint("Spine2", Some(spine1), Vec3::new(0.0, 1.29, -0.02), &ZYX);
    let neck = b.add_joint("Neck", Some(spine2), Vec3::new(0.0, 1.525, -0.015), &ZYX);
    let head = b.add_joint("Head", Some(neck), Vec3::new(0.0, 1.625, 0.005), &ZYX);
    b.add_end_site(head, Vec3::new(0.0, 0.155, 0.0));
    let mut arms = [[0; 4]; 2];
    for (side, name) in ["Left", "Right"].into_iter().enumerate() {
        let at = |x, y, z| on_side(Vec3::new(x, y, z), side);
        let collar = b.add_joint(&format!("{name}Shoulder"), Some(spine2), at(0.035, 1.455, -0.01), &ZYX);
        let arm = b.add_joint(&format!("{name}Arm"), Some(collar), at(0.175, 1.455, -0.02), &ZYX);
        let forearm = b.add_joint(&format!("{name}ForeArm"), Some(arm), at(0.47, 1.455, -0.022), &ZYX);
        let hand = b.add_joint(&format!("{name}Hand"), Some(forearm), at(0.725, 1.455, -0.02), &ZYX);
        b.add_end_site(hand, at(0.175, 0.0, 0.0));
        arms[side] = [collar, arm, forearm, hand];
    }
    let space = FileSpace { metres_per_unit: 0.01, up: UpAxis::Y };
    let skeleton = Arc::new(Skeleton::new(b.joints, space)?);
    let spine = vec![spine, spine1, spine2];
    Ok(Character {
        name: "ada",
        skeleton,
        ground: None,
        pelvis,
        spine,
        neck,
        head,
        legs,
        arms,
        rest: b.rest,
        heading: 0.0,
    })
}

/// "Bo": 1.64 m, game-engine names, metres, A-pose, a root on the ground, position channels on root and pelvis, two
/// channel orders, twist joints that the gait does not drive.
pub fn bo() -> Result<Character> {
    let mut b = SkeletonBuilder::default();
    let position_zxy: Vec<Channel> = XYZ_POSITION.into_iter().chain(ZXY).collect();
    let root = b.add_joint("root", None, Vec3::ZERO, &position_zxy);
    let pelvis = b.add_joint("pelvis", Some(root), Vec3::new(0.0, 0.9, 0.0), &position_zxy);
    let spine_01 = b.add_joint("spine_01", Some(pelvis), Vec3::new(0.0, 0.99, 0.005), &ZXY);
    let spine_02 = b.add_joint("spine_02", Some(spine_01), Vec3::new(0.0, 1.125, 0.0), &ZXY);
    let spine_03 = b.add_joint("spine_03", Some(spine_02), Vec3::new(0.0, 1.24, -0.012), &ZXY);
    let neck = b.add_joint("neck_01", Some(spine_03), Vec3::new(0.0, 1.405, -0.02), &ZXY);
    let head = b.add_joint("head", Some(neck), Vec3::new(0.0, 1.49, 0.0), &ZXY);
    b.add_end_site(head, Vec3::new(0.0, 0.15, 0.0));
    let mut arms = [[0; 4]; 2];
    for (side, s) in ["l", "r"].into_iter().enumerate() {
        let at = |v: Vec3| on_side(v, side);
        let along_arm = |length: f32| Vec3::new(FRAC_PI_4.cos(), -FRAC_PI_4.sin(), 0.0) * length;
        let shoulder = Vec3::new(0.16, 1.355, -0.025);
        let collar = b.add_joint(&format!("clavicle_{s}"), Some(spine_03), at(Vec3::new(0.025, 1.36, -0.01)), &YXZ);
        let arm = b.add_joint(&format!("upperarm_{s}"), Some(collar), at(shoulder), &YXZ);
        let twist = b.add_joint(&format!("upperarm_twist_01_{s}"), Some(arm), at(shoulder + along_arm(0.12)), &YXZ);
        b.add_end_site(twist, at(along_arm(0.05)));
        let forearm = b.add_joint(&format!("lowerarm_{s}"), Some(arm), at(shoulder + along_arm(0.262)), &YXZ);
        let hand = b.add_joint(&format!("hand_{s}"), Some(forearm), at(shoulder + along_arm(0.262 + 0.235)), &YXZ);
        b.add_end_site(hand, at(along_arm(0.16)));
        arms[side] = [collar, arm, forearm, hand];
    }
    let mut legs = [[0; 4]; 2];
    for (side, s) in ["l", "r"].into_iter().enumerate() {
        let at = |x, y, z| on_side(Vec3::new(x, y, z), side);
        let thigh = b.add_joint(&format!("thigh_{s}"), Some(pelvis), at(0.088, 0.865, 0.0), &ZXY);
        let shin = b.add_joint(&format!("calf_{s}"), Some(thigh), at(0.095, 0.46, 0.008), &ZXY);
        let foot = b.add_joint(&format!("foot_{s}"), Some(shin), at(0.098, 0.075, -0.02), &ZXY);
        let toe = b.add_joint(&format!("ball_{s}"), Some(foot), at(0.098, 0.018, 0.11), &ZXY);
        b.add_end_site(toe, Vec3::new(0.0, -0.006, 0.062));
        legs[side] = [thigh, shin, foot, toe];
    }
    let space = FileSpace { metres_per_unit: 1.0, up: UpAxis::Y };
    let skeleton = Arc::new(Skeleton::new(b.joints, space)?);
    let spine = vec![spine_01, spine_02, spine_03];
    let ground = Some(root);
    Ok(Character { name: "bo", skeleton, ground, pelvis, spine, neck, head, legs, arms, rest: b.rest, heading: 0.9 })
}
