//! Lanes of DC-MoE's training (bodies that move towards a target, with feedback of predictions), and the rows of their
//! frames.

use super::take::Take;
use crate::weighted::Weighted;
use glam::{Mat3, Vec2, Vec3};
use kinestitch::body::GroundPose;
use kinestitch::body::poses::ROLES;
use kinestitch::feature::controller::world_to_root;
use kinestitch::feature::dcmoe::path::samples;
use kinestitch::feature::dcmoe::{
    AHEAD, Body, CHANNELS, CONTACT, Contacts, FPS, GATE, INPUT, MOVES, NOW, NetworkInput, OUTPUT, PHASE, PHASES,
    SPACING, SUPPORTS, columns, contacts, hold_weight, hold_weight_slope, next_phases, write_gate,
};
use kinestitch::method::dcmoe::rollout::correct_to_path;
use rand::Rng;
use rand::rngs::StdRng;

/// Maximum time to the target, frames (three seconds).
pub const MAX_SPAN: usize = 90;
/// Smallest number of frames of a take for training: more than half a second.
pub const MIN_TAKE_FRAMES: usize = 16;
/// Number of past frames that a row can read.
const MAX_TRAIL: usize = NOW * SPACING;
/// Default number of known frames before a gap, as in the library's in-betweening.
const DEFAULT_TRAIL: usize = 9;
/// Probability that a lane starts without known phases.
const UNKNOWN_PHASES: f64 = 0.4;
/// Probability that a lane starts from a single frame, without known speed.
const SINGLE_START: f64 = 0.1;
/// Probability that a lane follows a requested path.
const REQUESTED_PATH: f64 = 0.5;
/// Fraction of a lane's drift from the recording that remains in the truth of the next frame. If the truth removed the
/// drift at once, the motion would jump.
const REMAINING_DRIFT: f32 = 0.85;

/// Bodies and phases that a row is computed from: fed-back predictions of the network, or values of the recording.
#[derive(Clone)]
struct BodyState {
    /// Body of the previous frame.
    previous: Body,
    /// Body of the current frame.
    current: Body,
    /// Phase vectors from the current frame on, [samples × channels].
    phases: Vec<Vec2>,
    /// Ground poses of the past frames and of the current frame, the oldest first.
    trail: Vec<GroundPose>,
    /// Phase vectors of the past frames and of the current frame, the oldest first.
    past_phases: Vec<[Vec2; CHANNELS]>,
}

impl BodyState {
    /// Returns the recorded state of a frame, not the first one. `previous`: the body before.
    fn recorded(take: &Take, frame: usize, previous: Body) -> Self {
        let known = frame.saturating_sub(MAX_TRAIL)..=frame;
        Self {
            previous,
            current: take.bodies[frame].clone(),
            phases: phases_from(take, frame),
            trail: take.roots[known.clone()].to_vec(),
            past_phases: take.phases[known].to_vec(),
        }
    }
}

/// A training sequence: a body that moves towards a target, one frame per step.
#[derive(Clone)]
pub struct Lane {
    /// Index of the take.
    take: usize,
    /// Current frame of the take.
    frame: usize,
    /// Number of finished frames of the lane.
    elapsed: usize,
    /// Number of remaining frames of the lane.
    remaining: usize,
    /// Frame of the target in the take.
    target: usize,
    /// Number of frames before the lane's first frame in which the path of the root is known.
    known_path: usize,
    /// Number of frames before the lane's first frame in which the phases are known.
    known_phases: usize,
    /// Requested path (x and z in metres, one point per frame), and the frame of its first point in the take.
    requested_path: Option<(Vec<Vec2>, usize)>,
    /// Whether the lane starts from a single frame, without known speed.
    is_single: bool,
    /// State predicted for the current frame; `None` before the first call of [`Lane::advance`].
    prediction: Option<BodyState>,
    /// State that the last row was computed from.
    state: BodyState,
}

/// Rows of one frame of a lane, not normalised.
#[derive(Default, Clone)]
pub struct Rows {
    /// Input row of the network.
    pub input: Vec<f32>,
    /// Input row of the gate.
    pub gate: Vec<f32>,
    /// Output row that the network should predict: the next recorded frame, or for a drifting lane a frame on the way
    /// back to the recording.
    pub truth: Vec<f32>,
    /// Extrapolation of the joints to the next frame, which the prediction corrects, [[`MOVES`]].
    pub extrapolation: Vec<f32>,
    /// Joints of the current frame, [[`MOVES`]].
    pub current: Vec<f32>,
    /// Weight of the prediction that is added to the extrapolation, 0 to 1.
    pub prediction_weight: f32,
    /// Rotation from world space to root space of the current frame.
    pub to_root: Mat3,
    /// Whether the current frame is a prediction that was fed back.
    pub is_fed_back: bool,
    /// 1 for each of [`SUPPORTS`] that is in contact in both the current and the
    /// next frame, otherwise 0.
    pub planted: Contacts,
}

impl Rows {
    /// Creates rows with inputs of zeros; the other values are empty until [`Lane::compute_rows`] writes them.
    pub fn blank() -> Self {
        Self { input: vec![0.0; INPUT], gate: vec![0.0; GATE], ..Self::default() }
    }

    /// Returns the number of frames from the current frame to the target.
    pub fn span(&self) -> f32 {
        1.0 / (1.0 - self.prediction_weight)
    }
}

/// What [`Lane::advance`] did to the predicted body, and how far the result is from the recording.
pub struct Advanced {
    /// Hold of each joint at its previous position, 0 to 1.
    pub holds: [f32; ROLES],
    /// Derivatives of the positions of [`SUPPORTS`] by their predicted contacts, metres.
    pub hold_slopes: [Vec3; SUPPORTS.len()],
    /// Fraction of the distance to a requested path that was corrected, 0 to 1.
    pub path_correction: f32,
    /// Predicted minus recorded joints in world space, [[`MOVES`]].
    pub error: Vec<f32>,
}

/// Takes that are drawn in proportion to their length and weight.
pub struct Source {
    takes: Weighted<Take>,
}

impl Source {
    /// Creates a source from takes with their sampling weights per frame. Takes of fewer than
    /// [`MIN_TAKE_FRAMES`] frames are left out.
    pub fn new(takes: Vec<(f64, Take)>) -> Self {
        let weighted = |(weight, take): (f64, Take)| (weight * take.frames() as f64, take);
        let long = takes.into_iter().filter(|(_, take)| take.frames() >= MIN_TAKE_FRAMES);
        Self { takes: Weighted::new(long.map(weighted)) }
    }

    /// Returns all takes.
    pub fn takes(&self) -> &[Take] {
        self.takes.items()
    }

    /// Draws a lane of at most `frames` frames, with a random take, start, target, and known past.
    pub fn draw(&self, frames: usize, rng: &mut StdRng) -> Lane {
        let index = self.takes.draw(rng);
        let take = &self.takes()[index];
        let max_span = MAX_SPAN.min(take.frames() - 3);
        let span = rng.random_range(2..=max_span);
        let frame = rng.random_range(1..take.frames() - span);
        let target = frame + span;
        let known_path = if rng.random_bool(0.5) { DEFAULT_TRAIL } else { rng.random_range(0..=MAX_TRAIL) };
        let known_phases = if rng.random_bool(UNKNOWN_PHASES) { 0 } else { rng.random_range(1..=MAX_TRAIL) };
        let requested_path = rng.random_bool(REQUESTED_PATH).then(|| {
            let path_start = frame - rng.random_range(0..=frame.min(MAX_TRAIL));
            (take.path_between(path_start, target), path_start)
        });
        let state = BodyState::recorded(take, frame, take.bodies[frame - 1].clone());
        Lane {
            take: index,
            frame,
            elapsed: 0,
            remaining: frames.min(span - 1),
            target,
            known_path,
            known_phases,
            requested_path,
            is_single: rng.random_bool(SINGLE_START),
            prediction: None,
            state,
        }
    }
}

impl Lane {
    /// Returns whether the lane has reached its end.
    pub fn is_done(&self) -> bool {
        self.remaining == 0
    }

    /// Returns the bodies of the last row: current, previous, target, and the next one of the recording.
    pub fn bodies(&self, source: &Source) -> [Body; 4] {
        let take = &source.takes.items()[self.take];
        let BodyState { previous, current, .. } = &self.state;
        [current, previous, &take.bodies[self.target], &take.bodies[self.frame + 1]].map(Body::clone)
    }

    /// Computes the rows of the current frame. With probability `feedback`, current and previous body and phases
    /// come from the network's prediction, otherwise from the recording. The first frame has no prediction.
    pub fn compute_rows(&mut self, source: &Source, feedback: f64, rng: &mut StdRng, rows: &mut Rows) {
        let take = &source.takes.items()[self.take];
        let frame = self.frame;
        let target = &take.bodies[self.target];
        let span = (self.target - frame) as f32;
        let prediction = self.prediction.take().filter(|_| rng.random_bool(feedback));
        let is_predicted = prediction.is_some();
        self.state = prediction.unwrap_or_else(|| {
            let previous = match self.is_single && self.elapsed == 0 {
                true => take.bodies[frame].interpolate(target, -1.0 / span),
                false => take.bodies[frame - 1].clone(),
            };
            let mut state = BodyState::recorded(take, frame, previous);
            if self.known_phases == 0 && self.elapsed == 0 {
                state.phases.fill(Vec2::ZERO);
                state.past_phases.fill([Vec2::ZERO; CHANNELS]);
            }
            state
        });
        let BodyState { previous, current, phases, trail, past_phases } = &self.state;
        let network_input = NetworkInput { current, previous, target, span };
        let root = current.root();
        // Frames that are known: those before the lane, as drawn, and those of the lane.
        let first_known = |known: usize, count: usize| count.saturating_sub(1 + self.elapsed + known);
        let trail = &trail[first_known(self.known_path, trail.len())..];
        let path = self.requested_path.as_ref().map(|(path, start)| (&path[..], frame - start));
        network_input.write(root, &samples(trail, &network_input, path), &mut rows.input);
        let past_phases = &past_phases[first_known(self.known_phases, past_phases.len())..];
        write_gate(past_phases, phases, span, path.is_some(), &mut rows.gate);

        rows.to_root = world_to_root(root);
        rows.is_fed_back = is_predicted;
        rows.extrapolation = network_input.extrapolation(root);
        rows.current = columns(root, current);
        rows.prediction_weight = network_input.prediction_weight();
        let next = columns(root, &take.bodies[frame + 1]);
        rows.truth.resize(OUTPUT, 0.0);
        // A drifting lane returns to the recording gradually.
        let drift_weight = if is_predicted { REMAINING_DRIFT * rows.prediction_weight } else { 0.0 };
        let recorded = if is_predicted { columns(root, &take.bodies[frame]) } else { rows.current.clone() };
        for column in 0..MOVES {
            let next = next[column] + drift_weight * (rows.current[column] - recorded[column]);
            rows.truth[column] = (next - rows.extrapolation[column]) / rows.prediction_weight;
        }
        let [now, later] = [frame, frame + 1].map(|frame| &take.contacts[frame]);
        rows.truth[CONTACT..PHASE].copy_from_slice(later);
        rows.planted = std::array::from_fn(|support| now[support] * later[support]);
        let later_phases = phases_from(take, frame + 1);
        for (index, out) in rows.truth[PHASE..].chunks_exact_mut(3).enumerate() {
            let sample_frame = (frame + 1 + index / CHANNELS * SPACING).min(take.frames() - 1);
            let (vector, hertz) = (later_phases[index], take.hertz[sample_frame][index % CHANNELS]);
            out.copy_from_slice(&[vector.x, vector.y, hertz]);
        }
    }

    /// Advances by one frame. `prediction`: raw output row of the network. `rows`: rows of the current frame.
    pub fn advance(&mut self, source: &Source, prediction: &[f32], rows: &Rows) -> Advanced {
        let take = &source.takes.items()[self.take];
        let BodyState { previous, current, phases, trail, past_phases } = &self.state;
        let (target, span) = (&take.bodies[self.target], (self.target - self.frame) as f32);
        let network_input = NetworkInput { current, previous, target, span };
        let mut next = network_input.next_body(current.root(), &rows.extrapolation, prediction);
        let path_point = self.requested_path.as_ref().map(|(path, start)| path[self.frame + 1 - start]);
        let path_correction = path_point.map_or(0.0, |point| correct_to_path(&mut next, point));
        let contacts = contacts(prediction);
        let (mut holds, mut hold_slopes) = ([0.0; ROLES], [Vec3::ZERO; SUPPORTS.len()]);
        for ((role, contact), slope) in SUPPORTS.iter().zip(contacts).zip(&mut hold_slopes) {
            let role = *role as usize;
            holds[role] = hold_weight(contact) * rows.prediction_weight;
            let held_offset = (current.positions[role] - next.positions[role]).with_y(0.0);
            *slope = held_offset * hold_weight_slope(contact) * rows.prediction_weight;
        }
        next.hold_supports(current, &contacts, rows.prediction_weight);
        let world = GroundPose::new(0.0, 0.0, 0.0);
        let recorded = columns(world, &take.bodies[self.frame + 1]);
        let error = columns(world, &next).into_iter().zip(recorded).map(|(predicted, recorded)| predicted - recorded);
        let error = error.collect();

        let mut next_vectors = vec![Vec2::ZERO; PHASES];
        next_phases(phases, prediction, &mut next_vectors);
        let next_phase = std::array::from_fn(|channel| next_vectors[channel]);
        self.prediction = Some(BodyState {
            trail: with_last(trail, next.root()),
            past_phases: with_last(past_phases, next_phase),
            previous: current.clone(),
            current: next,
            phases: next_vectors,
        });
        self.frame += 1;
        self.elapsed += 1;
        self.remaining -= 1;
        Advanced { holds, hold_slopes, path_correction, error }
    }
}

/// Returns the values of past frames, the oldest first, with the value of another frame. Keeps those that a row can
/// read.
fn with_last<T: Copy>(values: &[T], last: T) -> Vec<T> {
    let first = values.len().saturating_sub(MAX_TRAIL);
    values[first..].iter().copied().chain([last]).collect()
}

/// Returns the phase vectors from a frame on, [samples × channels], extrapolated beyond the end of the take.
fn phases_from(take: &Take, frame: usize) -> Vec<Vec2> {
    let last = take.frames() - 1;
    let vector = |index: usize| {
        let sample_frame = frame + index / CHANNELS * SPACING;
        let (nearest_frame, channel) = (sample_frame.min(last), index % CHANNELS);
        let secs_beyond = (sample_frame - nearest_frame) as f32 / FPS as f32;
        let angle = std::f32::consts::TAU * take.hertz[nearest_frame][channel] * secs_beyond;
        Vec2::from_angle(angle).rotate(take.phases[nearest_frame][channel])
    };
    (0..AHEAD * CHANNELS).map(vector).collect()
}
