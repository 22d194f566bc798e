//! The options of the package's functions: their names there, their defaults here.
//!
//! What JavaScript leaves out is the default of the crate's own options structs; [`defaults`] tells them to whoever shows
//! them, the command line's help and the page.

use super::value::to_js;
use super::words::InbetweenWords;
use crate::error::{Error, Result};
use crate::method::Join;
use crate::method::lscore::LscoreOptions;
use crate::method::lscore::seam::CutOptions;
use crate::stitch::{Insert, SeamChoice, StitchOptions};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

/// Frames `from` (inclusive) to `to` (exclusive).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Trim {
    pub from: u32,
    pub to: u32,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SeamWord {
    Keep,
    Best,
    Phase,
}

/// Frames to put between two clips: a number of them, or "auto".
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum GapWord {
    Frames(u32),
    Word(String),
}

impl GapWord {
    fn insert(self) -> Result<Insert> {
        match self {
            GapWord::Frames(frames) => Ok(Insert::Frames(frames as usize)),
            GapWord::Word(word) if word == "auto" => Ok(Insert::Auto),
            GapWord::Word(word) => {
                let message = format!("\"{word}\" is neither a number of frames nor \"auto\"");
                Err(Error::Option { option: "gap", message })
            }
        }
    }
}

/// Options of `stitch`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct StitchWords {
    method: String,
    blend: u32,
    seam: SeamWord,
    #[serde(skip_serializing)]
    gap: Option<GapWord>,
    max_cut: f64,
    window: u32,
    min_inject: u32,
    max_inject: u32,
    foot_lock: bool,
    #[serde(skip_serializing)]
    trim: Vec<Option<Trim>>,
    #[serde(skip_serializing)]
    fps: Option<f64>,
    #[serde(skip_serializing)]
    name: Option<String>,
}

impl Default for StitchWords {
    fn default() -> Self {
        let StitchOptions { join, blend_frames, lscore, foot_lock, .. } = StitchOptions::default();
        let scoring = ScoreWords::of(&lscore);
        Self {
            method: join.name().to_owned(),
            blend: blend_frames as u32,
            seam: SeamWord::Keep,
            gap: None,
            max_cut: CutOptions::default().max_cut,
            window: scoring.window,
            min_inject: scoring.min_inject,
            max_inject: scoring.max_inject,
            foot_lock,
            trim: Vec::new(),
            fps: None,
            name: None,
        }
    }
}

impl StitchWords {
    /// The crate's options.
    ///
    /// # Errors
    /// [`crate::Error::Option`] for a method that is no join.
    pub(super) fn options(self) -> Result<StitchOptions> {
        let Self { method, blend, seam, gap, max_cut, window, min_inject, max_inject, foot_lock, trim, fps, name } =
            self;
        Ok(StitchOptions {
            join: Join::from_name(&method)?,
            blend_frames: blend as usize,
            seam: match seam {
                SeamWord::Keep => SeamChoice::Keep,
                SeamWord::Best => SeamChoice::Best { max_cut },
                SeamWord::Phase => SeamChoice::Phase { max_cut },
            },
            insert: gap.map_or(Ok(Insert::None), GapWord::insert)?,
            lscore: ScoreWords { window, min_inject, max_inject }.options(),
            foot_lock,
            trim: trim.into_iter().map(|trim| trim.map(|Trim { from, to }| from as usize..to as usize)).collect(),
            fps,
            name,
        })
    }
}

/// How cuts are scored.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ScoreWords {
    window: u32,
    min_inject: u32,
    max_inject: u32,
}

impl Default for ScoreWords {
    fn default() -> Self {
        Self::of(&LscoreOptions::default())
    }
}

impl ScoreWords {
    fn of(options: &LscoreOptions) -> Self {
        let &LscoreOptions { window, min_inject, max_inject, .. } = options;
        Self { window: window as u32, min_inject: min_inject as u32, max_inject: max_inject as u32 }
    }

    pub(super) fn options(self) -> LscoreOptions {
        LscoreOptions {
            window: self.window as usize,
            min_inject: self.min_inject as usize,
            max_inject: self.max_inject as usize,
            ..Default::default()
        }
    }
}

/// Which cuts of a map are looked at, and how many are listed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct CutWords {
    pub count: u32,
    pub apart: u32,
    pub max_cut: f64,
}

impl Default for CutWords {
    fn default() -> Self {
        let CutOptions { count, apart, max_cut } = CutOptions::default();
        Self { count: count as u32, apart: apart as u32, max_cut }
    }
}

#[derive(Serialize)]
struct Defaults {
    stitch: StitchWords,
    score: ScoreWords,
    cuts: CutWords,
    inbetween: InbetweenWords,
}

/// The defaults of every option that has one, by function.
///
/// # Errors
/// None that is known.
#[wasm_bindgen]
pub fn defaults() -> std::result::Result<JsValue, JsValue> {
    to_js(&Defaults {
        stitch: Default::default(),
        score: Default::default(),
        cuts: Default::default(),
        inbetween: Default::default(),
    })
}
