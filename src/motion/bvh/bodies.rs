//! Bodies of a file: two people who were recorded together, as roots of their own or below one root.

use crate::error::{Error, Result, quoted};
use crate::motion::bvh::hierarchy::FileJoint;
use crate::motion::bvh::remarks::Remarks;

/// Smallest number of joints of a body beside another one; a prop has fewer.
const MIN_JOINTS: usize = 8;
/// Smallest number of joints of a body, relative to the largest one of the file.
const MIN_SHARE: f64 = 0.5;

/// A body of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Name of its topmost joint; the second of two equal names is followed by " (2)".
    pub name: String,
    /// Number of its joints.
    pub joints: usize,
    /// Index of its topmost joint.
    top: usize,
}

/// Returns the bodies of a file if there are several, else none.
pub(super) fn find(joints: &[FileJoint]) -> Vec<Body> {
    let mut sizes = vec![1; joints.len()];
    // Joints below each joint, itself included, that have several children.
    let mut branches = vec![0; joints.len()];
    let mut children = vec![0; joints.len()];
    joints.iter().filter_map(|joint| joint.parent).for_each(|parent| children[parent] += 1);
    for (index, joint) in joints.iter().enumerate().rev() {
        branches[index] += usize::from(children[index] > 1);
        if let Some(parent) = joint.parent {
            sizes[parent] += sizes[index];
            branches[parent] += branches[index];
        }
    }
    let roots: Vec<usize> = (0..joints.len()).filter(|&index| joints[index].parent.is_none()).collect();
    let is_body =
        |index: usize, largest: usize| sizes[index] >= MIN_JOINTS && sizes[index] as f64 >= MIN_SHARE * largest as f64;
    let mut tops: Vec<usize> = match roots[..] {
        // Below one root, bodies have the same structure: as many joints and branches.
        [root] => {
            let children = (0..joints.len()).filter(|&index| joints[index].parent == Some(root));
            let children: Vec<usize> = children.filter(|&child| branches[child] >= 2).collect();
            let is_same = |pair: &[usize]| sizes[pair[0]] == sizes[pair[1]] && branches[pair[0]] == branches[pair[1]];
            if children.windows(2).all(is_same) { children } else { Vec::new() }
        }
        _ => roots,
    };
    let largest = tops.iter().map(|&top| sizes[top]).max().unwrap_or(0);
    tops.retain(|&top| is_body(top, largest));
    if tops.len() < 2 {
        return Vec::new();
    }
    let name = |position: usize| {
        let name = &joints[tops[position]].name;
        match tops[..position].iter().filter(|&&earlier| joints[earlier].name == *name).count() {
            0 => name.clone(),
            earlier => format!("{name} ({})", earlier + 1),
        }
    };
    (0..tops.len()).map(|i| Body { name: name(i), joints: sizes[tops[i]], top: tops[i] }).collect()
}

/// Returns which joints are read: all but the bodies that are not chosen. `root`: name of a body or a root.
pub(super) fn choose(joints: &[FileJoint], bodies: &[Body], root: Option<&str>) -> Result<Vec<bool>> {
    let below = |top: usize| -> Vec<bool> {
        let mut is_below = vec![false; joints.len()];
        for (index, joint) in joints.iter().enumerate() {
            is_below[index] = index == top || joint.parent.is_some_and(|parent| is_below[parent]);
        }
        is_below
    };
    let chosen = match root {
        None => bodies.first().map(|body| body.top),
        Some(name) => {
            let body = bodies.iter().find(|body| body.name == name).map(|body| body.top);
            let root = || joints.iter().position(|joint| joint.parent.is_none() && joint.name == name);
            Some(body.or_else(root).ok_or_else(|| unknown(joints, bodies, name))?)
        }
    };
    let mut is_read = vec![true; joints.len()];
    let Some(chosen) = chosen else { return Ok(is_read) };
    for body in bodies.iter().filter(|body| body.top != chosen) {
        let is_left_out = below(body.top);
        is_read.iter_mut().zip(is_left_out).for_each(|(is_read, left_out)| *is_read &= !left_out);
    }
    if root.is_some() && joints[chosen].parent.is_none() {
        // A root that was named is read alone.
        is_read = below(chosen);
    }
    Ok(is_read)
}

/// Says which bodies are not read, and how to read them.
pub(super) fn report(bodies: &[Body], joints: &[FileJoint], is_read: &[bool], remarks: &mut Remarks) {
    let left_out: Vec<&Body> = bodies.iter().filter(|body| !is_read[body.top]).collect();
    for body in &left_out {
        remarks.left_out.push(format!("a second body, {}, {} joints", quoted(&body.name), body.joints));
    }
    if let Some(other) = left_out.first() {
        let read = bodies.iter().find(|body| is_read[body.top]).map_or(&joints[0].name, |body| &body.name);
        remarks.push(format!(
            "the file holds {} bodies; {} is read, the option root reads another one: {}",
            bodies.len(),
            quoted(read),
            quoted(&other.name)
        ));
    }
}

/// Returns the joints that are read.
pub(super) fn retain(joints: Vec<FileJoint>, is_read: &[bool]) -> Vec<FileJoint> {
    let mut index = 0;
    let new_index: Vec<usize> = is_read
        .iter()
        .map(|&is_read| {
            index += usize::from(is_read);
            index.saturating_sub(1)
        })
        .collect();
    let kept = joints.into_iter().zip(is_read).filter(|(_, is_read)| **is_read).map(|(joint, _)| joint);
    kept.map(|joint| FileJoint { parent: joint.parent.map(|parent| new_index[parent]), ..joint }).collect()
}

fn unknown(joints: &[FileJoint], bodies: &[Body], name: &str) -> Error {
    let roots = joints.iter().filter(|joint| joint.parent.is_none()).map(|joint| joint.name.as_str());
    let names: Vec<String> = match bodies.is_empty() {
        true => roots.map(quoted).collect(),
        false => bodies.iter().map(|body| quoted(&body.name)).collect(),
    };
    let message = format!("no body of this file has the root {}; it has {}", quoted(name), names.join(", "));
    Error::Option { option: "root", message }
}
