//! HIERARCHY: text → joints in file units. An explicit stack replaces recursion, so deeply nested files cannot overflow
//! the call stack.

use crate::error::{Result, quoted};
use crate::motion::bvh::scan::{Scanner, quote_word};
use crate::motion::bvh::{MAX_DEPTH, MAX_JOINTS};
use crate::motion::skeleton::Channel;
use std::collections::HashSet;

/// One joint as in the file; lengths in file units.
pub(super) struct FileJoint {
    pub name: String,
    pub parent: Option<usize>,
    pub offset: [f64; 3],
    pub channels: Vec<Channel>,
    pub end_sites: Vec<[f64; 3]>,
}

/// An open block: a joint, or an End Site of a joint.
struct OpenBlock {
    joint: usize,
    is_end_site: bool,
    has_offset: bool,
    has_channels: bool,
    /// Byte offset of its first word.
    start: usize,
}

/// Reads the hierarchy up to the word MOTION (excluded) or the end of the file.
pub(super) fn read_hierarchy(scan: &mut Scanner, warnings: &mut Vec<String>) -> Result<Vec<FileJoint>> {
    scan.read_keyword("HIERARCHY")?;
    let mut joints: Vec<FileJoint> = Vec::new();
    let mut open_blocks: Vec<OpenBlock> = Vec::new();
    loop {
        scan.skip_space();
        let start = scan.position();
        let word = scan.peek_word();
        let Some(block) = open_blocks.last_mut() else {
            if !begins_root(scan, word, joints.is_empty())? {
                break;
            }
            scan.read_word();
            open_joint(scan, &mut joints, &mut open_blocks, start, warnings)?;
            continue;
        };
        let joint = block.joint;
        scan.read_word();
        if is_keyword(word, "OFFSET") {
            if std::mem::replace(&mut block.has_offset, true) {
                return Err(scan.fail_at(start, format!("a second OFFSET in {}", quoted(&joints[joint].name))));
            }
            let offset = [scan.read_number()?, scan.read_number()?, scan.read_number()?];
            if block.is_end_site {
                joints[joint].end_sites.push(offset);
            } else {
                joints[joint].offset = offset;
            }
        } else if is_keyword(word, "CHANNELS") && !block.is_end_site {
            if std::mem::replace(&mut block.has_channels, true) {
                return Err(scan.fail_at(start, format!("a second CHANNELS in {}", quoted(&joints[joint].name))));
            }
            joints[joint].channels = read_channels(scan)?;
        } else if is_keyword(word, "JOINT") && !block.is_end_site {
            open_joint(scan, &mut joints, &mut open_blocks, start, warnings)?;
        } else if is_keyword(word, "End") && !block.is_end_site {
            scan.read_name();
            scan.read_keyword("{")?;
            open_blocks.push(OpenBlock { joint, is_end_site: true, has_offset: false, has_channels: false, start });
        } else if word == b"}" {
            check_offset(scan, block, &joints[joint].name)?;
            open_blocks.pop();
        } else if word.is_empty() {
            let (name, start) = (quoted(&joints[joint].name), scan.position());
            return Err(scan.fail_at(start, format!("the file ends inside {name}: it is cut off, or a }} is missing")));
        } else {
            let name = quoted(&joints[joint].name);
            let expected = if block.is_end_site { "OFFSET or }" } else { "OFFSET, CHANNELS, JOINT, End Site or }" };
            return Err(scan.fail_at(start, format!("expected {expected} in {name}, found {}", quote_word(word))));
        }
    }
    let mut names = HashSet::new();
    if let Some(repeated) = joints.iter().find(|joint| !names.insert(joint.name.as_str())) {
        warnings.push(format!("several joints have the name {}", quoted(&repeated.name)));
    }
    Ok(joints)
}

/// Returns whether `word`, outside of all blocks, begins a root joint; it ends the hierarchy otherwise.
fn begins_root(scan: &Scanner, word: &[u8], is_first: bool) -> Result<bool> {
    if is_keyword(word, "ROOT") {
        return Ok(true);
    }
    if is_first {
        return Err(scan.fail(format!("expected ROOT, found {}", quote_word(word))));
    }
    if is_keyword(word, "MOTION") || word.is_empty() {
        return Ok(false);
    }
    Err(scan.fail(format!("expected ROOT or MOTION, found {}", quote_word(word))))
}

/// Checks that a block had an OFFSET when it ends. `name`: name of its joint.
fn check_offset(scan: &Scanner, block: &OpenBlock, name: &str) -> Result<()> {
    if block.has_offset {
        return Ok(());
    }
    let owner = if block.is_end_site { "the End Site of " } else { "" };
    Err(scan.fail_at(block.start, format!("{owner}{} has no OFFSET", quoted(name))))
}

/// Reads a joint's name and opening brace, after the word ROOT or JOINT at byte `start`.
fn open_joint(
    scan: &mut Scanner,
    joints: &mut Vec<FileJoint>,
    open_blocks: &mut Vec<OpenBlock>,
    start: usize,
    warnings: &mut Vec<String>,
) -> Result<()> {
    if joints.len() == MAX_JOINTS {
        return Err(scan.fail_at(start, format!("more than {MAX_JOINTS} joints")));
    }
    if open_blocks.len() == MAX_DEPTH {
        return Err(scan.fail_at(start, format!("joints nest more than {MAX_DEPTH} deep")));
    }
    let name = scan.read_name();
    if name.is_empty() {
        return Err(scan.fail_at(start, "a joint needs a name"));
    }
    let text = String::from_utf8_lossy(name).into_owned();
    if text.as_bytes() != name {
        warnings.push(format!("the name {} is not UTF-8; its invalid bytes were replaced", quoted(&text)));
    }
    scan.read_keyword("{")?;
    let parent = open_blocks.last().map(|block| block.joint);
    open_blocks.push(OpenBlock {
        joint: joints.len(),
        is_end_site: false,
        has_offset: false,
        has_channels: false,
        start,
    });
    joints.push(FileJoint { name: text, parent, offset: [0.0; 3], channels: Vec::new(), end_sites: Vec::new() });
    Ok(())
}

fn read_channels(scan: &mut Scanner) -> Result<Vec<Channel>> {
    scan.skip_space();
    let start = scan.position();
    let count = scan.read_count()?;
    if count > 6 {
        return Err(scan.fail_at(start, format!("{count} channels: a joint has at most 6")));
    }
    let mut channels = Vec::with_capacity(count as usize);
    for _ in 0..count {
        scan.skip_space();
        let start = scan.position();
        let word = scan.read_word();
        let Some(&(_, channel)) = CHANNEL_NAMES.iter().find(|(name, _)| is_keyword(word, name)) else {
            let message =
                format!("expected {count} channel names such as Xposition or Zrotation, found {}", quote_word(word));
            return Err(scan.fail_at(start, message));
        };
        if channels.contains(&channel) {
            return Err(scan.fail_at(start, format!("{} is listed twice", quote_word(word))));
        }
        channels.push(channel);
    }
    Ok(channels)
}

/// Names of channels as the writer spells them; the reader accepts upper and lower case.
pub(super) const CHANNEL_NAMES: [(&str, Channel); 6] = [
    ("Xposition", Channel::Xposition),
    ("Yposition", Channel::Yposition),
    ("Zposition", Channel::Zposition),
    ("Xrotation", Channel::Xrotation),
    ("Yrotation", Channel::Yrotation),
    ("Zrotation", Channel::Zrotation),
];

fn is_keyword(word: &[u8], keyword: &str) -> bool {
    word.eq_ignore_ascii_case(keyword.as_bytes())
}
