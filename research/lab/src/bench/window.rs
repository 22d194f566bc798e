//! LAFAN1 windows: read, cut, centred and rotated as in Ubisoft's evaluation (Harvey et al. 2020, section 6.1, and the
//! code published with the data).

use glam::{Quat, Vec3};
use kinestitch::motion::bvh;
use kinestitch::motion::fk::world_transforms;
use kinestitch::{Clip, Skeleton};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Number of known frames before the gap.
pub const PAST: usize = 10;
/// Number of joints of LAFAN1's skeleton; the canonical body has as many.
pub const JOINTS: usize = 22;
/// Number of files of the complete data set.
pub const FILE_COUNT: usize = 77;

/// Length of the windows and stride between them, frames.
#[derive(Debug, Clone, Copy)]
pub struct Windowing {
    pub frames: usize,
    pub stride: usize,
}

/// Windows for the scores.
pub const TEST: Windowing = Windowing { frames: 65, stride: 40 };
/// Windows for the statistics.
pub const TRAIN: Windowing = Windowing { frames: 50, stride: 20 };

/// A window of a recording: mean root at x = z = 0, rotated so that the last past frame faces +X.
#[derive(Debug, Clone)]
pub struct Window {
    /// Action, from the file name: "obstacles" in `obstacles3_subject4.bvh`.
    pub action: String,
    pub skeleton: Arc<Skeleton>,
    /// Local rotations, [frames × joints]; signs are continuous along the file.
    pub rotations: Vec<Quat>,
    /// World positions of the root, `[frames]`, metres.
    pub roots: Vec<Vec3>,
}

impl Window {
    fn new(clip: &Clip, start: usize, frames: usize) -> Self {
        let mut roots: Vec<Vec3> = (start..start + frames).map(|frame| clip.local_translation(frame, 0)).collect();
        let centre = (roots.iter().sum::<Vec3>() / frames as f32).with_y(0.0);
        let mut rotations = clip.rotations()[start * JOINTS..(start + frames) * JOINTS].to_vec();
        // In LAFAN1 the hips' local y axis points forward; it is rotated onto +X.
        let forward = (rotations[(PAST - 1) * JOINTS] * Vec3::Y).with_y(0.0).normalize_or(Vec3::X);
        let rotation = Quat::from_rotation_arc(Vec3::X, forward).inverse();
        for (root, pose) in roots.iter_mut().zip(rotations.chunks_exact_mut(JOINTS)) {
            *root = rotation * (*root - centre);
            pose[0] = rotation * pose[0];
        }
        let action = clip.name.split(|letter: char| !letter.is_ascii_alphabetic()).next().unwrap_or_default();
        Self { action: action.to_owned(), skeleton: Arc::clone(clip.skeleton()), rotations, roots }
    }

    /// Returns a copy of the window in which the motion of the `gap` frames after the past takes `frames` frames.
    pub fn with_gap_length(&self, gap: usize, frames: usize) -> Self {
        let mut copy = Self { rotations: Vec::new(), roots: Vec::new(), ..self.clone() };
        let pace = (gap + 1) as f32 / (frames + 1) as f32;
        let times =
            (0..PAST).map(|frame| frame as f32).chain((1..=frames).map(|step| (PAST - 1) as f32 + step as f32 * pace));
        for time in times.chain((PAST + gap..self.roots.len()).map(|frame| frame as f32)) {
            let (from, weight) = (time as usize, time.fract());
            let to = (from + 1).min(self.roots.len() - 1);
            copy.roots.push(self.roots[from].lerp(self.roots[to], weight));
            let pairs = self.pose(from).iter().zip(self.pose(to));
            copy.rotations.extend(pairs.map(|(a, b)| if weight == 0.0 { *a } else { a.slerp(*b, weight) }));
        }
        copy
    }

    /// Returns the local rotations of one frame, `[joints]`.
    pub fn pose(&self, frame: usize) -> &[Quat] {
        &self.rotations[frame * JOINTS..][..JOINTS]
    }

    /// Computes the world positions and rotations of a range of frames, [frames × joints] each.
    pub fn world(&self, frames: std::ops::Range<usize>) -> World {
        let mut world = World::default();
        for frame in frames {
            world.push(&self.skeleton, self.roots[frame], self.pose(frame));
        }
        world
    }
}

/// World poses, [frames × joints] each, metres.
#[derive(Debug, Clone, Default)]
pub struct World {
    pub positions: Vec<Vec3>,
    pub rotations: Vec<Quat>,
}

impl World {
    /// Adds a frame from local rotations, `[joints]`. Keeps quaternion signs.
    pub fn push(&mut self, skeleton: &Skeleton, root: Vec3, pose: &[Quat]) {
        let (first, joints) = (self.positions.len(), skeleton.joints());
        self.positions.resize(first + joints.len(), Vec3::ZERO);
        self.rotations.resize(first + joints.len(), Quat::IDENTITY);
        let local = |joint: usize| (joints[joint].parent.map_or(root, |_| joints[joint].offset), pose[joint]);
        let parents = joints.iter().map(|joint| joint.parent).enumerate();
        world_transforms(parents, local, &mut self.positions[first..], &mut self.rotations[first..]);
    }
}

/// Lists the LAFAN1 files of a folder (ACTION_subjectN.bvh), sorted by name.
pub fn list_files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn std::error::Error>> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bvh")));
    files.retain(|file| subject(file).is_some_and(|subject| subject.starts_with("subject")));
    files.sort();
    Ok(files)
}

/// Returns the subject in a file name: `subject4` for `ACTION_subject4.bvh`.
fn subject(file: &Path) -> Option<&str> {
    file.file_stem()?.to_str()?.split_once('_').map(|(_, subject)| subject)
}

/// Whether a file belongs to one of the subjects.
fn has_subject(file: &Path, subjects: &[String]) -> bool {
    subject(file).is_some_and(|subject| subjects.iter().any(|name| name == subject))
}

fn read(file: &Path) -> Result<Clip, Box<dyn std::error::Error>> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let message = |error: String| format!("{}: {error}", file.display());
    let bytes = std::fs::read(file).map_err(|error| message(error.to_string()))?;
    Ok(bvh::parse(&stem, &bytes).map_err(|error| message(error.to_string()))?.clip)
}

/// Reads the files of the subjects, not cut into windows.
pub fn read_subjects(files: &[PathBuf], subjects: &[String]) -> Result<Vec<Clip>, Box<dyn std::error::Error>> {
    files.iter().filter(|file| has_subject(file, subjects)).map(|file| read(file)).collect()
}

/// Calls a function with each window of the subjects' files. Returns the number of files.
pub fn each_window(
    files: &[PathBuf],
    subjects: &[String],
    windowing: Windowing,
    mut visit: impl FnMut(Window),
) -> Result<usize, Box<dyn std::error::Error>> {
    let mut count = 0;
    for file in files.iter().filter(|file| has_subject(file, subjects)) {
        let message = |error: String| format!("{}: {error}", file.display());
        let clip = read(file)?;
        if clip.joints() != JOINTS || clip.skeleton().translated() != [0] {
            return Err(message(format!(
                "the skeleton is not that of LAFAN1: {JOINTS} joints, of which only the root has translations"
            ))
            .into());
        }
        count += 1;
        let mut start = 0;
        // A window that ends with the last frame of the file is left out, as in the published code.
        while start + windowing.frames < clip.frames() {
            visit(Window::new(&clip, start, windowing.frames));
            start += windowing.stride;
        }
    }
    Ok(count)
}
