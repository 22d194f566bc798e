//! `bench lafan1` against the table of Ubisoft's own evaluation code.

#[path = "../../../tests/common/recordings.rs"]
mod common;

/// Output of Ubisoft's evaluation code on the 24 files: metric, method, gaps of 5, 15, 30 and 45 frames, and half a
/// unit of the last printed digit.
const PRINTED: [(&str, &str, [f64; 4], f64); 6] = [
    ("L2Q", "zero-velocity", [0.44, 0.90, 1.28, 1.54], 0.005),
    ("L2Q", "interpolation", [0.16, 0.47, 0.77, 0.98], 0.005),
    ("L2P", "zero-velocity", [1.218, 2.995, 5.379, 7.644], 0.0005),
    ("L2P", "interpolation", [0.276, 0.970, 1.982, 2.863], 0.0005),
    ("NPSS", "zero-velocity", [0.0036, 0.0360, 0.1621, 0.3609], 0.00005),
    ("NPSS", "interpolation", [0.0016, 0.0266, 0.1348, 0.3192], 0.00005),
];

#[test]
fn lafan1_baselines_reproduce_the_table() {
    let Some(files) = common::mocap("lafan1") else { return };
    let subjects_1_to_4: Vec<_> =
        files.iter().filter(|file| !file.to_string_lossy().ends_with("_subject5.bvh")).collect();
    if subjects_1_to_4.len() != 24 || files.len() != 24 {
        println!(
            "skipped: the table needs exactly the 24 files of subjects 1 to 4; the folder has {} files",
            files.len()
        );
        return;
    }
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(["lafan1", "--test", "subject4", "--train", "subject1,subject2,subject3", "--data"])
        .arg(files[0].parent().unwrap())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("LAFAN1-partial: 24 of 77 files") && text.contains("576 windows"), "{text}");
    for (metric, method, expected, half_digit) in PRINTED {
        let start = format!("| {method} | {metric} |");
        let row =
            text.lines().find_map(|line| line.strip_prefix(&start)).unwrap_or_else(|| panic!("no {start}:\n{text}"));
        let values: Vec<f64> = row.split('|').filter_map(|cell| cell.trim().parse().ok()).collect();
        assert_eq!(values.len(), 4, "{row}");
        values.iter().zip(expected).for_each(|(value, expected)| {
            assert!((value - expected).abs() <= half_digit, "{start} {value} is not {expected} ± {half_digit}");
        });
    }
}
