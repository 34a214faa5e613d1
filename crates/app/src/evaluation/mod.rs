//! Judging sessions as a use case: which ones, when, and what people see of it. How is in `reflexio_evaluate`.

mod grade;
mod handler;
mod judging;
mod regenerate;
mod task;

use reflexio_store::EvaluationFilter;
use reflexio_types::{Caller, Evaluation, LearningEvaluation, Scope};

pub use grade::{GradeRequest, Graded, SkippedGrade};
pub(crate) use handler::Evaluation as EvaluationHandler;
pub use regenerate::Regeneration;
pub(crate) use regenerate::{REGENERATION, Regenerator};
pub(crate) use task::timer;

use crate::access::Access;
use crate::{App, Result};

impl App {
    /// Judged sessions, latest first.
    pub async fn evaluations(
        &self,
        caller: &Caller,
        filter: &EvaluationFilter,
        limit: usize,
    ) -> Result<Vec<Evaluation>> {
        caller.needs(Scope::Read)?;
        Ok(self.store.evaluations(&caller.org, filter, limit).await?)
    }

    /// Judged learnings, latest first.
    pub async fn learning_evaluations(
        &self,
        caller: &Caller,
        filter: &EvaluationFilter,
        limit: usize,
    ) -> Result<Vec<LearningEvaluation>> {
        caller.needs(Scope::Read)?;
        Ok(self.store.learning_evaluations(&caller.org, filter, limit).await?)
    }
}
