//! Options of the package's functions: their JavaScript names, with the defaults of the crate.
//!
//! Omitted options have the defaults of the crate's own options structs; `defaults` returns them to the command line's
//! help and the page.

use kinestitch::error::{Error, Result, quoted};
use kinestitch::method::Join;
use kinestitch::method::lscore::LscoreOptions;
use kinestitch::method::lscore::seam::{CutOptions, MAX_CUT_SECS};
use kinestitch::method::registry;
use kinestitch::motion::floor::Ground;
use kinestitch::motion::gait::Heading;
use kinestitch::stitch::cycle::LoopOptions;
use kinestitch::stitch::cycle::Pick;
use kinestitch::stitch::{BLEND_SECS, Insert, JoinOptions, SeamChoice, StitchOptions, Trial};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Frames `from` (inclusive) to `to` (exclusive), in options and reports.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FrameRange {
    pub from: u32,
    pub to: u32,
}

impl From<&Range<usize>> for FrameRange {
    fn from(frames: &Range<usize>) -> Self {
        Self { from: frames.start as u32, to: frames.end as u32 }
    }
}

/// The method that tries several joins at each seam and keeps the most natural.
pub(super) const AUTO: &str = "auto";
/// The method that joins by inertialization and refines the result with RMR.
pub(super) const REFINED: &str = "rmr";

/// Rule for the cut, without its parameters: see [`SeamChoice`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SeamRule {
    Keep,
    Best,
    Phase,
}

/// Number of frames between two clips, or "auto".
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum GapLength {
    Frames(u32),
    Word(String),
}

impl GapLength {
    fn insert(self) -> Result<Insert> {
        match self {
            GapLength::Frames(frames) => Ok(Insert::Frames(frames as usize)),
            GapLength::Word(word) if word == "auto" => Ok(Insert::Auto),
            GapLength::Word(word) => {
                let message = format!("{} is neither a number of frames nor \"auto\"", quoted(&word));
                Err(Error::Option { option: "gap", message })
            }
        }
    }
}

/// Options of one join, with the names of `stitch`'s own options.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct JoinFields {
    method: String,
    blend: f64,
    seam: SeamRule,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<GapLength>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap_method: Option<String>,
}

impl Default for JoinFields {
    fn default() -> Self {
        let StitchOptions { join, blend_secs, .. } = StitchOptions::default();
        Self { method: join.name().to_owned(), blend: blend_secs, seam: SeamRule::Keep, gap: None, gap_method: None }
    }
}

impl JoinFields {
    /// Converts to the crate's options; a cut removes at most `max_cut_secs` of each clip. `more_methods`: names of
    /// methods that are not a [`Join`], for the error of an unknown method.
    fn options(self, max_cut_secs: f64, more_methods: &[&str]) -> Result<JoinOptions> {
        let Self { method, blend, seam, gap, gap_method } = self;
        let refine = method == REFINED;
        let find_filler = |name: String| {
            let found = registry::names().find(|known| *known == name);
            found.ok_or_else(|| {
                let names = registry::names().collect::<Vec<_>>().join(", ");
                let message = format!("{} is not one of {names}", quoted(&name));
                Error::Option { option: "gapMethod", message }
            })
        };
        Ok(JoinOptions {
            cut: match seam {
                SeamRule::Keep => SeamChoice::Keep,
                SeamRule::Best => SeamChoice::Best { max_cut_secs },
                SeamRule::Phase => SeamChoice::Phase { max_cut_secs },
            },
            join: if refine { Join::Inertialize } else { find_join(&method, more_methods)? },
            // The refiner was trained on blends of this length.
            blend_secs: if refine { BLEND_SECS } else { blend },
            insert: gap.map_or(Ok(Insert::None), GapLength::insert)?,
            filler: gap_method.map_or(Ok(JoinOptions::FILLER), find_filler)?,
            refine,
        })
    }

    /// Returns the options of a trial, with the cut rule and the number of inserted frames that were used.
    pub(super) fn of(trial: &Trial) -> Self {
        let JoinOptions { join, blend_secs, filler, refine, .. } = trial.options;
        let inserts = trial.inserted > 0 && trial.options.insert != Insert::None;
        Self {
            method: if refine { REFINED } else { join.name() }.to_owned(),
            blend: blend_secs,
            seam: match trial.rule {
                "best" => SeamRule::Best,
                "phase" => SeamRule::Phase,
                _ => SeamRule::Keep,
            },
            gap: inserts.then_some(GapLength::Frames(trial.inserted as u32)),
            gap_method: inserts.then(|| filler.to_owned()),
        }
    }
}

/// Returns the join with this name; the error of an unknown name lists the joins and `more_methods`.
fn find_join(name: &str, more_methods: &[&str]) -> Result<Join> {
    Join::from_name(name).map_err(|_| {
        let names = [&Join::ALL.map(Join::name), more_methods].concat().join(", ");
        Error::Option { option: "method", message: format!("{} is not one of {names}", quoted(name)) }
    })
}

/// Options of `stitch`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct StitchFields {
    method: String,
    blend: f64,
    seam: SeamRule,
    #[serde(skip_serializing)]
    gap: Option<GapLength>,
    #[serde(skip_serializing)]
    gap_method: Option<String>,
    keep: bool,
    #[serde(skip_serializing)]
    seams: Vec<Option<JoinFields>>,
    max_cut: f64,
    window: u32,
    min_inject: u32,
    max_inject: u32,
    foot_lock: bool,
    ground: Ground,
    heading: Heading,
    #[serde(skip_serializing)]
    trim: Vec<Option<FrameRange>>,
    #[serde(skip_serializing)]
    fps: Option<f64>,
    #[serde(skip_serializing)]
    name: Option<String>,
}

impl Default for StitchFields {
    fn default() -> Self {
        let StitchOptions { blend_secs, lscore, foot_lock, ground, heading, .. } = StitchOptions::default();
        let scoring = ScoreFields::of(&lscore);
        Self {
            method: AUTO.to_owned(),
            blend: blend_secs,
            seam: SeamRule::Keep,
            gap: None,
            gap_method: None,
            keep: false,
            seams: Vec::new(),
            max_cut: MAX_CUT_SECS,
            window: scoring.window,
            min_inject: scoring.min_inject,
            max_inject: scoring.max_inject,
            foot_lock,
            ground,
            heading,
            trim: Vec::new(),
            fps: None,
            name: None,
        }
    }
}

/// A request to `stitch`.
pub(super) struct StitchRequest {
    /// Options of the crate; if `is_auto`, a seam without a join of its own is left to [`kinestitch::stitch::Auto`].
    pub options: StitchOptions,
    /// Whether the method is "rmr" for all seams, none of which has options of its own.
    pub refines_all: bool,
    /// Whether the best joins are searched.
    pub is_auto: bool,
    /// Largest part of each clip that may be cut away at a seam, seconds.
    pub max_cut_secs: f64,
    /// Whether `auto` keeps every frame of every clip.
    pub keep: bool,
}

impl StitchFields {
    /// Converts to a request with the crate's options.
    ///
    /// # Errors
    /// [`kinestitch::Error::Option`] for unknown names.
    pub(super) fn request(self) -> Result<StitchRequest> {
        let is_auto = self.method == AUTO;
        let refines_all = self.method == REFINED && self.seams.is_empty();
        let max_cut_secs = self.max_cut;
        let method = if is_auto { JoinFields::default().method } else { self.method };
        let general =
            JoinFields { method, blend: self.blend, seam: self.seam, gap: self.gap, gap_method: self.gap_method };
        let general = general.options(max_cut_secs, &[AUTO, REFINED])?;
        let join_options =
            |fields: Option<JoinFields>| fields.map(|fields| fields.options(max_cut_secs, &[REFINED])).transpose();
        let scoring = ScoreFields { window: self.window, min_inject: self.min_inject, max_inject: self.max_inject };
        let options = StitchOptions {
            join: general.join,
            blend_secs: general.blend_secs,
            seam: general.cut,
            insert: general.insert,
            filler: general.filler,
            refine: general.refine,
            seams: self.seams.into_iter().map(join_options).collect::<Result<_>>()?,
            lscore: scoring.options(),
            foot_lock: self.foot_lock,
            ground: self.ground,
            heading: self.heading,
            trim: self
                .trim
                .into_iter()
                .map(|trim| trim.map(|FrameRange { from, to }| from as usize..to as usize))
                .collect(),
            fps: self.fps,
            name: self.name,
        };
        Ok(StitchRequest { options, refines_all, is_auto, max_cut_secs, keep: self.keep })
    }
}

/// Parameters of the L-score.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct ScoreFields {
    window: u32,
    min_inject: u32,
    max_inject: u32,
}

impl Default for ScoreFields {
    fn default() -> Self {
        Self::of(&LscoreOptions::default())
    }
}

impl ScoreFields {
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

/// Options of `loop` that are not those of `stitch`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct LoopFields {
    cycle: CycleField,
    min_seconds: f64,
    #[serde(skip_serializing)]
    max_seconds: Option<f64>,
    #[serde(skip_serializing)]
    max_turn: Option<f64>,
    in_place: bool,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CycleField {
    Shortest,
    Longest,
}

impl Default for LoopFields {
    fn default() -> Self {
        let LoopOptions { min_secs, max_secs, max_turn, in_place, .. } = LoopOptions::default();
        Self { cycle: CycleField::Shortest, min_seconds: min_secs, max_seconds: max_secs, max_turn, in_place }
    }
}

impl LoopFields {
    pub(super) fn options(self) -> LoopOptions {
        let pick = match self.cycle {
            CycleField::Shortest => Pick::Shortest,
            CycleField::Longest => Pick::Longest,
        };
        let Self { min_seconds: min_secs, max_seconds: max_secs, max_turn, in_place, .. } = self;
        LoopOptions { pick, min_secs, max_secs, in_place, max_turn }
    }
}

/// Options of the selection of cuts from a seam map: see [`CutOptions`].
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct CutFields {
    pub count: u32,
    pub apart: u32,
    pub max_cut: f64,
}

impl Default for CutFields {
    fn default() -> Self {
        let CutOptions { count, min_distance, max_cut_secs } = CutOptions::default();
        Self { count: count as u32, apart: min_distance as u32, max_cut: max_cut_secs }
    }
}
