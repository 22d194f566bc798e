//! Experiment: writes DC-MoE's takes as raw arrays. dump PACK RECIPE PERIODIC DIR THREADS
use glam::{Quat, Vec3};
use kinestitch::body::poses::{PAST, Poses};
use kinestitch::feature::dcmoe::Body;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use training::data::{Split, pack};
use training::dcmoe::Recipe;
use training::dcmoe::sample::Source;
use training::dcmoe::statistics::measure;
use training::dcmoe::take::{Phases, Take};
use training::delta::check::l2p;
use training::delta::sample::interpolate_linearly;
use training::takes::Take as PoseTake;

fn quats(poses: &Poses, frame: usize, offsets: &[Vec3; 22]) -> [Quat; 22] {
    Body::from_local_rotations(poses.hips[frame], poses.pose(frame), offsets).rotations
}
fn l2q(a: &Poses, b: &Poses, offsets: &[Vec3; 22]) -> f32 {
    (0..b.len())
        .map(|f| {
            let (x, y) = (quats(a, f, offsets), quats(b, f, offsets));
            x.iter()
                .zip(&y)
                .map(|(x, y)| {
                    let d = if x.dot(*y) < 0.0 { *x + *y } else { *x - *y };
                    d.length_squared()
                })
                .sum::<f32>()
                .sqrt()
        })
        .sum::<f32>()
        / b.len() as f32
}

fn main() {
    let a: Vec<String> = std::env::args().collect();
    let recipe: Recipe = serde_json::from_slice(&std::fs::read(&a[2]).unwrap()).unwrap();
    let phases = Phases::read(&std::fs::read(&a[3]).unwrap()).unwrap();
    let dir = PathBuf::from(&a[4]);
    let threads: usize = a[5].parse().unwrap();
    let recordings = pack::load(Path::new(&a[1])).unwrap();
    let mut jobs: Vec<(f64, PoseTake, bool, bool)> = Vec::new();
    for r in &recordings {
        let Some(weight) = recipe.weight(r) else { continue };
        match r.split {
            Split::Train if r.clip.frames() >= 16 => {
                for m in [false, true] {
                    jobs.push((weight, PoseTake::from_recording(r), m, false));
                }
            }
            Split::Validation if recipe.validation.contains(&r.set) => {
                jobs.push((0.0, PoseTake::from_recording(r), false, true))
            }
            _ => {}
        }
    }
    let next = Mutex::new(0);
    let done: Mutex<Vec<Option<Take>>> = Mutex::new((0..jobs.len()).map(|_| None).collect());
    std::thread::scope(|s| {
        for _ in 0..threads {
            s.spawn(|| {
                loop {
                    let i = {
                        let mut n = next.lock().unwrap();
                        *n += 1;
                        *n - 1
                    };
                    let Some((_, take, m, _)) = jobs.get(i) else { return };
                    let t = Take::new(take, *m, &phases).unwrap();
                    done.lock().unwrap()[i] = Some(t);
                }
            });
        }
    });
    let takes: Vec<Take> = done.into_inner().unwrap().into_iter().map(Option::unwrap).collect();
    // meta: per take first frame, frames, weight, held-out
    let mut meta = String::new();
    let mut f: Vec<_> = ["pos", "rot", "path", "contact", "phase", "hertz"]
        .iter()
        .map(|n| std::io::BufWriter::new(std::fs::File::create(dir.join(format!("{n}.f32"))).unwrap()))
        .collect();
    let mut put = |i: usize, v: &[f32]| {
        let b: Vec<u8> = v.iter().flat_map(|x| x.to_le_bytes()).collect();
        f[i].write_all(&b).unwrap();
    };
    let mut start = 0;
    let mut gaps = String::new();
    for ((weight, pose, _, held), t) in jobs.iter().zip(&takes) {
        for fr in 0..t.frames() {
            put(0, &t.bodies[fr].positions.iter().flat_map(|p| p.to_array()).collect::<Vec<_>>());
            put(
                1,
                &t.bodies[fr]
                    .rotations
                    .iter()
                    .flat_map(|q| {
                        let z = *q * Vec3::Z;
                        let y = *q * Vec3::Y;
                        [z.x, z.y, z.z, y.x, y.y, y.z]
                    })
                    .collect::<Vec<_>>(),
            );
            put(2, &t.path[fr].to_array());
            put(3, &t.contacts[fr]);
            put(4, &t.phases[fr].iter().flat_map(|p| p.to_array()).collect::<Vec<_>>());
            put(5, &t.hertz[fr]);
        }
        meta.push_str(&format!("{start} {} {weight} {}\n", t.frames(), u8::from(*held)));
        if *held {
            for gap in [15usize, 30, 60, 90] {
                let end = (pose.poses.len() + 1).saturating_sub(PAST + 90 + 1);
                for s in (0..end).step_by(100) {
                    let past = pose.poses.slice(s..s + PAST);
                    let truth = pose.poses.slice(s + PAST..s + PAST + gap);
                    let target = pose.poses.slice(s + PAST + gap..s + PAST + gap + 1);
                    let interpolated = interpolate_linearly(&past, &target, gap);
                    gaps.push_str(&format!(
                        "{gap} {} {} {} {}\n",
                        start,
                        s + PAST - 1,
                        l2p(&interpolated, &truth, &pose.offsets),
                        l2q(&interpolated, &truth, &pose.offsets)
                    ));
                }
            }
        }
        start += t.frames();
    }
    std::fs::write(dir.join("meta.txt"), meta).unwrap();
    std::fs::write(dir.join("gaps.txt"), gaps).unwrap();
    let source = Source::new(
        jobs.iter().zip(takes).filter(|((_, _, _, held), _)| !held).map(|((w, _, _, _), t)| (*w, t)).collect(),
    );
    let n = measure(&source, &recipe.sizes(), recipe.schedule.seed);
    for (name, n) in [("input", n.input), ("gate_input", n.gate), ("output", n.output)] {
        for (kind, v) in [("mean", n.mean), ("deviation", n.deviation)] {
            std::fs::write(
                dir.join(format!("{name}.{kind}.f32")),
                v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>(),
            )
            .unwrap();
        }
    }
    eprintln!("{} takes, {start} frames", jobs.len());
}
