//! Confident learning (Northcutt, Jiang and Chuang 2021, *Confident Learning: Estimating Uncertainty in Dataset
//! Labels*): finds the windows whose motion matches the label of their recording.
//!
//! A classifier trained on other recordings gives each window a probability per style. The threshold of a style is its
//! mean probability over the windows with this label (eq. 2). A window is counted in the confident joint (eq. 1) under
//! the most probable style above its threshold. Windows counted under another style than their label are pruned. A style
//! with only one recording has no threshold, so no window is counted under it.

use super::classifier::{Classifier, Row};

/// Number of folds of the cross-validation. All windows of a recording are in one fold.
const FOLDS: usize = 5;

/// Decides for each window whether it keeps its label. `takes`: index of each window's recording. Windows of a style
/// with only one recording always keep their label, because no classifier can be trained without this recording.
pub fn confirm_labels(rows: &[Row], takes: &[usize], styles: usize) -> Vec<bool> {
    let (folds, recordings) = folds(rows, takes, styles);
    let mut probabilities: Vec<Vec<f32>> = vec![Vec::new(); rows.len()];
    for fold in 0..FOLDS {
        let training: Vec<&Row> =
            rows.iter().zip(&folds).filter(|(_, row_fold)| **row_fold != fold).map(|(row, _)| row).collect();
        let classifier = Classifier::train(&training, styles);
        for index in (0..rows.len()).filter(|index| folds[*index] == fold) {
            probabilities[index] = classifier.probabilities(&rows[index].1);
        }
    }
    let threshold = |style: usize| {
        let labelled = rows.iter().zip(&probabilities).filter(|(row, _)| row.0 == style);
        let (sum, count) = labelled.fold((0.0, 0), |(sum, count), (_, row)| (sum + row[style], count + 1));
        sum / count.max(1) as f32
    };
    let thresholds: Vec<f32> = (0..styles).map(threshold).collect();
    let confident_style = |row: &Vec<f32>| {
        let above_threshold = (0..styles).filter(|style| recordings[*style] > 1 && row[*style] >= thresholds[*style]);
        above_threshold.max_by(|a, b| row[*a].total_cmp(&row[*b]))
    };
    let keeps_label = |((label, _), row): (&Row, _)| {
        recordings[*label] < 2 || confident_style(row).is_none_or(|style| style == *label)
    };
    rows.iter().zip(&probabilities).map(keeps_label).collect()
}

/// Distributes the recordings of each style evenly over the folds. Returns the fold of each window, and the number of
/// recordings per style.
fn folds(rows: &[Row], takes: &[usize], styles: usize) -> (Vec<usize>, Vec<usize>) {
    let mut recordings = vec![0; styles];
    let mut fold = 0;
    let fold_of_window = |index: usize| {
        if index == 0 || takes[index] != takes[index - 1] {
            fold = recordings[rows[index].0] % FOLDS;
            recordings[rows[index].0] += 1;
        }
        fold
    };
    let folds = (0..rows.len()).map(fold_of_window).collect();
    (folds, recordings)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns windows and the index of each window's recording: two styles separated by one column, ten recordings of
    /// four windows each. Window 13 is mislabelled.
    fn two_styles() -> (Vec<Row>, Vec<usize>) {
        let column = |index: usize| if (index / 4).is_multiple_of(2) { -1.0 } else { 1.0 };
        let mut rows: Vec<Row> = (0..40)
            .map(|index| ((index / 4) % 2, vec![column(index) + 0.01 * (index % 7) as f32, 0.1 * (index % 3) as f32]))
            .collect();
        rows[13].1[0] = -1.0;
        (rows, (0..40).map(|index| index / 4).collect())
    }

    /// Returns the indices of the windows that lose their label.
    fn lost(rows: &[Row], takes: &[usize], styles: usize) -> Vec<usize> {
        let kept = confirm_labels(rows, takes, styles);
        (0..rows.len()).filter(|index| !kept[*index]).collect()
    }

    #[test]
    fn a_window_that_looks_like_another_style_loses_its_label() {
        let (rows, takes) = two_styles();
        assert_eq!(lost(&rows, &takes, 2), [13]);
        // The only recording of a style keeps its label.
        assert!(confirm_labels(&rows[..8], &takes[..8], 2).iter().all(|kept| *kept));
    }

    #[test]
    fn a_style_with_one_recording_takes_no_windows_from_others() {
        let (mut rows, mut takes) = two_styles();
        rows.extend((0..4).map(|index| (2, vec![1.0 + 0.01 * index as f32, 0.5 + 0.1 * index as f32])));
        takes.extend([10; 4]);
        assert_eq!(lost(&rows, &takes, 3), [13]);
    }
}
