//! Options of `stitch`.

use super::{Cut, FrameRange, Ground, Heading, Join, JoinChoice, PartialJoin, Transition};
use crate::error::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of `stitch`: joins clips, in order, into one motion on the first clip's skeleton.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub struct StitchOptions {
    /// How the clips are joined at every seam.
    pub join: JoinChoice,
    /// Changes of `join` at single seams, in order; `null` changes nothing. With "auto", an entry fixes the parts that
    /// it names, and the others are chosen.
    #[schemars(extend("x-per" = "seam"))]
    pub seams: Vec<Option<PartialJoin>>,
    /// Treatment of clips that stand on different floors.
    pub ground: Ground,
    /// Rule for the direction of each clip after the first.
    pub heading: Heading,
    /// Whether feet that touch the ground are held there. People only.
    pub foot_lock: bool,
    /// Range of frames to use of each clip, in frames of that clip; `null` uses all frames.
    #[schemars(extend("x-per" = "clip"))]
    pub trim: Vec<Option<FrameRange>>,
    /// Frame rate of the result, frames per second; by default, that of the first clip.
    #[schemars(extend("x-unit" = "fps", "exclusiveMinimum" = 0))]
    pub fps: Option<f64>,
    /// Name of the result; by default, the names of the clips, joined by " + ".
    pub name: Option<String>,
}

impl Default for StitchOptions {
    fn default() -> Self {
        Self {
            join: JoinChoice::default(),
            seams: Vec::new(),
            ground: Ground::Level,
            heading: Heading::Auto,
            foot_lock: true,
            trim: Vec::new(),
            fps: None,
            name: None,
        }
    }
}

impl From<Transition> for StitchOptions {
    fn from(transition: Transition) -> Self {
        Join::from(transition).into()
    }
}

impl From<Join> for StitchOptions {
    fn from(join: Join) -> Self {
        Self { join: join.into(), ..Self::default() }
    }
}

impl StitchOptions {
    /// Returns the join of a seam with its changes; with "auto", the parts that are not fixed have their defaults.
    /// Seams count from 0.
    pub fn for_seam(&self, seam: usize) -> Join {
        let changes = self.seams.get(seam).and_then(Option::as_ref);
        match &self.join {
            JoinChoice::With(join) => join.changed(changes),
            JoinChoice::Auto { .. } => Join::default().changed(changes),
        }
    }

    /// Checks that the options are in range, and that there are not more entries than clips, or than seams between
    /// them. `clips`: number of clips.
    ///
    /// # Errors
    /// [`Error::Option`] with the name and the range of the option.
    pub fn check(&self, clips: usize) -> Result<()> {
        let seams = clips.saturating_sub(1);
        if self.seams.len() > seams {
            let message = format!("{} entries are given for {seams} seams", self.seams.len());
            return Err(Error::Option { option: "seams", message });
        }
        if self.trim.len() > clips {
            let message = format!("{} entries are given for {clips} clips", self.trim.len());
            return Err(Error::Option { option: "trim", message });
        }
        if let JoinChoice::Auto { max_cut, .. } = self.join {
            Join { cut: Cut::Best { max_cut }, ..Join::default() }.check()?;
        }
        (0..seams).try_for_each(|seam| self.for_seam(seam).check())
    }
}
