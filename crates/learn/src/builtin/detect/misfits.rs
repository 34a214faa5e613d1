//! Why a cue for a rule means nothing where it stands.

use super::DropReason;
use super::rules::Context;
use crate::builtin::cues::{Class, Hit};
use crate::builtin::reading::{Said, telling_terms};
use crate::builtin::text::{Word, generalise, span};

impl Context<'_, '_> {
    /// Why this cue means nothing here.
    pub(super) fn misfit(&self, hit: &Hit) -> Option<DropReason> {
        let agent = self.reading.agent_before(self.at).and_then(|at| self.reading.get(at));
        if self.is_out_of_place(hit, agent) {
            return Some(DropReason::NoContext);
        }
        let corrects = [Class::Correction, Class::SoftCorrection, Class::BareCorrection, Class::Contrast]
            .contains(&hit.class);
        let one_case =
            corrects && !self.is_order(hit) && (agent.is_some_and(Said::confirms) || !self.is_general());
        let choice = hit.class == Class::Preference && self.is_choice(hit, agent);
        (one_case || choice).then_some(DropReason::Choice)
    }

    /// A correction needs an answer before it, and a weak cue after a question is the answer to that question.
    fn is_out_of_place(&self, hit: &Hit, agent: Option<&Said<'_>>) -> bool {
        let answers = agent.is_some_and(Said::asks);
        let is = |class: Class| hit.class == class;
        if is(Class::Correction) && self.is_order(hit) {
            return self.begins_with_no() && (answers || agent.is_none());
        }
        if is(Class::Standing) {
            // "I'd prefer if you could do it for $200" is a price, not a rule.
            let priced = self.word(hit.words.start).ends_with("'d")
                && self.sentence.text.contains(|c: char| c.is_ascii_digit());
            let weak = hit.topic.is_some() && (agent.is_none() || answers || self.has_no_subject(hit));
            return priced || weak || self.is_plan(hit);
        }
        let Some(agent) = agent else { return !is(Class::Preference) };
        // "Not now" and "I don't want any" answer a question; "…, not X" does not.
        let opens_with_not = self.word(hit.words.start) != ",";
        (is(Class::SoftCorrection) && answers)
            || (is(Class::BareCorrection) && agent.ends_in_question())
            || (is(Class::Contrast) && ((opens_with_not && answers) || !self.contrasts(hit, agent)))
    }

    /// Whether anything is left when numbers, dates and names are gone. A complaint says its point elsewhere.
    fn is_general(&self) -> bool {
        const EMPTY: [&str; 8] = ["want", "need", "mean", "meant", "said", "ask", "actual", "onli"];
        let words = &self.sentence.words;
        let kept = generalise(self.sentence.text, words, self.said.table);
        let tells = |word: &&Word| {
            let terms = telling_terms(&word.lower);
            !terms.is_empty() && !terms.iter().all(|term| EMPTY.contains(&term.as_str()))
        };
        self.sentence.has(Class::BareCorrection) || kept.iter().filter(tells).count() >= 2
    }

    /// "No, don't buy it" answers a question, even one that the window does not show.
    fn begins_with_no(&self) -> bool {
        matches!(self.word(0), "no" | "nope" | "nah" | "yes")
    }

    /// "Don't …", "stop …" need no answer of the agent before them; "you forgot …" does.
    fn is_order(&self, hit: &Hit) -> bool {
        let first = self.word(hit.words.start);
        matches!(
            first,
            "please" | "don't" | "dont" | "do" | "stop" | "quit" | "can" | "could" | "would" | "only"
        )
    }

    /// "…, not production": a correction only if the agent spoke of production.
    fn contrasts(&self, hit: &Hit, agent: &Said<'_>) -> bool {
        let Some((_, range)) = hit.captures.first() else { return false };
        let words = self.sentence.words.get(range.clone()).unwrap_or_default();
        // Two cities changed places: that is about one journey only.
        if words.iter().all(|word| word.is_mark())
            || generalise(self.sentence.text, words, self.said.table).len() * 3 < words.len()
        {
            return false;
        }
        let refused = span(self.sentence.text, words);
        // "Stopovers" after "with a stop": the beginning of a word is enough.
        let alike = |a: &str, b: &str| a == b || (a.len() >= 4 && b.len() >= 4 && a.get(..4) == b.get(..4));
        let said = agent.telling_terms();
        telling_terms(refused)
            .iter()
            .filter(|term| !matches!(term.as_str(), "now" | "right" | "yet" | "realli"))
            .any(|term| said.iter().any(|other| alike(term, other)))
    }

    /// "Invoices must be in francs" is a rule, "it must be late" and "there must be a mistake" are guesses.
    fn has_no_subject(&self, hit: &Hit) -> bool {
        const PRONOUNS: [&str; 10] = ["it", "there", "that", "this", "i", "you", "we", "he", "she", "they"];
        let modal = matches!(self.word(hit.words.start), "must" | "should" | "has" | "have");
        let subject = hit.words.start.checked_sub(1).map_or("", |before| self.word(before));
        modal && (subject.is_empty() || PRONOUNS.contains(&subject))
    }

    /// "From now on I will …" tells what the user plans, not what the agent should do.
    fn is_plan(&self, hit: &Hit) -> bool {
        if hit.template.is_some_and(|template| matches!(template, "$before" | "$around"))
            && hit.words.start >= 3
        {
            return !self.begins_as_order();
        }
        let Some((_, range)) = hit.captures.last() else { return false };
        let own = matches!(
            self.word(range.start),
            "i" | "i'll" | "i'm" | "we" | "we'll" | "he" | "she" | "they" | "it"
        );
        own && !matches!(self.word(range.start + 1), "want" | "prefer" | "need" | "would" | "expect")
    }

    /// Whether the sentence orders: "(please) send …", "don't …", "I want you to …".
    fn begins_as_order(&self) -> bool {
        let table = self.said.table;
        let first =
            self.sentence.words.iter().position(|word| !word.is_mark() && !table.has("filler", &word.lower));
        let first = self.word(first.unwrap_or(0));
        table.has("verb", first)
            || matches!(first, "always" | "never" | "don't" | "only" | "could" | "can" | "would" | "stop")
    }

    /// "I'd prefer the first one" picks among what is offered; it tells nothing about the next time.
    fn is_choice(&self, hit: &Hit, agent: Option<&Said<'_>>) -> bool {
        let object = hit.captures.first().map_or(hit.words.end, |(_, range)| range.start);
        let words = self.sentence.words.get(object..hit.words.end).unwrap_or_default();
        let fresh = words.iter().any(|word| self.said.table.has("fresh", &word.lower));
        let picks = words
            .iter()
            .any(|word| matches!(word.lower.as_str(), "one" | "option" | "that" | "this" | "those"));
        let dated = |word: &Word| {
            word.lower.starts_with(|c: char| c.is_ascii_digit()) || self.said.table.has("date", &word.lower)
        };
        // "I'd prefer …" after a question fills in a form; so does a word or two without a sentence around.
        let wish = !self
            .sentence
            .words
            .get(hit.words.clone())
            .unwrap_or_default()
            .iter()
            .any(|word| word.lower == "prefer")
            || matches!(self.word(hit.words.start + 1), "would")
            || self.word(hit.words.start).ends_with("'d");
        let filled = agent.is_some_and(Said::asks) && (wish || words.len() <= 2);
        let named = agent.is_some_and(|agent| names_all(agent, span(self.sentence.text, words)));
        words.is_empty()
            || picks
            || fresh
            || words.iter().any(dated)
            || named
            || filled
            || self.said.table.has("deictic", self.word(object))
    }
}

/// Whether the agent already named all of it, so that the user only picks.
pub(super) fn names_all(agent: &Said<'_>, text: &str) -> bool {
    let said = agent.telling_terms();
    let named = telling_terms(text);
    !named.is_empty() && named.iter().all(|term| said.contains(term))
}
