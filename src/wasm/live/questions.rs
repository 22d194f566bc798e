//! Questions of "delta" that another device answers: a motion is made twice, once to hear what is asked, once with the answers.

use crate::error::{Error, Result};
use crate::feature::delta::{OUTPUT, Question};
use crate::method::delta::Answers;
use std::cell::{Cell, RefCell};

/// Hears what is asked, and says nothing: the interpolation.
#[derive(Default)]
pub(super) struct Questions(RefCell<Vec<Vec<f32>>>);

impl Questions {
    /// Rows of each, in their order.
    pub(super) fn taken(self) -> Vec<Vec<f32>> {
        self.0.into_inner()
    }
}

impl Answers for Questions {
    fn rows(&self, question: &Question) -> Result<Vec<f32>> {
        self.0.borrow_mut().push(question.rows.clone());
        Ok(vec![0.0; question.base.len() * OUTPUT])
    }
}

/// Says what was answered to the same questions in the same order.
pub(super) struct Replies<'a> {
    answers: &'a [Vec<f32>],
    next: Cell<usize>,
}

impl<'a> Replies<'a> {
    pub(super) fn new(answers: &'a [Vec<f32>]) -> Self {
        Self { answers, next: Cell::new(0) }
    }
}

impl<'a> Answers for Replies<'a> {
    fn rows(&self, question: &Question) -> Result<Vec<f32>> {
        let at = self.next.replace(self.next.get() + 1);
        let gap = |rows: &'a Vec<f32>| rows.get(question.past * OUTPUT..)?.get(..question.base.len() * OUTPUT);
        let rows = self.answers.get(at).and_then(gap);
        let missing = || Error::Device { message: format!("question {at} has no answer of its own length") };
        rows.map(<[f32]>::to_vec).ok_or_else(missing)
    }
}
