//! `bench joins`: fixed join options compared with the automatic choice per seam, on held-out recordings.
//!
//! One judge makes the automatic choice (`--judge`). Another judge, trained on other recordings, scores the results
//! (`--score-with`), so that no judge scores its own choice. AUC: fraction of the pairs of a seam and a recorded
//! excerpt in which the seam scores worse; 0.5 if the judge cannot tell them apart.

mod faults;
mod loops;

use crate::report::{Report, number};
use crate::stitch::{SETS, Test, find_test, pieces, split};
use crate::{Outcome, files};
use clap::Args;
use kinestitch::body::Poses;
use kinestitch::body::to_canonical;
use kinestitch::contract::DEFAULT_FILLER;
use kinestitch::judge::Judge;
use kinestitch::method::FILLERS;
use kinestitch::method::registry::{self, Fillers};
use kinestitch::method::rmr::PackedRmr;
use kinestitch::metrics::shown_jerk;
use kinestitch::motion::bvh;
use kinestitch::motion::contact::detect_contacts;
use kinestitch::stitch::{Measures, Networks as StitchNetworks, Scoring, Trial, stitch_with_networks};
use kinestitch::{Clip, Cut, Input, Join, Progress, StitchOptions, Stitched, Transition};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;
use training::data::{Sets, Split};

const SEED: u64 = 11;
/// Number of frames on each side of a seam that are scored.
const SEAM_MARGIN: usize = 30;

/// Fixed join options compared with the automatic choice per seam
#[derive(Args)]
pub struct Options {
    /// Folder of recordings
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Folder of weight files
    #[arg(long, value_name = "DIR", default_value = "models")]
    models: PathBuf,
    /// Set of weights
    #[arg(long, value_name = "open|research", default_value = "open")]
    set: String,
    /// Judge for the automatic choice
    #[arg(long, value_name = "FILE")]
    judge: PathBuf,
    /// Judge for the scores, trained on other recordings
    #[arg(long, value_name = "FILE")]
    score_with: PathBuf,
    /// Data sets to test
    #[arg(long, value_name = "SET", value_delimiter = ',', default_value = "lafan1,bandai,cmu,cmu-asf,accad")]
    test: Vec<String>,
    /// Split to test
    #[arg(long, value_name = "SPLIT", default_value = "test", value_parser = split)]
    split: Split,
    /// Seams per data set
    #[arg(long, value_name = "N", default_value_t = 24)]
    seams: usize,
    /// Subjects of the recordings; all by default
    #[arg(long, value_name = "SUBJECT", value_delimiter = ',')]
    subjects: Vec<String>,
    /// Folder of packs instead of recordings: all ordered pairs of the loops (BVH) in each of its folders
    #[arg(long, value_name = "DIR")]
    loops: Option<PathBuf>,
    /// Joins to test, by their names in the table; all by default
    #[arg(long, value_name = "NAME", value_delimiter = ';')]
    only: Vec<String>,
    /// Folder for the joined motions (BVH)
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
}

/// Returns the names of the gap fillers that are networks.
fn network_fillers() -> impl Iterator<Item = &'static str> {
    FILLERS.iter().filter(|entry| entry.needs_weights()).map(|entry| entry.name)
}

/// Networks that the join options use.
pub(super) struct Networks {
    pub fillers: Fillers,
    refiner: PackedRmr,
}

impl Networks {
    /// Returns the networks for `stitch_with_networks`. `judge`: compares joins.
    pub(super) fn for_stitch<'a>(&'a self, judge: Option<&'a Judge>) -> StitchNetworks<'a> {
        StitchNetworks { fillers: &self.fillers, refiner: Some(&self.refiner), scoring: Scoring { judge } }
    }

    pub fn read(folder: &Path, set: &str) -> Outcome<Self> {
        let bytes = |name: &str| files::read(&folder.join(format!("{name}-{set}.safetensors")));
        let mut fillers = Fillers::default();
        for name in network_fillers() {
            fillers.add(registry::read(&bytes(name)?)?);
        }
        Ok(Self { fillers, refiner: PackedRmr::from_bytes(&bytes("rmr")?)? })
    }
}

/// Sums over the seams of one entry of the table: fixed join options, or auto.
#[derive(Default)]
struct Sums {
    /// Naturalness of each seam.
    scores: Vec<f32>,
    slide: f64,
    jerk: f64,
    milliseconds: f64,
    measures: Vec<Measures>,
}

/// A row of the table.
struct Row {
    name: String,
    /// Mean naturalness score around the seam, worst fifth of the frames; lower is more natural.
    naturalness: f64,
    /// Fraction of the pairs of a seam and a recorded excerpt in which the seam scores worse.
    auc: f64,
    /// Foot slide around the seam, metres per frame.
    slide: f64,
    /// Peak jerk around the seam, relative to that of the clips.
    jerk: f64,
    /// Time per seam, milliseconds.
    milliseconds: f64,
}

pub fn run(options: Options, report: &mut Report) -> Outcome {
    let read = |path: &Path| -> Outcome<Judge> { Ok(Judge::read(&files::read(path)?)?) };
    let bench = Bench {
        chooser: read(&options.judge)?,
        scorer: read(&options.score_with)?,
        networks: Networks::read(&options.models, &options.set)?,
        only: options.only.clone(),
        write: options.write.clone(),
    };
    let mut results = Results::default();
    match &options.loops {
        Some(folder) => loops::join_all(folder, &bench, &mut results)?,
        None => join_recordings(&options, &bench, &mut results, report)?,
    }
    results.print(report);
    Ok(())
}

/// Joins random pieces of held-out recordings.
fn join_recordings(options: &Options, bench: &Bench, results: &mut Results, report: &mut Report) -> Outcome {
    let sets = Sets::read(Path::new(SETS))?;
    for test in options.test.iter().map(|name| find_test(name)).collect::<Result<Vec<&Test>, _>>()? {
        let mut sources = pieces::sources(&options.data, test, &sets, options.split);
        let is_tested = |name: &str| {
            let ends_with = |subject: &String| name.ends_with(&format!("subject{subject}"));
            options.subjects.is_empty() || options.subjects.iter().any(ends_with)
        };
        sources.retain(|source| is_tested(&source.name));
        if sources.len() < 2 {
            report.note(format!("{}: fewer than two recordings", test.about));
            continue;
        }
        let mut rng = StdRng::seed_from_u64(SEED);
        for _ in 0..options.seams {
            let Some([a, b]) = pieces::draw(&sources, &mut rng) else { continue };
            bench.join([Input { clip: &a.1, rig: &a.0.rig }, Input { clip: &b.1, rig: &b.0.rig }], results)?;
        }
    }
    Ok(())
}

/// Networks and judges of the bench.
struct Bench {
    chooser: Judge,
    scorer: Judge,
    networks: Networks,
    only: Vec<String>,
    write: Option<PathBuf>,
}

impl Bench {
    fn is_tested(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }

    /// Joins two clips by all join options, and by auto.
    fn join(&self, inputs: [Input; 2], results: &mut Results) -> Outcome {
        for input in &inputs {
            results.recorded.push(naturalness(&self.scorer, input.clip, input, input.clip.frames() / 2)?);
        }
        for (name, join) in fixed_options().into_iter().filter(|(name, _)| self.is_tested(name)) {
            let started = Instant::now();
            let stitched =
                stitch_with_networks(&inputs, &join.into(), &self.networks.for_stitch(None), &mut Progress::silent())?;
            self.add(results, &name, &inputs, (&stitched, started))?;
        }
        if !self.is_tested("auto") {
            return Ok(());
        }
        let (stitched, started) = auto(&inputs, &self.networks, &self.chooser)?;
        // If every trial failed, the clips were joined without a choice.
        let best = stitched.seam_reports[0].trials.first();
        let name = best.map_or_else(|| "none: all trials failed".to_owned(), trial_name);
        *results.chosen.entry(name).or_default() += 1;
        self.add(results, "auto", &inputs, (&stitched, started))
    }

    /// Adds the scores of a stitch. `started`: when its computation began.
    fn add(
        &self,
        results: &mut Results,
        name: &str,
        inputs: &[Input; 2],
        (stitched, started): (&Stitched, Instant),
    ) -> Outcome {
        let sums = results.sums.entry(name.to_owned()).or_default();
        sums.milliseconds += started.elapsed().as_secs_f64() * 1e3;
        let seam = &stitched.seam_reports[0];
        let middle = (seam.edited_range.start + seam.edited_range.end) / 2;
        sums.scores.push(naturalness(&self.scorer, &stitched.clip, &inputs[0], middle)?);
        sums.slide += f64::from(seam.foot_skate);
        let recorded_peak = inputs.iter().flat_map(|input| shown_jerk(input.clip, input.rig)).fold(1.0, f32::max);
        sums.jerk += f64::from(seam.peak_jerk / recorded_peak);
        if let Some(folder) = &self.write {
            std::fs::create_dir_all(folder)?;
            let file = format!("{:03}-{}.bvh", sums.scores.len() - 1, name.replace(", ", "-").replace(' ', "_"));
            std::fs::write(folder.join(&file), bvh::write(&stitched.clip)?)?;
            let faults: Vec<String> = seam
                .measures
                .faults()
                .iter()
                .map(|fault| format!("{} {:.2}", fault.kind.name(), fault.value))
                .collect();
            let [a, b] = inputs.each_ref().map(|input| &input.clip.name);
            println!("{file}: {a} > {b}, frames {:?}, {}", seam.measures.frames, faults.join(", "));
        }
        sums.measures.push(seam.measures.clone());
        Ok(())
    }
}

/// Results of all joins.
#[derive(Default)]
struct Results {
    sums: BTreeMap<String, Sums>,
    /// Naturalness of excerpts of the clips.
    recorded: Vec<f32>,
    /// Number of seams by the join that auto chose.
    chosen: BTreeMap<String, usize>,
}

impl Results {
    fn print(self, report: &mut Report) {
        let Self { sums, recorded, chosen } = self;
        let seams = recorded.len() / 2;
        faults::print(&sums, seams, report);
        let mut rows: Vec<Row> = sums.into_iter().map(|(name, sums)| row(name, &sums, &recorded)).collect();
        rows.sort_by(|a, b| a.naturalness.total_cmp(&b.naturalness));
        let columns = ["join", "naturalness, worst fifth", "AUC", "slide, mm a frame", "jerk / clips", "ms a seam"];
        report.table(format!("{seams} seams by join options, the most natural first"), columns);
        for Row { name, naturalness, auc, slide, jerk, milliseconds } in rows {
            let [naturalness, auc, slide, jerk] = [naturalness, auc, slide * 1e3, jerk].map(|value| number(value, 2));
            report.row([name, naturalness, auc, slide, jerk, number(milliseconds, 0)]);
        }
        let mut chosen: Vec<(String, usize)> = chosen.into_iter().collect();
        chosen.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        report.table("Chosen by auto", ["join", "seams"]);
        chosen.into_iter().for_each(|(name, count)| report.row([name, count.to_string()]));
    }
}

/// Returns a plain inertialization of half a second.
pub(super) fn inertialized(cut: Cut) -> Join {
    Join { cut, transition: Transition::inertialize(0.5), refine: false }
}

/// Returns the join options that are tested, with their names in the table.
fn fixed_options() -> Vec<(String, Join)> {
    let cuts = [("keep", Cut::Keep), ("best", Cut::Best { max_cut: 0.5 }), ("phase", Cut::Phase { max_cut: 0.5 })];
    let mut options = Vec::new();
    for (rule, cut) in cuts {
        let plain = inertialized(cut);
        for secs in [0.5, 1.0] {
            let blend = |transition| Join { transition, ..plain.clone() };
            options.push((format!("{rule}, inertialize {secs} s"), blend(Transition::inertialize(secs))));
            options.push((format!("{rule}, crossfade {secs} s"), blend(Transition::crossfade(secs))));
        }
        options.push((format!("{rule}, rmr"), Join { refine: true, ..plain.clone() }));
        for filler in std::iter::once(DEFAULT_FILLER).chain(network_fillers()) {
            for frames in [15, 30] {
                options.push((
                    format!("{rule}, {frames} frames, {filler}"),
                    Join { transition: Transition::insert(frames, filler), ..plain.clone() },
                ));
            }
        }
    }
    options
}

/// Joins two clips by the automatic choice. Also returns the start time.
pub(super) fn auto(inputs: &[Input; 2], networks: &Networks, judge: &Judge) -> Outcome<(Stitched, Instant)> {
    let (networks, started) = (networks.for_stitch(Some(judge)), Instant::now());
    let stitched = stitch_with_networks(inputs, &StitchOptions::default(), &networks, &mut Progress::silent())?;
    Ok((stitched, started))
}

/// Returns the naturalness of [`SEAM_MARGIN`] frames on each side of a frame: mean score of the worst fifth. The rig is
/// that of `input`.
fn naturalness(judge: &Judge, clip: &Clip, input: &Input, middle: usize) -> Outcome<f32> {
    let excerpt = clip.trimmed(middle.saturating_sub(SEAM_MARGIN)..(middle + SEAM_MARGIN).min(clip.frames()))?;
    let body_clip = to_canonical(&excerpt, input.rig)?;
    let ground = detect_contacts(&excerpt, input.rig).world_ground[1] * body_clip.scale;
    let scores = judge.scores(&Poses::from_clip(&body_clip.clip, 0..excerpt.frames()), ground);
    Ok(Judge::worst_fifth(&scores, 0..scores.len()))
}

/// Returns the name of the join options that auto chose.
fn trial_name(trial: &Trial) -> String {
    let Join { cut, transition, refine } = &trial.made;
    let rule = match cut {
        Cut::Keep => "keep",
        Cut::Best { .. } => "best",
        Cut::Phase { .. } => "phase",
        Cut::At { .. } => "at",
    };
    let join_name = match transition {
        Transition::Insert { filler, .. } => format!("{} frames, {}", trial.inserted, filler.name),
        _ if *refine => "rmr".to_owned(),
        Transition::Blend { seconds, .. } => format!("{} {seconds:.1} s", transition.name()),
        Transition::Lscore { .. } => transition.name().to_owned(),
    };
    format!("{rule}, {join_name}")
}

fn row(name: String, sums: &Sums, recorded: &[f32]) -> Row {
    let seams = sums.scores.len();
    let mean = |sum: f64| sum / seams.max(1) as f64;
    let pairs = sums.scores.iter().flat_map(|seam| recorded.iter().map(move |recording| (seam, recording)));
    // A tie counts half.
    let worse = pairs
        .map(|(seam, recording)| if seam > recording { 1.0 } else { f64::from(u8::from(seam == recording)) / 2.0 });
    Row {
        name,
        naturalness: mean(sums.scores.iter().map(|score| f64::from(*score)).sum()),
        auc: worse.sum::<f64>() / (seams * recorded.len()).max(1) as f64,
        slide: mean(sums.slide),
        jerk: mean(sums.jerk),
        milliseconds: mean(sums.milliseconds),
    }
}
