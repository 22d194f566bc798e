//! Rows of the delta in-betweener: one row a frame (past, gap, target), and back.
//!
//! Oreshkin et al. 2022, *Motion In-Betweening via Deep Δ-Interpolator*: the network sees the interpolated motion in the frame
//! of the last past frame, and predicts the difference to it. Ours interpolates better than slerp and straight lines: the
//! speed at the past's end (and at the target's beginning, where more than one frame of it is given) decays into the
//! interpolation, see [`carried`]. On LAFAN1 subjects 1–3, official L2P as ratio to plain interpolation at 5/15/30/45 frames:
//! Hermite curves .64/.82/.93/.95, this .60/.80/.90/.90. What is left to predict is divided by its usual size, which
//! depends on how far the nearest keys are ([`usual_difference`]): otherwise short gaps, whose differences are millimetres,
//! are learned last.

use crate::motion::clip::Clip;
use crate::motion::quat::{exp, flipped, log, near};
use crate::motion::rig::Role;
use glam::{Mat3, Quat, Vec3};
use std::f32::consts::TAU;
use std::ops::Range;

/// Roles of the canonical biped.
pub const ROLES: usize = Role::ALL.len();
/// Frames a second of a row.
pub const FPS: f64 = 30.0;
/// Goes up when a column changes its meaning.
pub const VERSION: u32 = 1;
/// Past frames a network reads at most; earlier ones do not count.
pub const PAST: usize = 10;
/// Target frames a network reads at most; later ones do not count.
pub const TARGET: usize = 5;

const ROTATION: usize = 6 * ROLES;
const JOINTS: usize = 3 * ROLES;
const WAVES: usize = 6;
const TIME: usize = 4 * WAVES + 4;
/// Columns of an input row: local rotations (first two columns of each matrix), joint positions from the root in its own
/// heading, heading (sine, cosine), root; changes of rotations, root and joints since the row before; time; what it is.
pub const INPUT: usize = ROTATION + JOINTS + 2 + 3 + ROTATION + 3 + JOINTS + TIME + 3;
/// Columns of an output row: differences of local rotations (first two columns of each matrix) and of the root, both in
/// [`usual_difference`]s; four contacts (left heel, left toe, right heel, right toe) as logits.
pub const OUTPUT: usize = ROTATION + 3 + CONTACTS;
/// Contact columns of an output row.
pub const CONTACTS: usize = 4;
/// First contact column.
pub const CONTACT: usize = ROTATION + 3;

/// Frames after which the speed of a joint's rotation has decayed to 1/e.
const ROTATION_DECAY: f32 = 8.0;
/// Frames after which the speed of the root has halved.
const ROOT_DECAY: f32 = 32.0;

/// Poses on the canonical skeleton.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Poses {
    /// Hips, [frames], metres at the canonical leg length.
    pub hips: Vec<Vec3>,
    /// Local rotations, [frames × 22]; the hips' is its world rotation.
    pub rotations: Vec<Quat>,
}

impl Poses {
    /// Frames of a canonical clip of a biped.
    pub fn of(clip: &Clip, frames: Range<usize>) -> Self {
        let mut poses = Self::default();
        for frame in frames {
            poses.push(clip.frame_translations(frame)[0], clip.frame_rotations(frame).iter().copied());
        }
        poses
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.hips.len()
    }

    /// Whether there is no frame.
    pub fn is_empty(&self) -> bool {
        self.hips.is_empty()
    }

    /// Rotations of one frame, [22].
    pub fn pose(&self, frame: usize) -> &[Quat] {
        &self.rotations[frame * ROLES..][..ROLES]
    }

    /// Adds a frame; `rotations` is [22].
    pub fn push(&mut self, hips: Vec3, rotations: impl IntoIterator<Item = Quat>) {
        self.hips.push(hips);
        self.rotations.extend(rotations);
    }

    /// Some of its frames.
    pub fn cut(&self, frames: Range<usize>) -> Self {
        Self {
            hips: self.hips[frames.clone()].to_vec(),
            rotations: self.rotations[frames.start * ROLES..frames.end * ROLES].to_vec(),
        }
    }

    /// Seen in the mirror x → −x: left and right exchanged.
    pub fn mirrored(&self) -> Self {
        let turned = |index: usize| flipped(self.rotations[index / ROLES * ROLES + opposite(index % ROLES)]);
        Self {
            hips: self.hips.iter().map(|hips| flip(*hips)).collect(),
            rotations: (0..self.rotations.len()).map(turned).collect(),
        }
    }

    fn extend(&mut self, other: &Poses) {
        self.hips.extend_from_slice(&other.hips);
        self.rotations.extend_from_slice(&other.rotations);
    }

    /// Every pose turned about y and moved: hips p become turn · (p + move).
    pub fn moved(&self, frame: Frame) -> Self {
        let (turn, origin) = (frame.turn().inverse(), frame.origin);
        let hips = self.hips.iter().map(|hips| turn * (*hips - origin)).collect();
        let first = |(index, rotation): (usize, &Quat)| if index % ROLES == 0 { turn * *rotation } else { *rotation };
        Self { hips, rotations: self.rotations.iter().enumerate().map(first).collect() }
    }

    /// Undoes [`Poses::moved`].
    pub fn back(&self, frame: Frame) -> Self {
        let turn = frame.turn();
        let hips = self.hips.iter().map(|hips| turn * *hips + frame.origin).collect();
        let first = |(index, rotation): (usize, &Quat)| if index % ROLES == 0 { turn * *rotation } else { *rotation };
        Self { hips, rotations: self.rotations.iter().enumerate().map(first).collect() }
    }
}

/// A place in the mirror x → −x.
pub fn flip(place: Vec3) -> Vec3 {
    place * Vec3::new(-1.0, 1.0, 1.0)
}

/// Index of the role on the other side of the body.
pub fn opposite(role: usize) -> usize {
    Role::ALL[role].opposite() as usize
}

/// Output rows of a mirrored question, seen in the mirror.
pub fn mirror_answer(rows: &[f32]) -> Vec<f32> {
    let mut out = vec![0.0; rows.len()];
    for (row, out) in rows.chunks_exact(OUTPUT).zip(out.chunks_exact_mut(OUTPUT)) {
        for role in 0..ROLES {
            let from = &row[6 * opposite(role)..][..6];
            // The mirror turns the first axis round, and both axes' x.
            (-flip(Vec3::from_slice(from))).write_to_slice(&mut out[6 * role..]);
            flip(Vec3::from_slice(&from[3..])).write_to_slice(&mut out[6 * role + 3..]);
        }
        flip(Vec3::from_slice(&row[ROTATION..])).write_to_slice(&mut out[ROTATION..]);
        out[CONTACT..].copy_from_slice(&row[CONTACT..]);
        out[CONTACT..].rotate_left(CONTACTS / 2);
    }
    out
}

/// Where rows are local to: a point of the ground and a heading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// A point at the height of the ground, metres.
    pub origin: Vec3,
    /// About y, radians; 0 looks along +z.
    pub heading: f32,
}

impl Frame {
    /// Under the hips, in their heading, on ground of a height.
    pub fn of(hips: Vec3, rotation: Quat, ground: f32) -> Self {
        Self { origin: hips.with_y(ground), heading: heading(rotation) }
    }

    fn turn(self) -> Quat {
        Quat::from_rotation_y(self.heading)
    }
}

fn heading(rotation: Quat) -> f32 {
    let ahead = rotation * Vec3::Z;
    ahead.x.atan2(ahead.z)
}

/// What is asked of the network, encoded.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Rows, [past + gap + target, [`INPUT`]], not yet normalised.
    pub rows: Vec<f32>,
    /// Past frames among them.
    pub past: usize,
    /// What the rows are local to.
    pub frame: Frame,
    /// The interpolation, [gap], local to `frame`.
    pub base: Poses,
}

/// Encodes a gap between `past` and `target`, both not empty; `offsets` are the skeleton's, [22]. Of the past the last
/// [`PAST`] frames count, of the target the first [`TARGET`].
pub fn question(past: &Poses, target: &Poses, gap: usize, offsets: &[Vec3; ROLES], ground: f32) -> Question {
    let lead = past.len().saturating_sub(PAST);
    let last = past.len() - 1;
    let frame = Frame::of(past.hips[last], past.pose(last)[0], ground);
    let cut = |poses: &Poses, from: usize, to: usize| Poses {
        hips: poses.hips[from..to].to_vec(),
        rotations: poses.rotations[from * ROLES..to * ROLES].to_vec(),
    };
    let past = cut(past, lead, past.len()).moved(frame);
    let target = cut(target, 0, target.len().min(TARGET)).moved(frame);
    let base = interpolated(&past, &target, gap);
    let mut all = past.clone();
    all.extend(&base);
    all.extend(&target);
    let mut rows = vec![0.0; all.len() * INPUT];
    let joints: Vec<[Vec3; ROLES]> = (0..all.len()).map(|at| joints(all.hips[at], all.pose(at), offsets)).collect();
    for (at, row) in rows.chunks_exact_mut(INPUT).enumerate() {
        // Of the target's first frame the frame before is not known, unless by its own successor.
        let first_of_target = at == past.len() + gap && target.len() > 1;
        let (now, before) = if at == 0 || first_of_target { (at + 1, at) } else { (at, at - 1) };
        let mut put = columns(row);
        put(&six(all.pose(at)));
        let heading = heading(all.pose(at)[0]);
        let level = Quat::from_rotation_y(-heading);
        let root = all.hips[at].with_y(0.0);
        put(&flat(joints[at].iter().map(|joint| level * (*joint - root))));
        put(&[heading.sin(), heading.cos()]);
        put(&all.hips[at].to_array());
        let change: Vec<f32> = six(all.pose(now)).iter().zip(six(all.pose(before))).map(|(a, b)| a - b).collect();
        put(&change);
        put(&(all.hips[now] - all.hips[before]).to_array());
        put(&flat(joints[now].iter().zip(&joints[before]).map(|(a, b)| *a - *b)));
        let (since, until) = (at as f32 + 1.0 - past.len() as f32, (past.len() + gap) as f32 - at as f32);
        put(&time(since, until));
        let kind = usize::from(at >= past.len()) + usize::from(at >= past.len() + gap);
        put(&std::array::from_fn::<f32, 3, _>(|index| f32::from(u8::from(index == kind))));
    }
    Question { rows, past: past.len(), frame, base }
}

/// The motion and the contacts' probabilities, [gap × 4], of output rows, [gap, [`OUTPUT`]].
pub fn answer(question: &Question, rows: &[f32]) -> (Poses, Vec<f32>) {
    let (base, gap) = (&question.base, question.base.len());
    let mut poses = Poses::default();
    let mut contacts = Vec::with_capacity(gap * CONTACTS);
    for (at, row) in rows.chunks_exact(OUTPUT).take(gap).enumerate() {
        let [by_rotation, by_root] = usual_difference(at + 1, gap);
        let own = six(base.pose(at));
        let turned = |role: usize| {
            let column = |start: usize| -> Vec3 {
                let at = role * 6 + start;
                Vec3::from_slice(&own[at..]) + by_rotation * Vec3::from_slice(&row[at..])
            };
            near(Quat::from_mat3(&orthonormal(column(0), column(3))), base.pose(at)[role])
        };
        poses.push(base.hips[at] + by_root * Vec3::from_slice(&row[ROTATION..]), (0..ROLES).map(turned));
        contacts.extend(row[CONTACT..].iter().map(|logit| 1.0 / (1.0 + (-logit).exp())));
    }
    (poses.back(question.frame), contacts)
}

/// The interpolation, [gap]: slerp and a straight line, and the speeds at both ends, as far as two frames tell them, decaying
/// into it.
pub fn interpolated(past: &Poses, target: &Poses, gap: usize) -> Poses {
    let (last, span) = (past.len() - 1, (gap + 1) as f32);
    let (from, to) = (past.pose(last), target.pose(0));
    let whole: Vec<Vec3> = from.iter().zip(to).map(|(a, b)| log(a.inverse() * *b)).collect();
    // Speeds beyond the interpolation's own, a frame.
    let beyond = |pair: Option<(&[Quat], &[Quat])>| -> Vec<Vec3> {
        let Some((a, b)) = pair else { return vec![Vec3::ZERO; ROLES] };
        let both = a.iter().zip(b).zip(&whole);
        both.map(|((a, b), whole)| log(a.inverse() * *b) - *whole / span).collect()
    };
    let start = beyond((last > 0).then(|| (past.pose(last - 1), from)));
    let end = beyond((target.len() > 1).then(|| (to, target.pose(1))));
    let (a, b) = (past.hips[last], target.hips[0]);
    let steady = (b - a) / span;
    let start_root = if last > 0 { a - past.hips[last - 1] - steady } else { Vec3::ZERO };
    let end_root = if target.len() > 1 { target.hips[1] - b - steady } else { Vec3::ZERO };
    let mut poses = Poses::default();
    for step in 1..=gap {
        let (since, share) = (step as f32, step as f32 / span);
        let until = span - since;
        let [rotation, root] = carried(since, span);
        let [rotation_back, root_back] = carried(until, span);
        let turned = (0..ROLES).map(|role| {
            let vector = whole[role] * share + start[role] * rotation - end[role] * rotation_back;
            (from[role] * exp(vector)).normalize()
        });
        poses.push(a + steady * since + start_root * root - end_root * root_back, turned);
    }
    poses
}

/// How far a speed of 1 a frame at time 0 carries until `since`, in a gap of `span` steps, for rotations and for the root:
/// zero at both ends. The forms were chosen among five on LAFAN1 subjects 1–3.
fn carried(since: f32, span: f32) -> [f32; 2] {
    let left = 1.0 - since / span;
    [since * left * (-since / ROTATION_DECAY).exp(), since * left * left * (-since / ROOT_DECAY).exp()]
}

/// Usual size of what is left to predict at step 1..=gap, of matrix elements and of the root (metres).
pub fn usual_difference(step: usize, gap: usize) -> [f32; 2] {
    let span = (gap + 1) as f32;
    let lever = step as f32 * (span - step as f32) / span;
    [0.04 * lever / (1.0 + lever / 16.0), 0.01 * lever.powf(1.25)]
}

/// World positions of all roles.
pub fn joints(hips: Vec3, rotations: &[Quat], offsets: &[Vec3; ROLES]) -> [Vec3; ROLES] {
    let (mut places, mut world) = ([hips; ROLES], [rotations[0]; ROLES]);
    for role in &Role::ALL[1..] {
        let (index, parent) = (*role as usize, parent(*role));
        places[index] = places[parent] + world[parent] * offsets[index];
        world[index] = world[parent] * rotations[index];
    }
    places
}

/// Index of a role's parent; the hips are their own.
pub fn parent(role: Role) -> usize {
    role.parent().map_or(0, |parent| parent as usize)
}

/// First two columns of each rotation's matrix, [22 × 6].
pub fn six(rotations: &[Quat]) -> [f32; ROTATION] {
    let mut out = [0.0; ROTATION];
    for (rotation, out) in rotations.iter().zip(out.chunks_exact_mut(6)) {
        let matrix = Mat3::from_quat(*rotation);
        out[..3].copy_from_slice(&matrix.x_axis.to_array());
        out[3..].copy_from_slice(&matrix.y_axis.to_array());
    }
    out
}

/// The rotation whose first column lies along `first`, and whose second is as near to `second` as can be.
pub fn orthonormal(first: Vec3, second: Vec3) -> Mat3 {
    let x = first.normalize_or(Vec3::X);
    let y = (second - x * x.dot(second)).normalize_or(x.any_orthonormal_vector());
    Mat3::from_cols(x, y, x.cross(y))
}

/// Sines and cosines of the distances, in frames, to the past's end and to the target; the share, the lever and two inverses.
fn time(since: f32, until: f32) -> [f32; TIME] {
    let mut out = [0.0; TIME];
    let mut put = columns(&mut out);
    for distance in [since, until] {
        for wave in 0..WAVES {
            let angle = distance * TAU / (4 << wave) as f32;
            put(&[angle.sin(), angle.cos()]);
        }
    }
    let (since, until) = (since.max(0.0), until.max(0.0));
    let span = (since + until).max(1.0);
    put(&[since / span, since * until / (8.0 * span), 1.0 / (1.0 + since), 1.0 / (1.0 + until)]);
    drop(put);
    out
}

fn flat(points: impl Iterator<Item = Vec3>) -> Vec<f32> {
    points.flat_map(|point| point.to_array()).collect()
}

/// Writes values into a row, one group after the other.
fn columns(row: &mut [f32]) -> impl FnMut(&[f32]) {
    let mut start = 0;
    move |values| {
        row[start..start + values.len()].copy_from_slice(values);
        start += values.len();
    }
}
