//! Writes batches of delta windows as files for an experiment: stream PACK RECIPE WEIGHTS DIR THREADS AHEAD [validation]
use kinestitch::body::interpolate::typical_correction;
use kinestitch::body::rotation6d::encode_rotations;
use kinestitch::feature::delta::INPUT;
use kinestitch::nn::weights::Weights;
use rand::{Rng, SeedableRng, rngs::StdRng};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use training::data::pack;
use training::delta::{Recipe, check, sample};
use training::delta::sample::{Sample, Window, sample as make};
use training::takes::{Source, split_takes, takes_with_weights, add_speeds};

struct Out { rows: Vec<i16>, meta: Vec<i32>, pose: Vec<i16>, hips: Vec<f32>, window: Vec<f32> }

fn put(out: &mut Out, s: &Sample, tokens: usize, frames: usize, mean: &[f32], deviation: &[f32]) {
    let count = s.input.rows.len() / INPUT;
    let gap = s.truth.len();
    assert!(count <= tokens && gap <= frames);
    for (i, x) in s.input.rows.iter().enumerate() {
        let c = i % INPUT;
        let v = ((x - mean[c]) / deviation[c]).clamp(-8.0, 8.0);
        out.rows.push((v * (32767.0 / 8.0)).round() as i16);
    }
    out.rows.resize(out.rows.len() + (tokens - count) * INPUT, 0);
    out.meta.extend([count as i32, s.input.past as i32, gap as i32]);
    for poses in [&s.input.base, &s.truth] {
        for frame in 0..gap {
            out.pose.extend(encode_rotations(poses.pose(frame)).iter().map(|x| (x.clamp(-1.0, 1.0) * 32767.0).round() as i16));
        }
        out.pose.resize(out.pose.len() + (frames - gap) * 132, 0);
    }
    for frame in 0..frames {
        let f = frame.min(gap - 1);
        out.hips.extend(s.input.base.hips[f].to_array());
        out.hips.extend(s.truth.hips[f].to_array());
        out.hips.extend(&s.contacts[f * 4..f * 4 + 4]);
        out.hips.extend(typical_correction(f + 1, gap));
    }
    out.window.extend(s.offsets.iter().flat_map(|v| v.to_array()));
    out.window.extend(s.ends.iter().flatten().flat_map(|v| v.to_array()));
}

fn save(path: &Path, groups: &[Out]) {
    let mut bytes: Vec<u8> = Vec::new();
    for g in groups {
        bytes.extend(g.meta.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(g.window.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(g.hips.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(g.pose.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend(g.rows.iter().flat_map(|x| x.to_le_bytes()));
    }
    let temporary = path.with_extension("tmp");
    std::fs::write(&temporary, bytes).unwrap();
    std::fs::rename(temporary, path).unwrap();
}

fn new() -> Out { Out { rows: vec![], meta: vec![], pose: vec![], hips: vec![], window: vec![] } }

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let recipe: Recipe = serde_json::from_slice(&std::fs::read(&a[2]).unwrap()).unwrap();
    let bytes = std::fs::read(&a[3]).unwrap();
    let weights = Weights::read(&bytes).unwrap();
    let (mean, deviation) = (weights.tensor("mean", &[INPUT]).unwrap(), weights.tensor("deviation", &[INPUT]).unwrap());
    let dir = PathBuf::from(&a[4]);
    let (threads, ahead): (usize, usize) = (a[5].parse().unwrap(), a[6].parse().unwrap());
    let mut recordings = pack::load(Path::new(&a[1])).unwrap();
    recordings.retain(|r| recipe.sets.contains_key(&r.set) || recipe.validation.contains(&r.set));
    let (takes, held_out) = split_takes(&recordings, &recipe.sets, &recipe.validation);
    let source = Source::new(takes_with_weights(add_speeds(takes, &recipe.speeds).unwrap(), &recipe.sets).unwrap());
    if a.len() > 7 {
        let validation = check::samples(&held_out, 90);
        let names: Vec<_> = recipe.sets.iter().filter(|(_, w)| **w > 0.0).map(|(n, _)| n).collect();
        let sets = source.sets().iter().zip(names).filter(|(_, name)| recipe.validation.contains(name));
        let training = check::samples(sets.flat_map(|(takes, _)| takes), 540);
        for (name, set) in [("val", &validation), ("train", &training)] {
            for (index, pairs) in set.iter().enumerate() {
                let mut out = new();
                let gap = pairs[0][0].truth.len();
                let mut reference = 0.0;
                for [s, _] in pairs {
                    reference += check::l2p(&s.interpolation(), &s.truth, &s.offsets) / pairs.len() as f32;
                    put(&mut out, s, gap + 11, gap, &mean, &deviation);
                }
                save(&dir.join(format!("{name}_{index}_{}_{gap}_{reference}.val", pairs.len())), &[out]);
            }
        }
        return;
    }
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| loop {
                let step = next.fetch_add(1, Ordering::Relaxed);
                while step >= ahead && dir.join(format!("{:06}.bin", step - ahead)).exists() {
                    std::thread::sleep(std::time::Duration::from_millis(5));
                }
                let group = |long: bool, count: usize| {
                    let mut out = new();
                    for lane in 0..count {
                        let mut rng = StdRng::seed_from_u64(recipe.schedule.seed ^ (((step * 2 + usize::from(long)) * 1024 + lane) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                        let s = loop {
                            let w = Window::draw(&mut rng, recipe.longest);
                            let gap = if long { rng.random_range(31..=recipe.longest) } else { rng.random_range(2..=30) };
                            let w = Window { gap, ..w };
                            if let Some(cut) = source.cut(&mut rng, w.frames()) { break make(&cut, w); }
                        };
                        let (t, f) = if long { (15 + recipe.longest, recipe.longest) } else { (45, 30) };
                        put(&mut out, &s, t, f, &mean, &deviation);
                    }
                    out
                };
                save(&dir.join(format!("{step:06}.bin")), &[group(false, 192), group(true, 64)]);
            });
        }
    });
}
