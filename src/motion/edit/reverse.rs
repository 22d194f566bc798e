//! Reversal of a clip.

use crate::motion::clip::Clip;

/// Returns the clip with its frames in reverse order. Reversing twice gives the same bits.
pub fn reverse(clip: &Clip) -> Clip {
    let mut reversed = clip.clone();
    reverse_rows(reversed.rotations_mut(), clip.rotations(), clip.joints());
    reverse_rows(reversed.translations_mut(), clip.translations(), clip.skeleton().translated().len());
    reversed
}

/// Copies the rows of `from`, each `width` values, to `to` in reverse order.
fn reverse_rows<T: Copy>(to: &mut [T], from: &[T], width: usize) {
    for (to, from) in to.chunks_exact_mut(width).zip(from.chunks_exact(width).rev()) {
        to.copy_from_slice(from);
    }
}
