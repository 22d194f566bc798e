//! Steering by motion matching: plays the frames of a [`Database`] that fit the user's input best.
//!
//! Each step: input → path ahead by damped springs → query → search (every [`SEARCH_SECS`], or at once when the input
//! jumps) → inertialized join → ground pose, moved by the take and towards the path → limbs held on the ground. The
//! database is described in [`crate::method::matching`].
//!
//! Unlike the reference, the ground pose also follows the path while the body stands, so that it turns on the spot
//! without clips of turns: the limbs are held, and step when they are left behind.

mod goal;
mod hold;
mod inertia;
mod shown;
mod spring;

use super::height_field::HeightField;
use super::{Control, MAX_RECORDED_FRAMES, MAX_STEP_SECS, Pose};
use crate::body::GroundPose;
use crate::error::Result;
use crate::method::matching::search::Query;
use crate::method::matching::{Coverage, Database, FPS};
use crate::motion::clip::Clip;
use crate::motion::fk::Pose as WorldPose;
use crate::motion::root::{GroundTransform, wrap};
use glam::Vec3;
use goal::{Goal, direction};
use hold::{Figure, LimbHold};
use inertia::{Inertia, LocalPose, Moving};
use shown::Shown;
use spring::Offset;
use std::collections::VecDeque;
use std::sync::Arc;

/// Steps per second of the controller; displayed poses between them are interpolated.
pub const STEP_FPS: f64 = 60.0;
/// Time between two searches, seconds.
const SEARCH_SECS: f32 = 0.1;
/// A change of the requested velocity from which on the search starts at once, limb lengths per second.
const SUDDEN: f32 = 0.5;
/// A found frame must be better than the present one by this part and this cost, so that joins are few.
const MIN_GAIN: f32 = 0.15;
const JOIN_COST: f32 = 0.6;
/// Cost of the way from which on the played frame does not do what the input asks for: with every search that finds no
/// way out, poses count less, by [`IMPATIENCE`], so that a walk begins without a clip of a start.
const WRONG_WAY: f32 = 1.5;
const IMPATIENCE: f32 = 0.35;
/// Range of time warps.
const WARP: [f32; 2] = [0.8, 1.2];
/// Slowest take that is warped, limb lengths per second.
const WARPED_SPEED: f32 = 0.4;
/// Largest distance of the path from the body, limb lengths: a body that cannot keep up is waited for.
const MAX_LEAD: f32 = 0.25;
/// Half-life of a change of the speed of the ground pose at joins, seconds.
const SPEED_SECS: f32 = 0.09;
/// Samples of the path for display: one second back and one ahead, every sixth of a second.
pub const PATH_SAMPLES: usize = 13;
const PAST_SAMPLES: usize = 6;
/// Steps between two samples.
const SAMPLE_STEPS: usize = 10;

/// Place in the database.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cursor {
    take: usize,
    /// Frames.
    time: f64,
}

/// A character steered by motion matching.
pub struct MatchingController {
    database: Arc<Database>,
    ground: Option<HeightField>,
    root: GroundPose,
    /// Way that the input asks for.
    goal: Goal,
    /// Difference of the ground pose's speed from that of the take, in its axes: m/s; its turn, rad/s, in y of `turn`.
    speed_offset: Offset,
    turn_offset: Offset,
    cursor: Cursor,
    inertia: Inertia,
    hold: LimbHold,
    until_search: f32,
    /// Weight of poses in the search.
    pose_weight: f32,
    requested: Vec3,
    /// Frames that are left of the action that is played; `None`: locomotion.
    action: Option<f64>,
    /// Poses of the last two steps, and the time since the first.
    shown: [Shown; 2],
    elapsed_secs: f64,
    past: VecDeque<GroundPose>,
    steps: usize,
    recording: Option<Shown>,
    /// Last search: cost of the frame that is played, and cost of the best.
    costs: [f32; 2],
    buffers: [LocalPose; 2],
    world: WorldPose,
}

impl MatchingController {
    /// Creates a character at rest, at the origin, facing +z.
    pub fn new(database: Arc<Database>) -> Self {
        let hold = LimbHold::new(&database);
        let (take, frame) = database.standing();
        let mut controller = Self {
            database,
            ground: None,
            root: GroundPose::default(),
            goal: Goal::at(GroundPose::default()),
            speed_offset: Offset::default(),
            turn_offset: Offset::default(),
            cursor: Cursor { take, time: frame as f64 },
            inertia: Inertia::default(),
            hold,
            until_search: 0.0,
            pose_weight: 1.0,
            requested: Vec3::ZERO,
            action: None,
            shown: Default::default(),
            elapsed_secs: 0.0,
            past: VecDeque::new(),
            steps: 0,
            recording: None,
            costs: [0.0; 2],
            buffers: Default::default(),
            world: WorldPose::default(),
        };
        controller.place(GroundPose::default());
        controller
    }

    /// Places the character at another ground pose, at rest. Values that are not finite count as 0.
    pub fn place(&mut self, at: GroundPose) {
        let number_or_zero = |value: f32| if value.is_finite() { value } else { 0.0 };
        let [x, z, heading] = [at.position.x, at.position.z, at.heading].map(number_or_zero);
        self.root = GroundPose::new(x, z, wrap(heading));
        self.goal = Goal::at(self.root);
        (self.speed_offset, self.turn_offset) = (Offset::default(), Offset::default());
        let (take, frame) = self.database.standing();
        self.cursor = Cursor { take, time: frame as f64 };
        self.inertia.clear();
        self.hold.release();
        (self.until_search, self.requested, self.action) = (0.0, Vec3::ZERO, None);
        self.past = std::iter::repeat_n(self.root, PAST_SAMPLES * SAMPLE_STEPS + 1).collect();
        self.elapsed_secs = 0.0;
        let shown = self.show(0.0);
        self.shown = [shown.clone(), shown];
    }

    /// Sets the heights of the ground; `None`: level ground at height 0.
    pub fn set_ground(&mut self, ground: Option<HeightField>) {
        self.ground = ground;
    }

    /// Advances by some seconds, at most [`MAX_STEP_SECS`], and fills `pose`. With 0 and values that are not finite the
    /// character does not advance. `control.action` is an index of [`Coverage::actions`]; style, noise and seed have no
    /// meaning here.
    pub fn step(&mut self, control: &Control, seconds: f64, pose: &mut Pose) {
        self.elapsed_secs += if seconds.is_finite() { seconds.clamp(0.0, MAX_STEP_SECS) } else { 0.0 };
        while self.elapsed_secs * STEP_FPS > 1.0 - 5e-4 {
            self.elapsed_secs = (self.elapsed_secs - 1.0 / STEP_FPS).max(0.0);
            self.advance(control, (1.0 / STEP_FPS) as f32);
        }
        self.interpolate((self.elapsed_secs * STEP_FPS) as f32, pose);
    }

    /// Advances by one step.
    fn advance(&mut self, control: &Control, seconds: f32) {
        self.begin_action(control.action);
        let wanted = self.requested_velocity(control);
        let facing = match control.facing.filter(|facing| facing.is_finite()) {
            Some(facing) => facing,
            None if wanted.length_squared() > 1e-6 => wanted.x.atan2(wanted.z),
            None => self.goal.heading.heading,
        };
        self.goal.advance(wanted, facing, seconds);
        let is_sudden = (wanted - self.requested).length() > SUDDEN * self.database.limb_length();
        self.until_search -= seconds;
        if self.action.is_none() && (self.until_search <= 0.0 || is_sudden || self.is_at_end()) {
            self.search(wanted, facing);
            (self.until_search, self.requested) = (SEARCH_SECS, wanted);
        }
        self.play(seconds);
        self.follow(seconds);
        self.past.pop_front();
        self.past.push_back(self.root);
        let next = self.show(seconds);
        if let Some(recording) = &mut self.recording
            && self.steps < MAX_RECORDED_FRAMES
        {
            recording.rotations.extend_from_slice(&next.rotations);
            recording.translations.extend_from_slice(&next.translations);
            self.steps += 1;
        }
        self.shown.swap(0, 1);
        self.shown[1] = next;
    }

    /// Starts a requested action, and ends one that has been played.
    fn begin_action(&mut self, action: Option<usize>) {
        if let Some(left) = self.action {
            if left > 0.0 {
                return;
            }
            self.action = None;
            self.until_search = 0.0;
        }
        let take =
            action.and_then(|action| self.database.actions().get(action)).and_then(|name| self.database.action(name));
        if let Some(take) = take {
            self.jump_to(Cursor { take, time: 0.0 });
            self.action = Some((self.database.takes()[take].frames().saturating_sub(3)) as f64);
        }
    }

    /// Returns the velocity that the input asks for, metres per second, within what the clips can do.
    fn requested_velocity(&self, control: &Control) -> Vec3 {
        let direction = control.direction;
        let speed = if control.speed.is_finite() { control.speed.max(0.0) } else { 0.0 };
        if self.action.is_some() || !direction.is_finite() {
            return Vec3::ZERO;
        }
        let direction = direction.normalize_or_zero();
        Vec3::new(direction.x, 0.0, direction.y) * speed.min(self.fastest())
    }

    /// Returns the highest speed that can be requested, metres per second: that of the fastest clip, warped in time.
    pub fn fastest(&self) -> f32 {
        self.database.fastest() * WARP[1]
    }

    /// Whether the take is about to end.
    fn is_at_end(&self) -> bool {
        let take = &self.database.takes()[self.cursor.take];
        !take.is_loop && self.cursor.time + 2.0 >= (take.frames() - 1) as f64
    }

    /// Searches for a better frame, and joins it.
    fn search(&mut self, wanted: Vec3, facing: f32) {
        let frame = self.cursor.time as usize;
        let row = self.database.row_of(self.cursor.take, frame);
        let mut query = self.database.row(row).to_vec();
        self.goal.write_ahead(&self.database, self.root, [wanted, direction(facing)], &mut query);
        let query = Query { row: &query, pose_weight: self.pose_weight };
        let at_end = self.is_at_end();
        // The pose of the query is that of the row, so this is the cost of the way.
        let present = self.database.cost(&query, row);
        let limit = if at_end { f32::MAX } else { (present * (1.0 - MIN_GAIN) - JOIN_COST).max(0.0) };
        let found = self.database.nearest(&query, limit);
        let is_stuck = present > WRONG_WAY && found.is_none();
        self.pose_weight = if is_stuck { self.pose_weight * IMPATIENCE } else { 1.0 };
        self.costs = [present, found.map_or(present, |found| found.cost)];
        let Some(found) = found else { return };
        let (take, frame) = self.database.place_of(found.row);
        self.jump_to(Cursor { take, time: frame as f64 });
    }

    /// Continues at another place of the database; the difference decays.
    fn jump_to(&mut self, to: Cursor) {
        let from = self.cursor;
        if from == to {
            return;
        }
        let moving = |cursor: Cursor| {
            let take = &self.database.takes()[cursor.take];
            let mut moving = Moving { seconds: (1.0 / FPS) as f32, ..Moving::default() };
            take.sample(cursor.time, &mut moving.now.rotations, &mut moving.now.translations);
            let next = take.frame_after(cursor.time as usize, 1) as f64 + cursor.time.fract();
            take.sample(next, &mut moving.next.rotations, &mut moving.next.translations);
            moving
        };
        self.inertia.jump(&moving(from), &moving(to));
        let speed = |cursor: Cursor| {
            let step = self.database.takes()[cursor.take].step(cursor.time as usize);
            (step.movement * FPS as f32, Vec3::Y * step.turn * FPS as f32)
        };
        let ((from_speed, from_turn), (to_speed, to_turn)) = (speed(from), speed(to));
        self.speed_offset.value += from_speed - to_speed;
        self.turn_offset.value += from_turn - to_turn;
        self.cursor = to;
    }

    /// Advances the take and the ground pose.
    fn play(&mut self, seconds: f32) {
        let take = &self.database.takes()[self.cursor.take];
        let step = take.step(self.cursor.time as usize);
        let own_speed = take.pace().0;
        let wanted = self.goal.velocity.velocity.length();
        let is_warped = self.action.is_none() && own_speed > WARPED_SPEED * self.database.limb_length();
        let rate = if is_warped { (wanted / own_speed).clamp(WARP[0], WARP[1]) } else { 1.0 };
        let frames = rate * seconds * FPS as f32;
        self.speed_offset.decay(SPEED_SECS, seconds);
        self.turn_offset.decay(SPEED_SECS, seconds);
        let movement = step.movement * frames + self.speed_offset.value * seconds;
        self.root.position = self.root.world_point(movement.with_y(0.0));
        self.root.heading = wrap(self.root.heading + step.turn * frames + self.turn_offset.value.y * seconds);
        self.cursor.time += f64::from(frames);
        self.action = self.action.map(|left| left - f64::from(frames));
        let count = take.frames() as f64;
        self.cursor.time = if take.is_loop { self.cursor.time % count } else { self.cursor.time.min(count - 1.0) };
    }

    /// Moves the ground pose towards the way, and keeps the way near the body.
    fn follow(&mut self, seconds: f32) {
        match self.action {
            Some(_) => self.goal = Goal::at(self.root),
            None => self.goal.draw(&mut self.root, MAX_LEAD * self.database.limb_length(), seconds),
        }
    }

    /// Computes the pose of the present step in the world.
    fn show(&mut self, seconds: f32) -> Shown {
        let database = Arc::clone(&self.database);
        let take = &database.takes()[self.cursor.take];
        let [pose, _] = &mut self.buffers;
        take.sample(self.cursor.time, &mut pose.rotations, &mut pose.translations);
        self.inertia.apply(pose, seconds);
        let mut shown = Shown { rotations: pose.rotations.clone(), translations: pose.translations.clone() };
        let placement = GroundTransform { yaw: self.root.heading, translation: self.root.position };
        database.place(&placement, &mut shown.rotations, &mut shown.translations);
        shown.set_world(database.skeleton(), &mut self.world);
        let limbs = database.limb_count();
        let frame = self.cursor.time as usize;
        let contacts = &take.contacts[frame * limbs..][..limbs];
        let Shown { rotations, translations } = &mut shown;
        let skeleton = database.skeleton();
        let mut figure = Figure { skeleton, rotations, translations, pose: &mut self.world };
        self.hold.apply(&database, contacts, self.ground.as_ref(), &mut figure, seconds);
        shown
    }

    /// Interpolates between the poses of the last two steps; `fraction`: 0 to 1.
    fn interpolate(&mut self, fraction: f32, pose: &mut Pose) {
        let [from, to] = &self.shown;
        let mixed = from.mix(to, fraction);
        mixed.set_world(self.database.skeleton(), &mut self.world);
        pose.root = self.world.world_positions[0];
        pose.positions.clone_from(&self.world.world_positions);
        pose.rotations = mixed.rotations;
    }

    /// Returns the database.
    pub fn database(&self) -> &Database {
        &self.database
    }

    /// Returns the ground pose of the character.
    pub fn root(&self) -> GroundPose {
        self.root
    }

    /// Reports the motions that the character has.
    pub fn coverage(&self) -> Coverage {
        self.database.coverage()
    }

    /// Returns the clip that is played: index of the take and frame; and the costs of the last search, of the frame
    /// that was played and of the best.
    pub fn playing(&self) -> (usize, f64, [f32; 2]) {
        (self.cursor.take, self.cursor.time, self.costs)
    }

    /// Returns whether each limb touches the ground, `[limbs]`.
    pub fn contacts(&self) -> &[bool] {
        let limbs = self.database.limb_count();
        &self.database.takes()[self.cursor.take].contacts[self.cursor.time as usize * limbs..][..limbs]
    }

    /// Returns the path from one second ago to one second ahead, [[`PATH_SAMPLES`]].
    pub fn path(&self) -> [GroundPose; PATH_SAMPLES] {
        let mut goal = self.goal;
        let mut sample_ahead = || {
            goal.advance(self.requested, goal.heading.heading, (SAMPLE_STEPS as f64 / STEP_FPS) as f32);
            GroundPose { position: goal.position, heading: goal.heading.heading }
        };
        std::array::from_fn(|sample| match sample {
            past if past <= PAST_SAMPLES => self.past[past * SAMPLE_STEPS],
            _ => sample_ahead(),
        })
    }

    /// Starts a new recording. It ends after [`MAX_RECORDED_FRAMES`] frames.
    pub fn record(&mut self) {
        (self.recording, self.steps) = (Some(Shown::default()), 0);
    }

    /// Ends the recording and returns it as a clip at [`STEP_FPS`]; `None` if it is empty.
    ///
    /// # Errors
    /// None known: recorded poses are finite.
    pub fn finish_recording(&mut self) -> Result<Option<Clip>> {
        let Some(Shown { rotations, translations }) = self.recording.take().filter(|shown| !shown.rotations.is_empty())
        else {
            return Ok(None);
        };
        Clip::new("steered", Arc::clone(self.database.skeleton()), 1.0 / STEP_FPS, rotations, translations).map(Some)
    }
}
