use reflexio_llm::{Error as ModelError, Options};
use reflexio_store::Retirement;
use reflexio_types::LineageSubject;

use super::maker::KNOWN;
use super::rows::Rows;
use super::similar::{Among, Gathered, Place};
use super::{Engine, Error, Learner, Result};
use crate::consolidate::likeness::is_meant;
use crate::consolidate::{Item, Meeting, Newcomer, Verdict, Verdicts, without_a_model};
use crate::findings::Findings;

impl Engine {
    /// Adds what a window gave to the rows, after looking at what is known already. Asks a model only if something is
    /// similar; one whose answer cannot be used is not asked again, since nothing is lost if both rows stay.
    pub(super) async fn consolidate(
        &self,
        among: Among<'_>,
        learner: &Learner,
        made: Vec<Item>,
        findings: &mut Findings,
        rows: &mut Rows,
        options: &Options,
    ) -> Result<()> {
        let forget = std::mem::take(&mut findings.forget);
        // What was said and taken back within one window is never stored.
        let taken_back = |item: &Item| {
            matches!(item, Item::Profile(_)) && forget.iter().any(|what| is_meant(what, item.content()))
        };
        let made: Vec<Item> = made.into_iter().filter(|item| !taken_back(item)).collect();
        let gathered = self.gather(among, made, forget, rows).await?;
        let meeting = &gathered.meeting;
        let verdicts = match learner {
            Learner::Model(model) if meeting.is_needed() => {
                match model.consolidation.decide(&to_decide(meeting), options).await {
                    Ok(verdicts) => spread(meeting, verdicts),
                    Err(
                        error @ (ModelError::InvalidAnswer { .. }
                        | ModelError::Declined { .. }
                        | ModelError::ContextTooLong { .. }),
                    ) => {
                        tracing::warn!(org = %among.org, %error, "similar rows are compared without the model");
                        without_a_model(meeting)
                    }
                    Err(error) => return Err(Error::Model(error)),
                }
            }
            Learner::Model(_) | Learner::Builtin => without_a_model(meeting),
        };
        if !verdicts.objections.is_empty() {
            tracing::info!(org = %among.org, objections = ?verdicts.objections, "proposals were refused");
        }
        for _ in verdicts.new.iter().filter(|verdict| matches!(verdict, Verdict::Known { .. })) {
            findings.drop_one(KNOWN);
        }
        carry_out(gathered, verdicts, rows);
        Ok(())
    }
}

/// Only the new rows that resemble something: the others are not decided on, and would only cost.
fn to_decide(meeting: &Meeting) -> Meeting {
    let new = meeting.new.iter().filter(|newcomer| !newcomer.similar.is_empty()).cloned().collect();
    let forget = meeting.forget.iter().filter(|forget| !forget.similar.is_empty()).cloned().collect();
    Meeting { new, known: meeting.known.clone(), forget }
}

/// The verdicts on some rows, as those on all of them.
fn spread(meeting: &Meeting, mut verdicts: Verdicts) -> Verdicts {
    let mut decided = std::mem::take(&mut verdicts.new).into_iter();
    let verdict = |newcomer: &Newcomer| match newcomer.similar.is_empty() {
        true => Verdict::Independent,
        false => decided.next().unwrap_or_default(),
    };
    verdicts.new = meeting.new.iter().map(verdict).collect();
    verdicts
}

fn carry_out(gathered: Gathered, verdicts: Verdicts, rows: &mut Rows) {
    let Gathered { meeting, places } = gathered;
    let known = |at: usize| meeting.known.get(at).zip(places.get(at).copied());
    for (newcomer, verdict) in meeting.new.into_iter().zip(verdicts.new) {
        let item = newcomer.item;
        match verdict {
            Verdict::Independent => {
                rows.add(item);
            }
            Verdict::Known { by } => match known(by) {
                Some((known, Place::Stored)) => rows.confirm(known.subject(), item.evidence().to_vec()),
                Some((_, Place::Made(place))) => rows.confirm_made(place, item.evidence()),
                None => {}
            },
            Verdict::Unify { with, wording } => {
                let parts: Vec<(&Item, Place)> = with.iter().filter_map(|at| known(*at)).collect();
                let items: Vec<&Item> = parts.iter().map(|(item, _)| *item).collect();
                let successor = rows.add(item.unified(&items, wording, &verdicts.decided_by));
                for (known, place) in parts {
                    give_way(rows, known, place, Retirement::Merged, successor);
                }
            }
            Verdict::Differentiate { from, trigger, known_trigger } => {
                if let Some((known, place)) = known(from) {
                    let mut refined = known.clone().with_trigger(&known_trigger);
                    refined.is_made_anew(&item, &verdicts.decided_by);
                    let successor = rows.add(refined);
                    give_way(rows, known, place, Retirement::Superseded, successor);
                }
                rows.add(item.with_trigger(&trigger));
            }
        }
    }
    for at in verdicts.forgotten {
        match meeting.known.get(at).map(Item::subject).zip(places.get(at)) {
            Some((LineageSubject::Profile(id), Place::Stored)) => rows.forget(id),
            Some((_, Place::Made(place))) => rows.drop_made(*place, None),
            Some((LineageSubject::UserPlaybook(_) | LineageSubject::AgentPlaybook(_), Place::Stored))
            | None => {}
        }
    }
}

fn give_way(rows: &mut Rows, known: &Item, place: Place, how: Retirement, successor: usize) {
    match place {
        Place::Stored => rows.retire(known.clone(), how, successor),
        Place::Made(made) => rows.drop_made(made, Some(successor)),
    }
}
