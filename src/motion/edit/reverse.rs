//! Reversal of a clip.

use crate::motion::clip::Clip;

/// Returns the clip with its frames in reverse order. Reversing twice gives the same bits.
pub fn reverse(clip: &Clip) -> Clip {
    let mut reversed = clip.clone();
    turn_round(reversed.rotations_mut(), clip.rotations(), clip.joints());
    turn_round(reversed.translations_mut(), clip.translations(), clip.skeleton().translated().len());
    reversed
}

fn turn_round<T: Copy>(to: &mut [T], from: &[T], width: usize) {
    for (to, from) in to.chunks_exact_mut(width).zip(from.chunks_exact(width).rev()) {
        to.copy_from_slice(from);
    }
}
