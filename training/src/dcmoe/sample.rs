//! Lanes of DC-MoE's training: bodies that move towards a target, with feedback of predictions; and the rows of their
//! frames.

use super::take::Take;
use crate::weighted::Weighted;
use glam::Vec2;
use kinestitch::body::poses::CONTACTS;
use kinestitch::feature::dcmoe::path::samples;
use kinestitch::feature::dcmoe::{
    AHEAD, Body, CHANNELS, CONTACT, FPS, GATE, INPUT, MOVES, NOW, NetworkInput, OUTPUT, PHASE, PHASES, SPACING,
    columns, next_phases, write_gate,
};
use kinestitch::method::dcmoe::walk::correct_to_path;
use rand::Rng;
use rand::rngs::StdRng;

/// Maximum time to the target, frames (three seconds).
pub const LONGEST: usize = 90;
/// Number of past frames that a row can read.
const TRAIL: usize = NOW * SPACING;
/// Default number of known frames before a gap, as in the library's in-betweening.
const DEFAULT_TRAIL: usize = 9;
/// Share of the lanes that start without known phases.
const UNKNOWN_PHASES: f64 = 0.4;
/// Share of the lanes that start from a single frame, without known speed.
const SINGLE: f64 = 0.1;
/// Share of the lanes that follow a requested path.
const GUIDED: f64 = 0.5;
/// Share of a lane's drift from the recording that remains after each frame. Removing the drift at once would cause a
/// jerk.
const KEPT: f32 = 0.85;

/// Bodies and phases that a row is computed from: the network's predictions, or the recording.
#[derive(Clone)]
struct Feedback {
    /// Body of the previous frame.
    before: Body,
    /// Body of the current frame.
    now: Body,
    /// Phase vectors from the current frame on, [samples × channels].
    phases: Vec<Vec2>,
}

/// A training sequence: a body that moves towards a target, one frame per step.
#[derive(Clone)]
pub struct Lane {
    /// Index of the take.
    take: usize,
    /// Current frame of the take.
    frame: usize,
    /// Number of finished frames of the lane.
    since: usize,
    /// Number of remaining frames of the lane.
    left: usize,
    /// Frame of the target in the take.
    target: usize,
    /// Number of known frames before the lane's first frame: of the path, and of the phases.
    known: [usize; 2],
    /// Requested path, x and z in metres, one point per frame, and the frame of the path's first point.
    asked: Option<(Vec<Vec2>, usize)>,
    /// Whether the lane starts from a single frame, without known speed.
    is_single: bool,
    /// Prediction of the current frame; `None` before the first call of [`Lane::advance`].
    prediction: Option<Feedback>,
    /// Bodies and phases of the last row.
    given: Feedback,
}

/// Raw rows of one frame of a lane.
#[derive(Default, Clone)]
pub struct Rows {
    /// Input row of the network.
    pub input: Vec<f32>,
    /// Input row of the gate.
    pub gate: Vec<f32>,
    /// Recorded output row.
    pub truth: Vec<f32>,
    /// Extrapolation that the prediction corrects, [moves].
    pub base: Vec<f32>,
    /// Current joints, [moves].
    pub now: Vec<f32>,
    /// Weight of the prediction that is added to the base, 0 to 1.
    pub freedom: f32,
    /// 1 for each foot joint that is in contact in both the current and the next frame, otherwise 0.
    pub planted: [f32; CONTACTS],
}

impl Rows {
    /// Creates rows with inputs of zeros; the other values are empty until [`Lane::rows`] writes them.
    pub fn blank() -> Self {
        Self { input: vec![0.0; INPUT], gate: vec![0.0; GATE], ..Self::default() }
    }
}

/// Takes that are drawn in proportion to their length and weight.
pub struct Source {
    takes: Weighted<Take>,
}

impl Source {
    /// Creates a source from takes with their sampling weights per frame. Takes of half a second (15 frames) or less
    /// are left out.
    pub fn new(takes: Vec<(f64, Take)>) -> Self {
        let weighted = |(weight, take): (f64, Take)| (weight * take.frames() as f64, take);
        let long = takes.into_iter().filter(|(_, take)| take.frames() > 15);
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
        let longest = LONGEST.min(take.frames() - 3);
        let span = rng.random_range(2..=longest);
        let frame = rng.random_range(1..take.frames() - span);
        let target = frame + span;
        let trail = if rng.random_bool(0.5) { DEFAULT_TRAIL } else { rng.random_range(0..=TRAIL) };
        let known = if rng.random_bool(UNKNOWN_PHASES) { 0 } else { rng.random_range(1..=TRAIL) };
        let asked = rng.random_bool(GUIDED).then(|| {
            let begins = frame - rng.random_range(0..=frame.min(TRAIL));
            (take.path_between(begins, target), begins)
        });
        let given = Feedback { before: take.bodies[0].clone(), now: take.bodies[0].clone(), phases: Vec::new() };
        Lane {
            take: index,
            frame,
            since: 0,
            left: frames.min(span - 1),
            target,
            known: [trail, known],
            asked,
            is_single: rng.random_bool(SINGLE),
            prediction: None,
            given,
        }
    }
}

impl Lane {
    /// Returns whether the lane has reached its end.
    pub fn is_done(&self) -> bool {
        self.left == 0
    }

    /// Returns the bodies of the last row: current, previous, target, and the next one of the recording.
    pub fn bodies(&self, source: &Source) -> [Body; 4] {
        let take = &source.takes.items()[self.take];
        let Feedback { before, now, .. } = &self.given;
        [now, before, &take.bodies[self.target], &take.bodies[self.frame + 1]].map(Body::clone)
    }

    /// Computes the rows of the current frame. The current body is the network's prediction with probability
    /// `feedback`, otherwise the body of the recording. The first frame has no prediction.
    pub fn rows(&mut self, source: &Source, feedback: f64, rng: &mut StdRng, rows: &mut Rows) {
        let take = &source.takes.items()[self.take];
        let at = self.frame;
        let target = &take.bodies[self.target];
        let span = (self.target - at) as f32;
        let prediction = self.prediction.take().filter(|_| rng.random_bool(feedback));
        let is_astray = prediction.is_some();
        self.given = prediction.unwrap_or_else(|| {
            let now = take.bodies[at].clone();
            let before = match self.is_single && self.since == 0 {
                true => now.interpolate(target, -1.0 / span),
                false => take.bodies[at - 1].clone(),
            };
            let phases = match self.known[1] == 0 && self.since == 0 {
                true => vec![Vec2::ZERO; PHASES],
                false => ahead(take, at),
            };
            Feedback { before, now, phases }
        });
        let Feedback { before, now, phases } = &self.given;
        let question = NetworkInput { current: now, previous: before, target, span };
        let root = now.root();
        let reach = |known: usize| at + 1 - (1 + self.since + known).min(at + 1).min(TRAIL + 1);
        let mut trail = take.roots[reach(self.known[0])..=at].to_vec();
        if let Some(last) = trail.last_mut() {
            *last = root;
        }
        let asked = self.asked.as_ref().map(|(path, begins)| (&path[..], at - begins));
        question.write(root, &samples(&trail, &question, asked), &mut rows.input);
        let past = &take.phases[reach(self.known[1])..=at];
        write_gate(past, phases, span, asked.is_some(), &mut rows.gate);

        rows.base = question.extrapolation(root);
        rows.now = columns(root, now);
        rows.freedom = question.prediction_weight();
        let next = columns(root, &take.bodies[at + 1]);
        rows.truth.resize(OUTPUT, 0.0);
        // A drifting lane returns to the recording gradually.
        let astray = if is_astray { KEPT * rows.freedom } else { 0.0 };
        let was = if is_astray { columns(root, &take.bodies[at]) } else { rows.now.clone() };
        for column in 0..MOVES {
            let next = next[column] + astray * (rows.now[column] - was[column]);
            rows.truth[column] = (next - rows.base[column]) / rows.freedom;
        }
        let contacts = |frame: usize| &take.contacts[frame * CONTACTS..][..CONTACTS];
        rows.truth[CONTACT..PHASE].copy_from_slice(contacts(at + 1));
        rows.planted = std::array::from_fn(|part| contacts(at)[part] * contacts(at + 1)[part]);
        let later = ahead(take, at + 1);
        for (index, out) in rows.truth[PHASE..].chunks_exact_mut(3).enumerate() {
            let frame = (at + 1 + index / CHANNELS * SPACING).min(take.frames() - 1);
            out.copy_from_slice(&[later[index].x, later[index].y, take.hertz[frame][index % CHANNELS]]);
        }
    }

    /// Advances by one frame. `prediction`: raw output row of the network. `rows`: rows of the current frame.
    pub fn advance(&mut self, source: &Source, prediction: &[f32], rows: &Rows) {
        let Feedback { before, now, phases } = &self.given;
        let target = &source.takes.items()[self.take].bodies[self.target];
        let question = NetworkInput { current: now, previous: before, target, span: (self.target - self.frame) as f32 };
        let mut next = question.next_body(now.root(), &rows.base, prediction);
        if let Some((path, begins)) = &self.asked {
            correct_to_path(&mut next, path[self.frame + 1 - begins]);
        }
        let contacts = std::array::from_fn(|part| prediction[CONTACT + part].clamp(0.0, 1.0));
        next.hold_feet(now, contacts, rows.freedom);
        let mut turned = vec![Vec2::ZERO; PHASES];
        next_phases(phases, prediction, &mut turned);
        self.prediction = Some(Feedback { before: now.clone(), now: next, phases: turned });
        self.frame += 1;
        self.since += 1;
        self.left -= 1;
    }
}

/// Returns the phase vectors from a frame on, [samples × channels], extrapolated beyond the end of the take.
fn ahead(take: &Take, frame: usize) -> Vec<Vec2> {
    let last = take.frames() - 1;
    let one = |index: usize| {
        let at = frame + index / CHANNELS * SPACING;
        let (inside, channel) = (at.min(last), index % CHANNELS);
        let beyond = (at - inside) as f32 / FPS as f32;
        let turn = std::f32::consts::TAU * take.hertz[inside][channel] * beyond;
        Vec2::from_angle(turn).rotate(take.phases[inside][channel])
    };
    (0..AHEAD * CHANNELS).map(one).collect()
}
