//! Converts Euler angles, in any order of axes, to quaternions and back. No other module of the crate uses Euler
//! angles.
//!
//! A joint's rotation channels a b c mean R = R_a · R_b · R_c on column vectors. All computations are in f64;
//! quaternions are returned in f32.

use crate::motion::skeleton::Channel;
use glam::{DQuat, Quat};

/// Middle angle from which the first and the third angle cannot be told apart, degrees: a rotation in f32 has an error of
/// 1e-7.
const MIN_LOCKED_DEGREES: f64 = 90.0 - 3e-5;

/// Order of the rotation channels of a joint. The reader rejects joints that list a channel twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Order {
    /// Axes of the channels in file order, then the axes without a channel: always a permutation of 0, 1, 2.
    axes: [usize; 3],
    /// Number of `axes` that have a channel.
    angle_count: usize,
}

impl Order {
    /// Returns the order of the rotation channels; position channels are skipped.
    pub(super) fn from_channels(channels: &[Channel]) -> Self {
        let mut axes = [0; 3];
        let mut angle_count = 0;
        for channel in channels.iter().filter(|c| !c.is_position()).take(3) {
            axes[angle_count] = channel.axis();
            angle_count += 1;
        }
        let mut count = angle_count;
        for axis in 0..3 {
            if !axes[..count].contains(&axis) && count < 3 {
                axes[count] = axis;
                count += 1;
            }
        }
        Self { axes, angle_count }
    }

    /// Returns the number of angles: 0 to 3.
    pub(super) fn angle_count(self) -> usize {
        self.angle_count
    }

    /// Returns +1 if the axes are a cyclic permutation of x y z, else −1: the sign in i·j = ±k.
    fn handedness(self) -> f64 {
        if (self.axes[0] + 1) % 3 == self.axes[1] { 1.0 } else { -1.0 }
    }

    /// Computes the rotation from degrees in channel order. Angles without a channel must be 0.
    #[inline(always)]
    pub(super) fn compose(self, degrees: [f64; 3]) -> Quat {
        if self.angle_count == 0 {
            return Quat::IDENTITY;
        }
        let e = self.handedness();
        let (sa, ca) = half_sin_cos(degrees[0]);
        let (sb, cb) = half_sin_cos(degrees[1]);
        let (sc, cc) = half_sin_cos(degrees[2]);
        // (ca + i sa)(cb + j sb)(cc + k sc), with i·j = e k.
        let mut xyz = [0.0; 3];
        xyz[self.axes[0]] = sa * cb * cc + e * ca * sb * sc;
        xyz[self.axes[1]] = ca * sb * cc - e * sa * cb * sc;
        xyz[self.axes[2]] = ca * cb * sc + e * sa * sb * cc;
        let w = ca * cb * cc - e * sa * sb * sc;
        Quat::from_xyzw(xyz[0] as f32, xyz[1] as f32, xyz[2] as f32, w as f32)
    }

    /// Computes angles in channel order from a rotation, degrees: the first and the third are from −180 to 180, the
    /// second from −90 to 90 (with two channels from −180 to 180).
    ///
    /// For the angles a, b, c, the quaternion has the components w and i, j, k along the axes of the channels. With e
    /// of [`Order::handedness`]:
    /// - (w + j, i + e·k) = (cos b/2 + sin b/2) · (cos, sin)(a/2 + e·c/2)
    /// - (w − j, i − e·k) = (cos b/2 − sin b/2) · (cos, sin)(a/2 − e·c/2)
    ///
    /// So atan2 of each pair gives half the sum and half the difference of a and e·c, and the lengths of the pairs
    /// give b. At gimbal lock, one pair is zero; its angle is then free, and any result of atan2 composes to the
    /// same rotation. No threshold or normalisation is needed.
    ///
    /// With fewer than three channels, the angles without a channel are zero, and shorter formulas suffice. The part of
    /// a rotation that the channels cannot express is lost, see [`Order::can_express`].
    pub(super) fn decompose(self, rotation: Quat) -> [f64; 3] {
        let q = rotation.as_dquat();
        let xyz = [q.x, q.y, q.z];
        let e = self.handedness();
        let (i, j, ek) = (xyz[self.axes[0]], xyz[self.axes[1]], e * xyz[self.axes[2]]);
        match self.angle_count {
            0 => return [0.0; 3],
            1 => return [wrap(2.0 * i.atan2(q.w).to_degrees()), 0.0, 0.0],
            2 => {
                // (w, i) = cos b/2 · (cos a/2, sin a/2) and (j, e·k) = sin b/2 · (cos a/2, sin a/2); the arguments
                // of atan2 are sine and cosine of a and of b.
                let a = (2.0 * (q.w * i + j * ek)).atan2(q.w * q.w - i * i + j * j - ek * ek);
                let b = (2.0 * (q.w * j + i * ek)).atan2(q.w * q.w - j * j + i * i - ek * ek);
                return [a.to_degrees(), b.to_degrees(), 0.0];
            }
            _ => {}
        }
        let half_sum = (i + ek).atan2(q.w + j);
        let half_difference = (i - ek).atan2(q.w - j);
        // The lengths of the pairs have the ratio tan(b/2 + π/4).
        let b = 2.0 * (q.w + j).hypot(i + ek).atan2((q.w - j).hypot(i - ek)) - std::f64::consts::FRAC_PI_2;
        [
            wrap((half_sum + half_difference).to_degrees()),
            b.to_degrees(),
            wrap((e * (half_sum - half_difference)).to_degrees()),
        ]
    }

    /// Computes the angles of a rotation that are nearest to those of the frame before, in degrees: any number of
    /// turns, and for three channels also the second solution (a + 180, 180 − b, c + 180). At gimbal lock, the free
    /// angle keeps its value of the frame before.
    pub(super) fn decompose_near(self, rotation: Quat, before: [f64; 3]) -> [f64; 3] {
        let near = |angles: [f64; 3]| -> [f64; 3] {
            std::array::from_fn(|i| angles[i] + 360.0 * ((before[i] - angles[i]) / 360.0).round())
        };
        let distance = |angles: &[f64; 3]| -> f64 { (0..3).map(|i| (angles[i] - before[i]).powi(2)).sum() };
        let [a, b, c] = self.decompose(rotation);
        if self.angle_count < 3 {
            // Angles without a channel are zero.
            let mut angles = near([a, b, c]);
            angles[self.angle_count..].fill(0.0);
            return angles;
        }
        let [a, b, c] = if b.abs() < MIN_LOCKED_DEGREES { [a, b, c] } else { self.free_locked([a, b, c], before) };
        let (first, second) = (near([a, b, c]), near([a + 180.0, 180.0 - b, c + 180.0]));
        if distance(&second) < distance(&first) { second } else { first }
    }

    /// Gives the free angle of a locked rotation (b = ±90) its value of the frame before: only a + e·c or a − e·c is
    /// determined.
    fn free_locked(self, [a, b, c]: [f64; 3], before: [f64; 3]) -> [f64; 3] {
        let sign = self.handedness() * b.signum();
        let (determined, free) = (a + sign * c, before[0] - sign * before[2]);
        // Of the angles with this sum, those nearest to the frame before: whole turns change the sum by 360.
        let determined = determined + 360.0 * ((before[0] + sign * before[2] - determined) / 360.0).round();
        [0.5 * (determined + free), b, sign * 0.5 * (determined - free)]
    }

    /// Returns whether the channels can express a rotation (to about 1e-4 degrees); three channels always can.
    pub(super) fn can_express(self, rotation: Quat) -> bool {
        if self.angle_count == 3 {
            return true;
        }
        let (q, recomposed) =
            (rotation.as_dquat().normalize(), self.compose(self.decompose(rotation)).as_dquat().normalize());
        (q * sign(q, recomposed) - recomposed).length() < 1e-6
    }
}

/// Angles of consecutive rotations about x, y and z, degrees, as FBX stores them in its order XYZ: R = R_z · R_y · R_x.
/// Each is nearest to those of the rotation before.
#[cfg(feature = "fbx")]
#[derive(Default)]
pub(crate) struct FbxAngles {
    /// About z, y and x.
    before: Option<[f64; 3]>,
}

#[cfg(feature = "fbx")]
impl FbxAngles {
    /// Returns the angles of the next rotation.
    pub(crate) fn next(&mut self, rotation: Quat) -> [f64; 3] {
        let order = Order { axes: [2, 1, 0], angle_count: 3 };
        let [z, y, x] = match self.before {
            Some(before) => order.decompose_near(rotation, before),
            None => order.decompose(rotation),
        };
        self.before = Some([z, y, x]);
        [x, y, z]
    }
}

/// Wraps an angle to the range from −180 to 180 degrees.
fn wrap(degrees: f64) -> f64 {
    if degrees.abs() > 180.0 { degrees - 360.0 * (degrees / 360.0).round() } else { degrees }
}

/// Returns the sign that makes `a` nearer to `b` if multiplied: a quaternion and its negative are the same rotation.
fn sign(a: DQuat, b: DQuat) -> f64 {
    if a.dot(b) < 0.0 { -1.0 } else { 1.0 }
}

/// Computes sine and cosine of half an angle in degrees, with an error below 3e-14.
///
/// It replaces `f64::sin_cos` for three reasons: the reduction by quarter turns is exact in degrees, the bits are the
/// same on every platform, and it is several times faster in wasm.
#[inline(always)]
pub(super) fn half_sin_cos(degrees: f64) -> (f64, f64) {
    let half = degrees * 0.5;
    let quarter = (half * (1.0 / 90.0)).round_ties_even();
    let x = (half - 90.0 * quarter) * (std::f64::consts::PI / 180.0);
    let xx = x * x;
    // Taylor series: their remainders are below 3e-14, because |x| ≤ π/4.
    let mut sin = 1.0 / 6_227_020_800.0;
    for c in [-1.0 / 39_916_800.0, 1.0 / 362_880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0, 1.0] {
        sin = sin * xx + c;
    }
    let sin = sin * x;
    let mut cos = -1.0 / 87_178_291_200.0;
    for c in [1.0 / 479_001_600.0, -1.0 / 3_628_800.0, 1.0 / 40_320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5, 1.0] {
        cos = cos * xx + c;
    }
    match (quarter as i64) & 3 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}
