//! Blends of two loops in step: the speeds between a walk and a run that no clip has.
//!
//! Both loops are divided at the contacts of each limb; a blend runs through both divisions at once, so that feet land
//! together. Its duration and its movement lie between those of the loops.

use super::take::{Step, Take};
use crate::motion::quat::{exp, log};
use crate::motion::resample::slerp;
use glam::{Quat, Vec3};

/// Smallest ratio of two speeds between which loops are blended.
const MIN_RATIO: f32 = 1.25;
/// Largest ratio of neighbouring speeds after blending: time warps bridge it.
const MAX_RATIO: f32 = 1.4;
/// Most blends between two loops.
const MAX_BLENDS: usize = 4;
/// Slowest loop that is blended, metres per second: an idle has no steps.
const MIN_SPEED: f32 = 0.3;
/// Largest turn rate of a loop that is blended, radians per second.
const MAX_TURN: f32 = 0.3;

/// Returns loops between the straight loops of `takes` that have neighbouring speeds. `limbs`: number of limbs.
pub fn between_speeds(takes: &[Take], limbs: usize) -> Vec<Take> {
    let straight = |take: &&Take| take.is_loop && take.pace().0 > MIN_SPEED && take.pace().1.abs() < MAX_TURN;
    let mut loops: Vec<&Take> = takes.iter().filter(straight).collect();
    loops.sort_by(|a, b| a.pace().0.total_cmp(&b.pace().0));
    let mut blends = Vec::new();
    for pair in loops.windows(2) {
        let [slow, fast] = [pair[0], pair[1]];
        let ratio = fast.pace().0 / slow.pace().0;
        let is_same_way = direction_of(slow).is_some_and(|a| direction_of(fast).is_some_and(|b| a.dot(b) > 0.9));
        if ratio < MIN_RATIO || !is_same_way {
            continue;
        }
        let count = ((ratio.ln() / MAX_RATIO.ln()).ceil() as usize).clamp(1, MAX_BLENDS);
        if let Some(marks) = matching_marks(slow, fast, limbs) {
            for index in 1..=count {
                blends.push(blend(slow, fast, &marks, index as f32 / (count + 1) as f32));
            }
        }
    }
    blends
}

/// Returns the mean direction of travel in the axes of the ground pose.
fn direction_of(take: &Take) -> Option<Vec3> {
    take.steps.iter().map(|step| step.movement).sum::<Vec3>().try_normalize()
}

/// Returns times, in frames, at which both loops are in the same phase, in order over one cycle of each: pairs (slow,
/// fast). A cycle lasts from a landing of a limb to its next one. `None` if the limbs of a cycle do not land equally
/// often and in the same order.
fn matching_marks(slow: &Take, fast: &Take, limbs: usize) -> Option<Vec<(f64, f64)>> {
    let limb = landings(slow, limbs).first()?.1;
    let [a, b] = [slow, fast].map(|take| first_cycle(take, limbs, limb));
    let (a, b) = (a?, b?);
    let order = |landings: &[(usize, usize)]| landings.iter().map(|landing| landing.1).collect::<Vec<_>>();
    if order(&a) != order(&b) {
        return None;
    }
    let mut marks: Vec<(f64, f64)> = a.iter().zip(&b).map(|(a, b)| (a.0 as f64, b.0 as f64)).collect();
    marks.dedup_by(|later, earlier| later.0 <= earlier.0 || later.1 <= earlier.1);
    (marks.len() > 1).then_some(marks)
}

/// Returns the landings from the first one of a limb to its next one, both included; frames go on after the period.
fn first_cycle(take: &Take, limbs: usize, limb: usize) -> Option<Vec<(usize, usize)>> {
    let mut landings = landings(take, limbs);
    let again: Vec<(usize, usize)> = landings.iter().map(|&(frame, limb)| (frame + take.frames(), limb)).collect();
    landings.extend(again);
    let start = landings.iter().position(|landing| landing.1 == limb)?;
    let length = landings[start + 1..].iter().position(|landing| landing.1 == limb)?;
    Some(landings[start..=start + 1 + length].to_vec())
}

/// Returns the landings of a loop in order: frame and limb.
fn landings(take: &Take, limbs: usize) -> Vec<(usize, usize)> {
    let touches = |frame: usize, limb: usize| take.contacts[frame * limbs + limb];
    let frames = take.frames();
    (0..frames)
        .flat_map(|frame| (0..limbs).map(move |limb| (frame, limb)))
        .filter(|&(frame, limb)| touches(frame, limb) && !touches((frame + frames - 1) % frames, limb))
        .collect()
}

/// Returns the loop with the weight `weight` of `fast`.
fn blend(slow: &Take, fast: &Take, marks: &[(f64, f64)], weight: f32) -> Take {
    let w = f64::from(weight);
    let durations: Vec<f64> =
        marks.windows(2).map(|pair| (pair[1].0 - pair[0].0) * (1.0 - w) + (pair[1].1 - pair[0].1) * w).collect();
    let frames = (durations.iter().sum::<f64>().round() as usize).max(2);
    let stretch = durations.iter().sum::<f64>() / frames as f64;
    let limbs = slow.contacts.len() / slow.frames();
    let last = marks[marks.len() - 1];
    let ends = [(slow, last.0), (fast, last.1)];
    let mut take = Take {
        name: format!("{} + {} {:.0} %", slow.name, fast.name, 100.0 * weight),
        source: None,
        is_loop: true,
        rotations: Vec::new(),
        translations: Vec::new(),
        steps: Vec::new(),
        contacts: Vec::new(),
    };
    let mut poses = [(Vec::new(), Vec::new()), (Vec::new(), Vec::new())];
    for frame in 0..frames {
        let (a, b, rates) = times_at(marks, &durations, frame as f64 * stretch);
        let times = [a % slow.frames() as f64, b % fast.frames() as f64];
        for ((take, time), (rotations, translations)) in [slow, fast].into_iter().zip(times).zip(&mut poses) {
            take.sample(time, rotations, translations);
        }
        let [(slow_rotations, slow_translations), (fast_rotations, fast_translations)] = &poses;
        let mix = |(a, b): (&Quat, &Quat)| slerp(*a, *b, weight);
        take.rotations.extend(slow_rotations.iter().zip(fast_rotations).map(mix));
        take.translations.extend(slow_translations.iter().zip(fast_translations).map(|(a, b)| a.lerp(*b, weight)));
        let [slow_step, fast_step] = [slow.step(times[0] as usize), fast.step(times[1] as usize)];
        take.steps.push(Step {
            movement: slow_step.movement * rates.0 * (1.0 - weight) + fast_step.movement * rates.1 * weight,
            turn: slow_step.turn * rates.0 * (1.0 - weight) + fast_step.turn * rates.1 * weight,
        });
        let (nearer, time) = if weight < 0.5 { (slow, times[0]) } else { (fast, times[1]) };
        take.contacts.extend_from_slice(&nearer.contacts[time as usize * limbs..][..limbs]);
    }
    let end = ends.map(|(take, time)| {
        let mut pose = (Vec::new(), Vec::new());
        take.sample(time % take.frames() as f64, &mut pose.0, &mut pose.1);
        pose
    });
    close(&mut take, &end, weight);
    take
}

/// Spreads the difference between the end of the cycle and its start over the frames: a cycle is one of several that
/// are only similar. `end`: poses of both loops where the cycle ends.
fn close(take: &mut Take, end: &[(Vec<Quat>, Vec<Vec3>); 2], weight: f32) {
    let frames = take.frames();
    let (joints, width) = (end[0].0.len(), end[0].1.len());
    take.align_signs(joints);
    for joint in 0..joints {
        let last = slerp(end[0].0[joint], end[1].0[joint], weight);
        let gap = log(take.rotations[joint] * last.conjugate());
        for frame in 0..frames {
            let rotation = &mut take.rotations[frame * joints + joint];
            *rotation = (exp(gap * (frame as f32 / frames as f32)) * *rotation).normalize();
        }
    }
    for slot in 0..width {
        let gap = take.translations[slot] - end[0].1[slot].lerp(end[1].1[slot], weight);
        for frame in 0..frames {
            take.translations[frame * width + slot] += gap * (frame as f32 / frames as f32);
        }
    }
}

/// Returns the times in both loops at a time of the blend, frames, and their rates, frames per frame of the blend.
fn times_at(marks: &[(f64, f64)], durations: &[f64], time: f64) -> (f64, f64, (f32, f32)) {
    let mut start = 0.0;
    let last = durations.len() - 1;
    for (index, duration) in durations.iter().enumerate() {
        if time < start + duration || index == last {
            let fraction = ((time - start) / duration.max(1e-9)).min(1.0);
            let (from, to) = (marks[index], marks[index + 1]);
            let spans = (to.0 - from.0, to.1 - from.1);
            let rates = ((spans.0 / duration.max(1e-9)) as f32, (spans.1 / duration.max(1e-9)) as f32);
            return (from.0 + spans.0 * fraction, from.1 + spans.1 * fraction, rates);
        }
        start += duration;
    }
    (marks[0].0, marks[0].1, (1.0, 1.0))
}
