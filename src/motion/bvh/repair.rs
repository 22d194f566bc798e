//! Rows that do not stand one on a line, and values that are missing.

use crate::motion::bvh::remarks::{Damage, Remarks};
use crate::motion::bvh::scan::Scanner;
use crate::motion::resample::{curve, rotation_curve};
use glam::{DVec3, Quat};

/// Lines that do not fill a row yet.
#[derive(Default)]
pub(super) struct Repair {
    partial: Vec<f64>,
    /// Line of the first value of `partial`.
    line: usize,
}

impl Repair {
    /// Returns whether the next line begins a row.
    pub(super) fn is_idle(&self) -> bool {
        self.partial.is_empty()
    }

    /// Reads a line, and passes the rows that are complete with it to `push`. A missing value is NaN.
    pub(super) fn read_line(
        &mut self,
        scan: &mut Scanner,
        width: usize,
        remarks: &mut Remarks,
        mut push: impl FnMut(&[f64]) -> crate::Result<()>,
    ) -> crate::Result<()> {
        let start = scan.position();
        let Some(mut values) = scan.read_values(remarks) else { return Ok(()) };
        // A word beside a whole row of numbers.
        if values.len() > width && values.iter().filter(|value| !value.is_nan()).count() == width {
            values.retain(|value| !value.is_nan());
        }
        if width == 0 {
            remarks.count(Damage::Long, || scan.line(start), || format!("{} of 0", values.len()));
            return Ok(());
        }
        let is_joined = !self.is_idle() && values.len() < width;
        if !self.is_idle() && !is_joined {
            let (line, found) = (self.line, self.partial.len());
            remarks.count(Damage::Short, || line, || format!("{found} of {width}"));
            self.partial.clear();
            push(&vec![f64::NAN; width])?;
        }
        if self.is_idle() && values.len() > width && values.len() % width != 0 {
            remarks.count(Damage::Long, || scan.line(start), || format!("{} of {width}", values.len()));
            return push(&values[..width]);
        }
        if self.is_idle() {
            self.line = scan.line(start);
        }
        let is_one_row = self.is_idle() && values.len() == width;
        self.partial.extend(values);
        let rows = self.partial.len() / width;
        if rows > 0 && !is_one_row {
            let line = self.line;
            remarks.count(Damage::Wrapped, || line, String::new);
        }
        for row in self.partial.chunks_exact(width) {
            push(row)?;
        }
        self.partial.drain(..rows * width);
        self.line = if is_joined && rows > 0 { scan.line(start) } else { self.line };
        Ok(())
    }

    /// Reports a last row that is cut off.
    pub(super) fn finish(&self, width: usize, remarks: &mut Remarks) {
        if !self.is_idle() {
            let (line, found) = (self.line, self.partial.len());
            remarks.push(format!(
                "line {line}: the last row has {found} of {width} numbers, the file is cut off; the row was left out"
            ));
        }
    }
}

/// Frames and columns of values that are missing: a joint of `rotations`, or a slot of `translations`.
#[derive(Default)]
pub(super) struct Gaps {
    pub rotations: Vec<(usize, usize)>,
    pub translations: Vec<(usize, usize)>,
}

impl Gaps {
    /// Interpolates the missing values from the frames before and after, along curves. `widths`: joints and slots of a
    /// frame.
    pub(super) fn fill(self, widths: (usize, usize), rotations: &mut [Quat], translations: &mut [DVec3]) {
        fill(self.rotations, widths.0, rotations, |[before, from, to, after], weight| {
            rotation_curve(before, from, to, after, weight)
        });
        fill(self.translations, widths.1, translations, |points, weight| {
            let [before, to, after] = [0, 2, 3].map(|i| (points[i] - points[1]).as_vec3());
            points[1] + curve(before, to, after, weight).as_dvec3()
        });
    }
}

/// Interpolates runs of missing frames in each column of `values`, [frames × width], between four frames at equal
/// distances. Before the first and after the last known frame, its value is repeated.
fn fill<T: Copy>(mut missing: Vec<(usize, usize)>, width: usize, values: &mut [T], mix: impl Fn([T; 4], f32) -> T) {
    missing.sort_unstable_by_key(|&(frame, column)| (column, frame));
    let frames = values.len().checked_div(width).unwrap_or(0);
    for run in missing.chunk_by(|a, b| a.1 == b.1 && a.0 + 1 == b.0) {
        let (first, column) = run[0];
        let (end, step) = (first + run.len(), run.len() + 1);
        let at = |frame: usize| values[frame * width + column];
        let before = first.checked_sub(1);
        let after = (end < frames).then_some(end);
        let (Some(from), Some(to)) = (before.or(after), after.or(before)) else { continue };
        let last = frames - 1;
        let points = [from.saturating_sub(step).min(to), from, to, (to + step).min(last).max(from)].map(at);
        for frame in first..end {
            let weight = (frame + 1 - first) as f32 / step as f32;
            values[frame * width + column] = if from == to { points[1] } else { mix(points, weight) };
        }
    }
}
