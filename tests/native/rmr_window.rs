//! Windows of the refiner: their positions, and the merge of refined windows. A function of rows replaces the network.

use kinestitch::Error;
use kinestitch::feature::layout::RefinerRow;
use kinestitch::method::rmr::window::{MARGIN, merge, windows};
use kinestitch::method::rmr::{Refinement, WindowOptions};
use proptest::prelude::*;
use std::ops::Range;

const WIDTH: usize = RefinerRow::WIDTH;

/// Creates distinct rows with unit quaternions (w ≥ 0) and contacts of 0 and 1.
fn rows(frames: usize) -> Vec<f32> {
    let mut rows: Vec<f32> = (0..frames * WIDTH).map(|i| (i as f32 * 0.37).sin() * 0.4).collect();
    for (frame, row) in rows.chunks_exact_mut(WIDTH).enumerate() {
        for q in row[RefinerRow::ROTATION.range()].chunks_exact_mut(4) {
            let unit = glam::Quat::from_xyzw(q[0] * 0.3, q[1] * 0.3, q[2] * 0.3, 1.0).normalize();
            q.copy_from_slice(&unit.to_array());
        }
        for (i, contact) in row[RefinerRow::CONTACT.range()].iter_mut().enumerate() {
            *contact = ((frame / 7 + i) % 2) as f32;
        }
    }
    rows
}

fn run(rows: &[f32], seams: &[usize], forward: impl Fn(&mut [f32])) -> Vec<f32> {
    let mut refinement = Refinement::new(rows.to_vec(), seams, WindowOptions::default()).unwrap();
    while let Some(mut window) = refinement.input() {
        forward(&mut window);
        refinement.merge_output(&window).unwrap();
    }
    assert_eq!(refinement.progress(), 1.0);
    refinement.refined().to_vec()
}

/// Raises every position, rotates every joint, and marks every foot as in contact.
fn change_rows(rows: &mut [f32]) {
    let rotation = glam::Quat::from_rotation_x(0.5);
    for row in rows.chunks_exact_mut(WIDTH) {
        row[RefinerRow::POSITION.range()].iter_mut().for_each(|value| *value += 0.1);
        for q in row[RefinerRow::ROTATION.range()].chunks_exact_mut(4) {
            // Not normalised and with the opposite sign, as a network may predict.
            let rotated = rotation * glam::Quat::from_slice(q) * -1.7;
            q.copy_from_slice(&rotated.to_array());
        }
        row[RefinerRow::CONTACT.range()].fill(1.0);
    }
}

fn row(rows: &[f32], frame: usize) -> &[f32] {
    &rows[frame * WIDTH..][..WIDTH]
}

#[test]
fn windows_are_placed_around_seams_as_in_training() {
    let starts_and_ends = |windows: Vec<Range<usize>>| windows.iter().map(|w| (w.start, w.end)).collect::<Vec<_>>();
    let default_windows = |frames, seams: &[usize]| starts_and_ends(windows(frames, seams, WindowOptions::default()));
    assert_eq!(default_windows(360, &[180]), [(150, 210)]);
    assert_eq!(default_windows(360, &[]), []);
    assert_eq!(default_windows(40, &[20]), [(0, 40)]);
    assert_eq!(default_windows(6, &[3]), [(0, 6)]);
    // Near the ends the whole window still lies within the sequence.
    assert_eq!(default_windows(200, &[5]), [(0, 60)]);
    assert_eq!(default_windows(200, &[195]), [(140, 200)]);
    // Two seams that fit one window; two that do not: windows are at least a shift apart.
    assert_eq!(default_windows(300, &[100, 115]), [(70, 130)]);
    assert_eq!(default_windows(300, &[100, 125]), [(70, 130), (100, 160)]);
    assert_eq!(default_windows(300, &[100, 200]), [(70, 130), (170, 230)]);
    // The start and end of the sequence (0 and 300) are not seams, and the order does not matter.
    assert_eq!(default_windows(300, &[200, 0, 100, 300]), [(70, 130), (170, 230)]);
    let long = WindowOptions { window: 180, shift: 90, ..Default::default() };
    assert_eq!(starts_and_ends(windows(360, &[180], long)), [(90, 270)]);
}

#[test]
fn unchanged_windows_stay_bit_equal() {
    let rows = rows(200);
    assert_eq!(run(&rows, &[40, 70, 190], |_| {}), rows);
}

#[test]
fn frames_outside_windows_and_window_ends_stay_bit_equal() {
    let rows = rows(300);
    let refined = run(&rows, &[100, 125, 240], change_rows);
    for frame in 0..300 {
        let same = row(&rows, frame) == row(&refined, frame);
        let inside = (71..159).contains(&frame) || (211..269).contains(&frame);
        assert_eq!(same, !inside, "frame {frame}");
    }
    assert!(refined.iter().all(|value| value.is_finite()));
}

#[test]
fn a_correction_fades_in_and_out_without_a_jump() {
    let rows = rows(300);
    let refined = run(&rows, &[150], change_rows);
    let lift = |frame: usize| {
        refined[frame * WIDTH + RefinerRow::POSITION.start] - rows[frame * WIDTH + RefinerRow::POSITION.start]
    };
    let turn = |frame: usize| {
        let rotation = |rows: &[f32]| glam::Quat::from_slice(&row(rows, frame)[RefinerRow::ROTATION.range()][4..8]);
        assert!((rotation(&refined).length() - 1.0).abs() < 1e-5 && rotation(&refined).w >= 0.0);
        rotation(&refined).dot(rotation(&rows)).abs().min(1.0).acos() * 2.0
    };
    assert!((lift(150) - 0.1).abs() < 1e-6 && (turn(150) - 0.5).abs() < 1e-3);
    for frame in 1..300 {
        // An offset that a quintic removes within 10 frames moves at most 15/8 of a tenth per frame.
        assert!((lift(frame) - lift(frame - 1)).abs() < 0.1 * 0.19, "frame {frame}");
        assert!((turn(frame) - turn(frame - 1)).abs() < 0.5 * 0.19 + 1e-3, "frame {frame}");
    }
    // Contacts are mixed, never extrapolated.
    let contacts = refined.chunks_exact(WIDTH).flat_map(|row| &row[RefinerRow::CONTACT.range()]);
    assert!(contacts.into_iter().all(|value| (0.0..=1.0).contains(value)));
}

#[test]
fn the_correction_is_complete_at_the_ends_of_the_sequence() {
    let before = rows(40);
    let mut rows = before.clone();
    let mut refined = before.clone();
    change_rows(&mut refined);
    merge(&mut rows, 0..40, &refined, 10, 20);
    for frame in [0, 39] {
        let index = frame * WIDTH + RefinerRow::POSITION.start;
        assert!((rows[index] - before[index] - 0.1).abs() < 1e-6);
    }
}

#[test]
fn later_windows_read_refined_rows_except_root_displacements() {
    let before = rows(300);
    let read = std::cell::RefCell::new(Vec::new());
    let refined = run(&before, &[100, 125], |rows| {
        read.borrow_mut().push(rows.to_vec());
        rows.chunks_exact_mut(WIDTH).for_each(|row| row[0] += 1.0);
        change_rows(rows);
    });
    let read = read.borrow();
    let second = &read[1];
    assert_eq!(second[..3], before[100 * WIDTH..][..3], "the root displacement is that of the input");
    let index = 5 * WIDTH + RefinerRow::POSITION.start;
    assert!((second[index] - before[100 * WIDTH + index] - 0.1).abs() < 1e-6, "the positions are refined");
    assert!(
        (refined[110 * WIDTH] - before[110 * WIDTH] - 1.0).abs() < 1e-6,
        "the result has the predicted root displacement"
    );
}

#[test]
fn invalid_rows_and_seams_are_errors() {
    let new = |rows: Vec<f32>, seam| Refinement::new(rows, &[seam], WindowOptions::default()).map(|_| ());
    let option = |result: Result<(), Error>| match result {
        Err(Error::Option { option, .. }) => option,
        other => panic!("{other:?}"),
    };
    assert_eq!(option(new(Vec::new(), 0)), "rows");
    assert_eq!(option(new(rows(5)[1..].to_vec(), 2)), "rows");
    let mut not_finite = rows(5);
    not_finite[WIDTH + 7] = f32::NAN;
    assert_eq!(option(new(not_finite, 2)), "rows");
    assert_eq!(option(new(rows(5), 5)), "seams");
    let mut refinement = Refinement::new(rows(60), &[30], WindowOptions::default()).unwrap();
    let mut window = refinement.input().unwrap();
    assert!(matches!(refinement.merge_output(&window[WIDTH..]), Err(Error::Device { .. })));
    window[9] = f32::INFINITY;
    assert!(matches!(refinement.merge_output(&window), Err(Error::Device { .. })));
    assert_eq!(refinement.refined(), rows(60), "invalid output does not change the rows");
}

proptest! {
    #[test]
    fn any_sequence_and_seams_give_valid_windows(
        frames in 1_usize..400,
        seams in proptest::collection::vec(0_usize..400, 0..12),
        window in 0_usize..200,
        shift in 0_usize..200,
    ) {
        let options = WindowOptions { window, shift, ..Default::default() };
        let found = windows(frames, &seams, options);
        for range in &found {
            prop_assert!(range.start < range.end && range.end <= frames && range.len() <= window.max(1));
        }
        let default_windows = windows(frames, &seams, WindowOptions::default());
        for pair in default_windows.windows(2) {
            prop_assert!(pair[1].start >= pair[0].start + 30 || pair[1].end == frames);
        }
        for seam in seams.into_iter().filter(|&seam| seam > 0 && seam < frames) {
            prop_assert!(default_windows.iter().any(|range| {
                range.contains(&seam)
                    && (seam >= range.start + MARGIN || range.start == 0)
                    && (seam + MARGIN <= range.end || range.end == frames)
            }), "{seam} of {frames} in {default_windows:?}");
        }
    }
}
