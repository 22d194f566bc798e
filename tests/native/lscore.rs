//! The L-score: the smoother is compared with a dense solution, scores with the paper's example of circles, and the
//! fast map with the paper's formulation.

use glam::{DVec3, Vec3};
use kinestitch::Progress;
use kinestitch::method::lscore::feature::{Features, euclidean};
use kinestitch::method::lscore::map::Scan;
use kinestitch::method::lscore::smoother::{Gains, Smoother, prior_mean};
use kinestitch::method::lscore::{LscoreOptions, reference, seam};
use std::f64::consts::TAU;
use std::ops::ControlFlow;

/// Computes the mean of the Gaussian posterior by one dense least-squares problem. Each factor of the joint density of
/// all states (three numbers per frame) is a row, divided by its standard deviation. The problem is solved by
/// Householder reflections, because normal equations would square the condition number.
fn dense_posterior(y: &[f64], options: &LscoreOptions, inject: usize) -> Vec<DVec3> {
    let (w, frames, dt) = (options.window, 2 * options.window + inject, options.dt);
    let size = 3 * frames;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    // One factor: (Σ coefficient · number − value)² / variance.
    let mut factor = |terms: &[(usize, f64)], value: f64, variance: f64| {
        let mut row = vec![0.0; size + 1];
        for &(column, x) in terms {
            row[column] = x / variance.sqrt();
        }
        row[size] = value / variance.sqrt();
        rows.push(row);
    };
    let mean = prior_mean(y, dt);
    for component in 0..3 {
        factor(&[(component, 1.0)], mean[component], options.gamma[component]);
    }
    for n in 0..frames - 1 {
        let (now, next) = (3 * n, 3 * n + 3);
        factor(&[(next, 1.0), (now, -1.0), (now + 1, -dt), (now + 2, -dt * dt / 2.0)], 0.0, options.gamma[0]);
        factor(&[(next + 1, 1.0), (now + 1, -1.0), (now + 2, -dt)], 0.0, options.gamma[1]);
        factor(&[(next + 2, 1.0), (now + 2, -1.0)], 0.0, options.gamma[2]);
    }
    for (i, &value) in y.iter().enumerate() {
        let n = if i < w { i } else { i + inject };
        factor(&[(3 * n, 1.0)], value, options.sigma);
    }
    for pivot in 0..size {
        let norm = rows[pivot..].iter().map(|row| row[pivot] * row[pivot]).sum::<f64>().sqrt();
        // Normal of the plane of the reflection.
        let mut normal: Vec<f64> = rows[pivot..].iter().map(|row| row[pivot]).collect();
        normal[0] += norm.copysign(normal[0]);
        let square: f64 = normal.iter().map(|x| x * x).sum();
        for column in pivot..=size {
            let projection: f64 = rows[pivot..].iter().zip(&normal).map(|(row, x)| row[column] * x).sum();
            for (row, x) in rows[pivot..].iter_mut().zip(&normal) {
                row[column] -= 2.0 * projection / square * x;
            }
        }
    }
    let mut solution = vec![0.0; size];
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| rows[row][column] * solution[column]).sum();
        solution[row] = (rows[row][size] - known) / rows[row][row];
    }
    solution.chunks_exact(3).map(DVec3::from_slice).collect()
}

/// Pseudorandom numbers from −1 (included) to 1 (excluded), from a fixed sequence.
struct Noise(u64);
impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn assert_close(a: &[DVec3], b: &[DVec3], case: &str) {
    assert_eq!(a.len(), b.len());
    // The maxima below may lose a NaN.
    assert!(a.iter().chain(b).all(|z| z.is_finite()), "{case}: not finite");
    let size = |states: &[DVec3]| states.iter().map(|z| z.abs()).fold(DVec3::splat(1e-30), DVec3::max);
    let error = a.iter().zip(b).map(|(a, b)| (*a - *b).abs()).fold(DVec3::ZERO, DVec3::max) / size(b);
    assert!(error.max_element() < 1e-9, "{case}: {error}");
}

#[test]
fn smoother_is_the_gaussian_posterior() {
    let mut noise = Noise(1);
    let variances = [[1e-3; 3], [1.0, 0.1, 1e-3], [1e-5, 1e-3, 1.0], [5.0, 2e-3, 0.4]];
    for gamma in variances {
        for sigma in [1e-3, 1.0, 1e-5] {
            for dt in [1.0, 1.0 / 30.0, 0.5, 2.0] {
                for (window, inject) in [(5, 0), (5, 1), (5, 15), (3, 4), (8, 30)] {
                    let options = LscoreOptions { window, gamma, sigma, dt, ..Default::default() };
                    let y: Vec<f64> = (0..2 * window).map(|i| (i as f64 * 0.3).sin() + 0.1 * noise.next()).collect();
                    let recursive = Gains::new(&options, inject).smooth(&y);
                    let case = format!("γ {gamma:?} σ {sigma} Δt {dt} w {window} k {inject}");
                    assert_close(&recursive, &dense_posterior(&y, &options, inject), &case);
                    assert_close(&Smoother::new(&options, inject).apply(&y), &recursive, &case);
                }
            }
        }
    }
}

/// Creates a circle with 64 frames per turn. `start`: angle of the first frame, radians; `direction`: 1
/// counter-clockwise, −1 clockwise.
fn circle(name: &str, centre: [f64; 2], radius: f64, start: f64, direction: f64, frames: usize) -> Features {
    let point = |n: usize| {
        let angle = start + direction * TAU * n as f64 / 64.0;
        Vec3::new((centre[0] + radius * angle.cos()) as f32, (centre[1] + radius * angle.sin()) as f32, 0.0)
    };
    Features::new(name, 1, (0..frames).map(point).collect()).unwrap()
}

/// Creates three circles. The take-off is frame 64 of the big circle, at (20, 0); both landing circles touch the line
/// x = 20 at their frame 64, at (20, 10) and (20, −10). Frame 64 is one turn after frame 0.
fn three_circles() -> [Features; 3] {
    [
        circle("big", [0.0, 0.0], 20.0, 0.0, 1.0, 97),
        circle("forward", [30.0, 10.0], 10.0, TAU / 2.0, -1.0, 133),
        circle("backward", [30.0, -10.0], 10.0, TAU / 2.0, 1.0, 133),
    ]
}

#[test]
fn three_circles_have_the_scores_of_the_paper() {
    let [big, forward, backward] = three_circles();
    for (landing, expected, inject) in [(&forward, 1.446, 3), (&backward, 2.157, 10)] {
        let scan = Scan::new(big.clone(), landing.clone(), &LscoreOptions::default()).unwrap();
        let map = scan.map(64..65, 0..128, &mut Progress::silent()).unwrap();
        let cut = seam::select_cuts(&scan, &map, 1, 1)[0];
        assert!((f64::from(cut.score) - expected).abs() < 0.0006, "{}: {cut:?}", landing.name);
        assert_eq!(cut.inject, inject, "{}", landing.name);
        let (exact, k) = reference::elastic_score(&big, landing, 64, cut.landing, &LscoreOptions::default());
        assert!((exact - expected).abs() < 0.0006 && k == inject, "{exact}");
    }
}

#[test]
fn euclidean_distance_cannot_tell_the_circles_apart() {
    let [big, forward, backward] = three_circles();
    let distance = |b| euclidean(&big, b, 64, 64, 5);
    assert!((distance(&forward) - 50.04).abs() < 0.01, "{}", distance(&forward));
    assert!((distance(&forward) - distance(&backward)).abs() < 0.02);
}

/// Generates a motion with `joints` joints that move at random.
fn random_motion(frames: usize, joints: usize, seed: u64) -> Features {
    let mut noise = Noise(seed);
    let phase: Vec<f64> = (0..joints * 3).map(|_| 3.0 * noise.next()).collect();
    // `index`: 3 × joint + axis.
    let coordinate = |n: usize, index: usize| {
        let t = n as f64 * 0.1;
        ((t + phase[index]).sin() * 0.3 + (2.3 * t + phase[index] * 2.0).cos() * 0.1) as f32 + index as f32 * 0.02
    };
    let values = (0..frames * joints).map(|i| {
        let (n, index) = (i / joints, i % joints * 3);
        Vec3::new(coordinate(n, index), coordinate(n, index + 1), coordinate(n, index + 2))
            + Vec3::splat(noise.next() as f32 * 0.002)
    });
    Features::new("wander", joints, values.collect()).unwrap()
}

#[test]
fn map_equals_the_reference() {
    for (window, min_inject, max_inject, joints) in [(5, 0, 15, 22), (3, 2, 7, 5), (7, 4, 4, 3)] {
        let options = LscoreOptions { window, min_inject, max_inject, ..Default::default() };
        let (a, b) = (random_motion(27, joints, 3), random_motion(30, joints, 4));
        let scan = Scan::new(a.clone(), b.clone(), &options).unwrap();
        let map = scan.map(scan.takeoffs(), scan.landings(), &mut Progress::silent()).unwrap();
        for takeoff in scan.takeoffs() {
            for landing in scan.landings() {
                let (score, inject) = map.at(takeoff, landing).unwrap();
                let (best, k) = reference::elastic_score(&a, &b, takeoff, landing, &options);
                assert!((f64::from(score) / best - 1.0).abs() < 1e-4, "{takeoff} {landing}: {score} {best}");
                // A different k is allowed only at the same score.
                let map_score = reference::score(&a, &b, takeoff, landing, inject, &options);
                assert!(inject == k || map_score / best - 1.0 < 1e-4, "{takeoff} {landing}: k {inject} not {k}");
                let cut = scan.cut(takeoff, landing).unwrap();
                assert_eq!((cut.score, cut.inject), (score, inject));
            }
        }
    }
}

#[test]
fn updated_map_equals_a_new_one() {
    let scan = Scan::new(random_motion(60, 6, 1), random_motion(50, 6, 2), &LscoreOptions::default()).unwrap();
    let progress = &mut Progress::silent();
    let old = scan.map(10..40, 5..30, progress).unwrap();
    for (takeoffs, landings) in [(10..41, 5..30), (9..40, 4..31), (20..30, 10..20), (4..60, 0..46), (45..50, 0..10)] {
        let updated = scan.update(&old, takeoffs.clone(), landings.clone(), progress).unwrap();
        assert_eq!(updated, scan.map(takeoffs, landings, progress).unwrap());
    }
}

#[test]
fn long_maps_are_correct_across_bands_and_limited_in_size() {
    let options = LscoreOptions { max_inject: 2, ..Default::default() };
    let scan = Scan::new(random_motion(620, 2, 7), random_motion(40, 2, 8), &options).unwrap();
    let progress = &mut Progress::silent();
    let map = scan.map(4..620, 0..36, progress).unwrap();
    // A band has 512 take-offs, so the second one begins at 516.
    for (takeoff, landing) in [(4, 0), (515, 3), (516, 3), (517, 35), (619, 35)] {
        let cut = scan.cut(takeoff, landing).unwrap();
        assert_eq!(map.at(takeoff, landing), Some((cut.score, cut.inject)));
    }
    let long = Scan::new(random_motion(9000, 1, 1), random_motion(9000, 1, 2), &options).unwrap();
    assert!(matches!(long.map(long.takeoffs(), long.landings(), progress), Err(kinestitch::Error::Limit { .. })));
}

#[test]
fn the_best_cuts_are_sorted_and_have_the_minimum_distance() {
    let scan = Scan::new(random_motion(80, 4, 5), random_motion(80, 4, 6), &LscoreOptions::default()).unwrap();
    let map = scan.map(scan.takeoffs(), scan.landings(), &mut Progress::silent()).unwrap();
    let cuts = seam::select_cuts(&scan, &map, 5, 10);
    assert_eq!(cuts.len(), 5);
    assert_eq!(cuts[0].score, map.scores.iter().copied().fold(f32::INFINITY, f32::min));
    for (i, cut) in cuts.iter().enumerate() {
        for other in &cuts[..i] {
            assert!(other.score <= cut.score);
            assert!(cut.takeoff.abs_diff(other.takeoff) >= 10 || cut.landing.abs_diff(other.landing) >= 10);
        }
    }
}

#[test]
fn invalid_input_is_an_error() {
    let options = LscoreOptions::default();
    let code = |result: kinestitch::Result<Scan>| result.err().map(|e| e.code());
    assert_eq!(code(Scan::new(random_motion(4, 2, 1), random_motion(9, 2, 1), &options)), Some("too-short"));
    assert_eq!(code(Scan::new(random_motion(9, 2, 1), random_motion(9, 3, 1), &options)), Some("clip"));
    let empty = LscoreOptions { min_inject: 4, max_inject: 3, ..options.clone() };
    assert_eq!(code(Scan::new(random_motion(9, 2, 1), random_motion(9, 2, 1), &empty)), Some("option"));
    for bad in [
        LscoreOptions { window: 2, ..options.clone() },
        LscoreOptions { max_inject: 5000, ..options.clone() },
        LscoreOptions { dt: 0.0, ..options.clone() },
        LscoreOptions { sigma: f64::NAN, ..options.clone() },
        LscoreOptions { gamma: [0.1, -1.0, 0.1], ..options.clone() },
    ] {
        assert_eq!(bad.check().err().map(|e| e.code()), Some("option"), "{bad:?}");
    }
    assert!(Features::new("nan", 1, vec![Vec3::NAN]).is_err());
    let scan = Scan::new(random_motion(9, 2, 1), random_motion(9, 2, 1), &options).unwrap();
    assert!(scan.cut(3, 0).is_err() && scan.cut(4, 5).is_err() && scan.cut(9, 0).is_err() && scan.cut(8, 4).is_ok());
    let stop = scan.map(4..9, 0..5, &mut Progress::new(|_, _| ControlFlow::Break(())));
    assert_eq!(stop, Err(kinestitch::Error::Aborted));
}
