//! `bench clean`: recordings damaged on purpose, cleaned, beside filters that others use.

mod damage;
mod filters;
mod measure;

use crate::report::{Report, number};
use crate::{Outcome, files};
use clap::Args;
use damage::Damage;
use filters::Filter;
use kinestitch::edit::{CleanOptions, EditKind, clean};
use kinestitch::method::filler::Filler;
use kinestitch::method::registry;
use kinestitch::motion::resample::resample;
use kinestitch::motion::rig;
use kinestitch::{Clip, Progress};
use measure::{Sums, Truth};
use std::path::PathBuf;
use std::time::Instant;

/// Recordings damaged on purpose, cleaned, beside filters
#[derive(Args)]
pub struct Options {
    /// Folders or files of recordings
    #[arg(long, value_name = "PATH", value_delimiter = ',')]
    data: Vec<PathBuf>,
    /// Parts of the names of the files to use
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "")]
    only: Vec<String>,
    /// Longest part of a recording that is used, frames at 30 frames per second
    #[arg(long, value_name = "FRAMES", default_value_t = 1800)]
    frames: usize,
    /// First words of the kinds of damage to test
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_value = "")]
    damage: Vec<String>,
    /// Leave out the filters
    #[arg(long)]
    alone: bool,
    /// Weight file of the network that fills dropouts
    #[arg(long, value_name = "FILE", default_value = "models/delta-open.safetensors")]
    weights: PathBuf,
    /// Print the edits of each recording
    #[arg(long)]
    edits: bool,
}

const FILTERS: [Filter; 6] = [
    Filter::Butterworth(6.0),
    Filter::Butterworth(3.0),
    Filter::Butterworth(4.0),
    Filter::OneEuro(1.0, 1.0),
    Filter::SavitzkyGolay(3),
    Filter::SavitzkyGolay(5),
];

fn read(options: &Options) -> Outcome<Vec<Truth>> {
    let mut truths = Vec::new();
    for data in &options.data {
        let paths = if data.is_dir() { files::bvh_files(data)? } else { vec![data.clone()] };
        for path in paths {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if !options.only.iter().any(|part| name.contains(part.as_str())) {
                continue;
            }
            let clip = resample(&files::read_clip(&path)?, 30.0)?;
            let clip = clip.trimmed(1..clip.frames().min(options.frames + 1))?;
            let rig = rig::infer(&clip);
            truths.push(Truth::new(clip, rig));
        }
    }
    Ok(truths)
}

/// A recording, damaged, and the frames of its spikes.
type Damaged = (Clip, Vec<usize>);

/// Measures of the damaged clips, of the filtered ones and of the cleaned ones, in this order.
struct Row {
    damage: Damage,
    methods: Vec<Sums>,
}

pub fn run(options: Options, report: &mut Report) -> Outcome {
    let truths = read(&options)?;
    let filler = registry::read(&files::read(&options.weights)?).map_err(files::at(&options.weights))?;
    let frames: usize = truths.iter().map(|truth| truth.clip.frames()).sum();
    report.note(format!("{} recordings, {frames} frames at 30 frames per second", truths.len()));
    let is_tested = |damage: &Damage| options.damage.iter().any(|word| damage.name().starts_with(word.as_str()));
    let mut rows = Vec::new();
    for damage in damage::ALL.into_iter().filter(is_tested) {
        rows.push(measure(&truths, damage, &options, filler.as_ref(), report)?);
    }
    let filters = FILTERS.iter().map(|filter| filter.name()).filter(|_| !options.alone);
    let names: Vec<String> =
        ["damage".to_owned(), "damaged".to_owned()].into_iter().chain(filters).chain(["clean".to_owned()]).collect();
    for (caption, value, digits) in MEASURES {
        report.table(caption, &names);
        for row in &rows {
            let values = row.methods.iter().map(|sums| number(value(sums), digits));
            report.row([row.damage.name()].into_iter().chain(values));
        }
    }
    Ok(())
}

/// Caption, measure and its digits.
type Measure = (&'static str, fn(&Sums) -> f64, usize);

const MEASURES: [Measure; 4] = [
    ("Mean error of joint positions, cm", Sums::mean_cm, 2),
    ("Error within which 99 % of the joints are, cm", Sums::most_cm, 1),
    ("Peak speeds of hands and feet that are kept", Sums::kept, 3),
    ("Foot slide relative to the recordings", Sums::slide, 2),
];

fn measure(
    truths: &[Truth],
    damage: Damage,
    options: &Options,
    filler: &dyn Filler,
    report: &mut Report,
) -> Outcome<Row> {
    let damaged: Vec<Damaged> =
        truths.iter().enumerate().map(|(seed, truth)| damage.apply(&truth.clip, &truth.rig, seed as u64)).collect();
    let sum = |make: &dyn Fn(&Clip) -> Outcome<Clip>| -> Outcome<Sums> {
        let mut sums = Sums::default();
        for (truth, (clip, _)) in truths.iter().zip(&damaged) {
            truth.compare(&make(clip)?, &mut sums);
        }
        Ok(sums)
    };
    let mut methods = vec![sum(&|clip| Ok(clip.clone()))?];
    for filter in FILTERS.iter().filter(|_| !options.alone) {
        methods.push(sum(&|clip| Ok(filter.apply(clip)))?);
    }
    let start = Instant::now();
    methods.push(sum(&|clip| {
        let cleaned = clean(clip, &rig::infer(clip), &CleanOptions::default(), filler, &mut Progress::silent())?;
        for edit in cleaned.edits.iter().filter(|_| options.edits) {
            eprintln!(
                "{} {:?} {}: {:.2} → {:.2} {}",
                clip.name, edit.frames, edit.text, edit.before, edit.after, edit.unit
            );
        }
        Ok(cleaned.clip)
    })?);
    eprintln!("{}: cleaned in {:.1} s", damage.name(), start.elapsed().as_secs_f64());
    match damage {
        Damage::None => second_run(truths, filler, report)?,
        Damage::Spikes => detected_spikes(&damaged, filler, report)?,
        _ => {}
    }
    Ok(Row { damage, methods })
}

/// Notes how far a second run moves the joints of cleaned recordings.
fn second_run(truths: &[Truth], filler: &dyn Filler, report: &mut Report) -> Outcome {
    let mut sums = Sums::default();
    for truth in truths {
        let run = |clip: &Clip| clean(clip, &truth.rig, &CleanOptions::default(), filler, &mut Progress::silent());
        let once = Truth::new(run(&truth.clip)?.clip, truth.rig.clone());
        once.compare(&run(&once.clip)?.clip, &mut sums);
    }
    report.note(format!("A second run moves the joints by {:.2} mm on average", 10.0 * sums.mean_cm()));
    Ok(())
}

/// Notes precision and recall of the frames with spikes.
fn detected_spikes(damaged: &[Damaged], filler: &dyn Filler, report: &mut Report) -> Outcome {
    let (mut found, mut hits, mut made) = (0.0, 0.0, 0.0);
    for (clip, spikes) in damaged {
        let cleaned = clean(clip, &rig::infer(clip), &CleanOptions::default(), filler, &mut Progress::silent())?;
        let edits = cleaned.edits.iter().filter(|edit| edit.kind == EditKind::Spike);
        let frames: Vec<usize> = edits.flat_map(|edit| edit.frames.clone()).collect();
        found += frames.len() as f64;
        hits += frames.iter().filter(|frame| spikes.contains(frame)).count() as f64;
        made += spikes.len() as f64;
    }
    report.note(format!("Spikes: precision {}, recall {}", number(hits / found, 3), number(hits / made, 3)));
    Ok(())
}
