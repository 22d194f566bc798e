//! Confident learning: Northcutt, Jiang and Chuang 2021, *Confident Learning: Estimating Uncertainty in Dataset
//! Labels*. Which windows of a recording are what the recording is labelled.
//!
//! A classifier says of each window how probable each style is, having seen no window of the same recording. A
//! style's threshold is the mean probability that its own windows are given of it (eq. 2); a window is counted in the
//! confident joint (eq. 1) under the most probable of the styles whose thresholds it reaches. What is counted under
//! another style than its label is pruned.

use super::classifier::{Classifier, Row};

/// Parts that recordings are dealt into; each is seen by a classifier that was trained on the others.
const FOLDS: usize = 5;

/// Whether each window keeps its label. `takes` says which recording it is of; what is the only one of its style
/// cannot be judged.
pub fn kept(rows: &[Row], takes: &[usize], styles: usize) -> Vec<bool> {
    let (folds, recordings) = folds(rows, takes, styles);
    let mut probabilities: Vec<Vec<f32>> = vec![Vec::new(); rows.len()];
    for fold in 0..FOLDS {
        let others: Vec<&Row> = rows.iter().zip(&folds).filter(|(_, own)| **own != fold).map(|(row, _)| row).collect();
        let classifier = Classifier::trained(&others, styles);
        for index in (0..rows.len()).filter(|index| folds[*index] == fold) {
            probabilities[index] = classifier.probabilities(&rows[index].1);
        }
    }
    let threshold = |style: usize| {
        let own = rows.iter().zip(&probabilities).filter(|(row, _)| row.0 == style);
        let (sum, count) = own.fold((0.0, 0), |(sum, count), (_, all)| (sum + all[style], count + 1));
        sum / count.max(1) as f32
    };
    let thresholds: Vec<f32> = (0..styles).map(threshold).collect();
    let confident = |all: &Vec<f32>| {
        let reached = (0..styles).filter(|style| all[*style] >= thresholds[*style]);
        reached.max_by(|a, b| all[*a].total_cmp(&all[*b]))
    };
    let keeps = |(row, all): (&Row, _)| recordings[row.0] < 2 || confident(all).is_none_or(|style| style == row.0);
    rows.iter().zip(&probabilities).map(keeps).collect()
}

/// The part that each window's recording is dealt into, those of each style evenly; and the number of each style's
/// recordings.
fn folds(rows: &[Row], takes: &[usize], styles: usize) -> (Vec<usize>, Vec<usize>) {
    let mut dealt = vec![0; styles];
    let mut fold = 0;
    let part = |index: usize| {
        if index == 0 || takes[index] != takes[index - 1] {
            fold = dealt[rows[index].0] % FOLDS;
            dealt[rows[index].0] += 1;
        }
        fold
    };
    let folds = (0..rows.len()).map(part).collect();
    (folds, dealt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_that_looks_like_another_style_loses_its_label() {
        // Two styles that one column tells apart, ten recordings of four windows each; one window is of the wrong one.
        let takes: Vec<usize> = (0..40).map(|index| index / 4).collect();
        let column = |index: usize| if (index / 4).is_multiple_of(2) { -1.0 } else { 1.0 };
        let mut rows: Vec<Row> = (0..40)
            .map(|index| ((index / 4) % 2, vec![column(index) + 0.01 * (index % 7) as f32, 0.1 * (index % 3) as f32]))
            .collect();
        rows[13].1[0] = -1.0;
        let kept = kept(&rows, &takes, 2);
        let lost: Vec<usize> = (0..40).filter(|index| !kept[*index]).collect();
        assert_eq!(lost, [13]);
        // Nobody else knows how the only recording of a style looks.
        assert!(super::kept(&rows[..8], &takes[..8], 2).iter().all(|kept| *kept));
    }
}
