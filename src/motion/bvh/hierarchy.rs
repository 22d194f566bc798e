//! HIERARCHY: text → joints in file units. An explicit stack replaces recursion, so deeply nested files cannot overflow
//! the call stack.

use crate::error::{Result, quoted};
use crate::motion::bvh::remarks::Remarks;
use crate::motion::bvh::scan::{Scanner, quote_word};
use crate::motion::bvh::statement::Statement;
use crate::motion::bvh::{MAX_DEPTH, MAX_JOINTS, channels};
use crate::motion::skeleton::Channel;
use std::collections::HashSet;

/// One joint as in the file; lengths in file units.
pub(super) struct FileJoint {
    pub name: String,
    pub parent: Option<usize>,
    pub offset: [f64; 3],
    /// Columns of a row; `None` for one that is not read, such as a scale.
    pub columns: Vec<Option<Channel>>,
    pub end_sites: Vec<[f64; 3]>,
}

impl FileJoint {
    /// Returns the channels that are read.
    pub(super) fn channels(&self) -> Vec<Channel> {
        self.columns.iter().copied().flatten().collect()
    }
}

/// The hierarchy of a file.
#[derive(Default)]
pub(super) struct Hierarchy {
    /// Joints, parents first.
    pub joints: Vec<FileJoint>,
    /// Statement of a file that Kinestitch wrote.
    pub statement: Option<Statement>,
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

/// Reads the hierarchy up to the word MOTION (excluded) or the end of the file. `strict`: nothing damaged is accepted.
pub(super) fn read_hierarchy(scan: &mut Scanner, strict: bool, remarks: &mut Remarks) -> Result<Hierarchy> {
    if !strict {
        scan.skip_comments(remarks);
    }
    scan.read_keyword("HIERARCHY")?;
    let mut parser = Parser { scan, remarks, strict, hierarchy: Hierarchy::default(), open_blocks: Vec::new() };
    while parser.read_item()? {}
    let hierarchy = parser.hierarchy;
    let mut names = HashSet::new();
    if let Some(repeated) = hierarchy.joints.iter().find(|joint| !names.insert(joint.name.as_str())) {
        remarks.push(format!("several joints have the name {}", quoted(&repeated.name)));
    }
    Ok(hierarchy)
}

struct Parser<'p, 'a> {
    scan: &'p mut Scanner<'a>,
    remarks: &'p mut Remarks,
    strict: bool,
    hierarchy: Hierarchy,
    open_blocks: Vec<OpenBlock>,
}

impl Parser<'_, '_> {
    /// Reads a keyword and what follows it. Returns false at the end of the hierarchy.
    fn read_item(&mut self) -> Result<bool> {
        if !self.strict {
            self.scan.skip_comments(self.remarks);
        }
        self.scan.skip_space();
        let start = self.scan.position();
        let word = self.scan.peek_word();
        let Some(block) = self.open_blocks.last() else {
            if !begins_root(self.scan, word, self.hierarchy.joints.is_empty())? {
                return Ok(false);
            }
            self.scan.read_word();
            self.open_joint(start)?;
            return Ok(true);
        };
        let (joint, is_end_site) = (block.joint, block.is_end_site);
        self.scan.read_word();
        if is_keyword(word, "OFFSET") {
            self.read_offset(start)?;
        } else if is_keyword(word, "CHANNELS") && !is_end_site {
            self.read_channels(start)?;
        } else if is_keyword(word, "JOINT") && !is_end_site {
            self.open_joint(start)?;
        } else if is_keyword(word, "End") && !is_end_site {
            self.scan.read_name();
            self.scan.read_keyword("{")?;
            let block = OpenBlock { joint, is_end_site: true, has_offset: false, has_channels: false, start };
            self.open_blocks.push(block);
        } else if word == b"}" {
            self.close_block()?;
        } else if word.is_empty() {
            let (name, start) = (quoted(&self.hierarchy.joints[joint].name), self.scan.position());
            let message = format!("the file ends inside {name}: it is cut off, or a }} is missing");
            return Err(self.scan.fail_at(start, message));
        } else {
            let name = quoted(&self.hierarchy.joints[joint].name);
            let expected = if is_end_site { "OFFSET or }" } else { "OFFSET, CHANNELS, JOINT, End Site or }" };
            let message = format!("expected {expected} in {name}, found {}", quote_word(word));
            return Err(self.scan.fail_at(start, message));
        }
        Ok(true)
    }

    /// Reads the numbers after the word OFFSET at byte `start`.
    fn read_offset(&mut self, start: usize) -> Result<()> {
        let Some(block) = self.open_blocks.last_mut() else { return Ok(()) };
        let (joint, is_end_site) = (block.joint, block.is_end_site);
        if std::mem::replace(&mut block.has_offset, true) {
            let name = quoted(&self.hierarchy.joints[joint].name);
            return Err(self.scan.fail_at(start, format!("a second OFFSET in {name}")));
        }
        let offset = [self.scan.read_number()?, self.scan.read_number()?, self.scan.read_number()?];
        if is_end_site {
            self.hierarchy.joints[joint].end_sites.push(offset);
            return Ok(());
        }
        self.hierarchy.joints[joint].offset = offset;
        if joint == 0 {
            self.hierarchy.statement = Statement::decode(self.scan.read_blanks());
        }
        Ok(())
    }

    /// Reads the number and the names of channels after the word CHANNELS at byte `start`.
    fn read_channels(&mut self, start: usize) -> Result<()> {
        let Some(block) = self.open_blocks.last_mut() else { return Ok(()) };
        let joint = &mut self.hierarchy.joints[block.joint];
        if std::mem::replace(&mut block.has_channels, true) {
            return Err(self.scan.fail_at(start, format!("a second CHANNELS in {}", quoted(&joint.name))));
        }
        joint.columns = channels::read(self.scan, self.strict, self.remarks)?;
        Ok(())
    }

    /// Ends a block at its closing brace, and checks that it had an OFFSET.
    fn close_block(&mut self) -> Result<()> {
        let Some(block) = self.open_blocks.pop() else { return Ok(()) };
        if block.has_offset {
            return Ok(());
        }
        let owner = if block.is_end_site { "the End Site of " } else { "" };
        let message = format!("{owner}{} has no OFFSET", quoted(&self.hierarchy.joints[block.joint].name));
        if self.strict {
            return Err(self.scan.fail_at(block.start, message));
        }
        self.remarks.push(format!("line {}: {message}; 0 0 0 was taken", self.scan.line(block.start)));
        Ok(())
    }

    /// Reads a joint's name and opening brace, after the word ROOT or JOINT at byte `start`.
    fn open_joint(&mut self, start: usize) -> Result<()> {
        let joints = &mut self.hierarchy.joints;
        if joints.len() == MAX_JOINTS {
            return Err(self.scan.fail_at(start, format!("more than {MAX_JOINTS} joints")));
        }
        if self.open_blocks.len() == MAX_DEPTH {
            return Err(self.scan.fail_at(start, format!("joints nest more than {MAX_DEPTH} deep")));
        }
        let name = self.scan.read_name();
        if name.is_empty() {
            return Err(self.scan.fail_at(start, "a joint needs a name"));
        }
        let text = String::from_utf8_lossy(name).into_owned();
        if text.as_bytes() != name {
            let message = format!("the name {} is not UTF-8; its invalid bytes were replaced", quoted(&text));
            self.remarks.push(message);
        }
        self.scan.read_keyword("{")?;
        let parent = self.open_blocks.last().map(|block| block.joint);
        let joint = joints.len();
        self.open_blocks.push(OpenBlock { joint, is_end_site: false, has_offset: false, has_channels: false, start });
        joints.push(FileJoint { name: text, parent, offset: [0.0; 3], columns: Vec::new(), end_sites: Vec::new() });
        Ok(())
    }
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

pub(super) fn is_keyword(word: &[u8], keyword: &str) -> bool {
    word.eq_ignore_ascii_case(keyword.as_bytes())
}
