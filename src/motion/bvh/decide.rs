//! Unit, vertical axis and position mode of a file, which it does not state: decided by evidence, with the reason.
//!
//! The evidence, in this order: an option of the caller; the statement of a file that Kinestitch wrote; the rest pose
//! where the body stands along y or z; lengths; the floor and the contacts of the whole motion; names.

use crate::motion::bvh::floor::{Floor, Samples};
use crate::motion::bvh::hierarchy::FileJoint;
use crate::motion::bvh::options::ReadOptions;
use crate::motion::bvh::rest::{Posture, Rest};
use crate::motion::bvh::statement::Statement;
use crate::motion::clip::Clip;
use crate::motion::skeleton::{PositionMode, UpAxis};
use crate::motion::source::Reasons;
use crate::motion::space::{self, Bone, Class, Unit};
use glam::DVec3;

/// The reason of everything that a file of Kinestitch states.
const STATED: &str = "stated by Kinestitch, which wrote the file";
/// The reason of an option.
const CHOSEN: &str = "given by the caller";
/// Smallest difference between the parts of the frames with contacts that tells the axes apart.
const MIN_CONTACT_DIFFERENCE: f32 = 0.25;
/// Largest distance of a floor from 0, and smallest distance of none, relative to the size of the body.
const FLOOR_AT_0: f32 = 0.08;
const NO_FLOOR_AT_0: f32 = 0.25;

/// The evidence of one file.
pub(super) struct Evidence<'a> {
    pub joints: &'a [FileJoint],
    pub options: &'a ReadOptions,
    pub statement: Option<Statement>,
    pub rest: Rest,
}

impl Evidence<'_> {
    /// Decides the number of metres in a unit. `lengths`: distance of each joint from its parent, file units. A doubt is
    /// added to `warnings`.
    pub(super) fn unit(&self, lengths: &[f64], warnings: &mut Vec<String>) -> (f64, String) {
        if let Some(unit) = self.options.unit {
            return (unit, CHOSEN.to_owned());
        }
        if let Some(statement) = self.statement {
            return (statement.metres_per_unit, STATED.to_owned());
        }
        let class = match self.rest.posture {
            Posture::Upright => Some(Class::Person),
            Posture::Level => Some(Class::Animal),
            Posture::Unclear | Posture::NoBody => None,
        };
        let length = |v: &[f64; 3]| DVec3::from_array(*v).length();
        let bone = |(joint, &offset): (&FileJoint, &f64)| Bone {
            name: joint.name.clone(),
            parent: joint.parent,
            length: offset,
            end_length: joint.end_sites.iter().map(length).fold(0.0, f64::max),
        };
        let bones: Vec<Bone> = self.joints.iter().zip(lengths).map(bone).collect();
        let estimate = space::estimate_unit(&bones, class);
        warnings.extend(estimate.warning);
        (estimate.metres_per_unit, estimate.reason)
    }

    /// Decides the vertical axis. `clip`: pairs of frames in file axes, see [`Samples`].
    pub(super) fn up(&self, clip: &Clip) -> (UpAxis, String) {
        let axis = |up: UpAxis| if up == UpAxis::Z { "z" } else { "y" };
        if let Some(up) = self.options.up {
            return (up, CHOSEN.to_owned());
        }
        if let Some(statement) = self.statement {
            return (statement.up, STATED.to_owned());
        }
        if let Some((standing, is_negative)) = self.rest.standing_axis() {
            let up = if standing == 2 { UpAxis::Z } else { UpAxis::Y };
            let sign = if is_negative { "−" } else { "+" };
            return (up, format!("the legs of the rest pose point along {sign}{}", axis(up)));
        }
        let samples = Samples::new(clip);
        if let (Some(y), Some(z)) = (samples.floor(1), samples.floor(2))
            && samples.travels()
            && (y.contacts - z.contacts).abs() >= MIN_CONTACT_DIFFERENCE
        {
            let (up, here, there) = if z.contacts > y.contacts { (UpAxis::Z, z, y) } else { (UpAxis::Y, y, z) };
            let percent = |floor: Floor| (100.0 * floor.contacts).round();
            let other = if up == UpAxis::Z { "y" } else { "z" };
            let (here, there) = (percent(here), percent(there));
            let reason = format!(
                "the lowest joint along {} stands still in {here} % of the frames, along {other} in {there} %",
                axis(up)
            );
            return (up, reason);
        }
        let (up, reason) = space::estimate_up_axis(clip);
        (up, reason.to_owned())
    }

    /// Decides whether the position channels of the roots are added to their OFFSET. `voted`: the mode that the values
    /// of the channels support, `None` if they support neither. `clip`: pairs of frames in file axes, see [`Samples`],
    /// where the channels replace the OFFSET.
    pub(super) fn root_offset(&self, voted: Option<PositionMode>, up: UpAxis, clip: &Clip) -> (PositionMode, String) {
        if let Some(mode) = self.options.root_offset {
            return (mode, CHOSEN.to_owned());
        }
        if let Some(statement) = self.statement {
            return (statement.roots, STATED.to_owned());
        }
        if let Some(mode) = voted {
            let near = if mode == PositionMode::Add { "0" } else { "the OFFSET" };
            return (mode, format!("the values of the position channels stay near {near}"));
        }
        let axis = if up == UpAxis::Z { 2 } else { 1 };
        let root = clip.skeleton().joints().iter().find(|joint| joint.channels.iter().any(|c| c.is_position()));
        let offset = root.filter(|joint| joint.parent.is_none()).map_or(0.0, |joint| joint.offset[axis]);
        let usual = (PositionMode::Replace, "the usual way; the motion does not contradict".to_owned());
        if offset == 0.0 {
            return usual;
        }
        let samples = Samples::new(clip);
        let Some(Floor { height, .. }) = samples.floor(axis) else { return usual };
        let added = height + offset;
        let [is_at_0, is_not] = [FLOOR_AT_0, NO_FLOOR_AT_0].map(|limit| limit * samples.size);
        let reason = |mode, here: f32, there: f32| {
            (mode, format!("this way the lowest joint is at {here:.2} m, the other way at {there:.2} m"))
        };
        match () {
            () if added.abs() < is_at_0 && height.abs() > is_not => reason(PositionMode::Add, added, height),
            () if height.abs() < is_at_0 && added.abs() > is_not => reason(PositionMode::Replace, height, added),
            () => usual,
        }
    }
}

/// Returns the sentences of `info`.
pub(super) fn reasons(unit: (f64, String), up: (UpAxis, String), root_offset: (PositionMode, String)) -> Reasons {
    let name = Unit::from_scale(unit.0);
    let unit_name = if name == Unit::Other { format!("{} m", unit.0) } else { name.name().to_owned() };
    Reasons {
        unit: format!("{unit_name}: {}", unit.1),
        up: format!("{}: {}", if up.0 == UpAxis::Z { "Z" } else { "Y" }, up.1),
        root_offset: format!(
            "{}: {}",
            if root_offset.0 == PositionMode::Add { "add" } else { "replace" },
            root_offset.1
        ),
    }
}
