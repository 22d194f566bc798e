//! A requested jump: the weight of the action "jump" over time.
//!
//! Recorded jumps have the weight 1 from the crouch to the landing (`research/training/src/controller/jump.rs`), and the network
//! reads it up to a second ahead. A request therefore starts the whole course of an average recorded jump, however
//! short the request is.

use crate::feature::controller::{FPS, MAX_ACTIONS, PathSample, SPACING};
use crate::motion::ease::smoothstep;

/// Time in which the weight rises from 0 to 1, seconds.
const RISE_SECS: f32 = 0.35;
/// Time after the request at which the weight begins to fall, seconds.
const FALL_START_SECS: f32 = 1.2;
/// Time after the request at which the weight is 0 again, seconds.
const END_SECS: f32 = 1.5;

/// State of the requested jump.
#[derive(Debug, Clone, Copy)]
pub struct Jump {
    /// Index of the action; `None` for networks without jumps.
    action: Option<usize>,
    /// Time since the start of the jump, seconds; `None` if there is none.
    elapsed: Option<f32>,
}

impl Jump {
    /// Creates the state without a jump. `actions`: names of the network's actions.
    pub fn new(actions: &[String]) -> Self {
        Self { action: actions.iter().position(|name| name == "jump"), elapsed: None }
    }

    /// Returns whether an action is the jump.
    pub fn is_jump(&self, action: usize) -> bool {
        self.action == Some(action)
    }

    /// Advances by one frame. `action`: the requested action. A jump in progress is completed before the next one
    /// starts.
    pub fn advance(&mut self, action: Option<usize>) {
        let elapsed = self.elapsed.map(|elapsed| elapsed + 1.0 / FPS as f32).filter(|&elapsed| elapsed < END_SECS);
        self.elapsed = elapsed.or(action.filter(|&action| self.is_jump(action)).map(|_| 0.0));
    }

    /// Blends the jump into the samples from the current frame on: all actions are scaled by 1 − weight, then the
    /// weight is added to the jump. In samples that already contain a jump, the sum is higher.
    pub fn apply(&self, ahead: &mut [PathSample]) {
        let (Some(action), Some(elapsed)) = (self.action.filter(|&action| action < MAX_ACTIONS), self.elapsed) else {
            return;
        };
        for (index, sample) in ahead.iter_mut().enumerate() {
            let weight = weight(elapsed + (index * SPACING) as f32 / FPS as f32);
            sample.actions.iter_mut().for_each(|action_weight| *action_weight *= 1.0 - weight);
            sample.actions[action] += weight;
        }
    }
}

/// Returns the weight of a jump, 0 to 1, some seconds after its start.
fn weight(seconds: f32) -> f32 {
    let rise = seconds / RISE_SECS;
    let fall = (END_SECS - seconds) / (END_SECS - FALL_START_SECS);
    smoothstep(rise.min(fall).clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn weights(jump: &Jump) -> Vec<f32> {
        let mut ahead = [PathSample { actions: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0], ..PathSample::default() }; 7];
        jump.apply(&mut ahead);
        for sample in &ahead {
            assert!((sample.actions.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{:?}", sample.actions);
        }
        ahead.iter().map(|sample| sample.actions[2]).collect()
    }

    #[test]
    fn a_short_request_starts_a_whole_jump() {
        let mut jump = Jump::new(&names(&["stand", "move", "jump"]));
        jump.advance(None);
        assert_eq!(weights(&jump), [0.0; 7]);
        jump.advance(Some(2));
        let start = weights(&jump);
        assert!(start[0] == 0.0 && start[3] == 1.0 && start[6] == 1.0, "{start:?}");
        (0..44).for_each(|_| jump.advance(None));
        assert!(weights(&jump)[0] < 0.1 && weights(&jump)[1] == 0.0);
        jump.advance(None);
        jump.advance(None);
        assert_eq!(weights(&jump), [0.0; 7]);
    }

    #[test]
    fn a_network_without_jumps_ignores_them() {
        let mut jump = Jump::new(&names(&["stand", "move", "sit"]));
        jump.advance(Some(2));
        assert!(!jump.is_jump(2));
        assert_eq!(weights(&jump), [0.0; 7]);
    }
}
