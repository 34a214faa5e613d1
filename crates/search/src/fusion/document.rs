use super::passages::passages;
use super::question::Question;
use crate::words::each_term;

/// Where a row stands among others. Rows of one session with positions next to each other are each
/// other's context; a row without neighbours (a rule, a procedure) gets a session of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Place {
    pub session: u64,
    pub position: u64,
}

/// A row as one question sees it: where the question's terms occur in it, and how long it is.
#[derive(Debug, Clone, Default)]
pub struct Document {
    pub(super) place: Place,
    pub(super) passages: Vec<Counts>,
    pub(super) whole: Counts,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Counts {
    /// Number of the question's term, and how often it occurs; each term once.
    pub(super) terms: Vec<(usize, u32)>,
    pub(super) length: usize,
}

impl Document {
    pub fn read(question: &Question, place: Place, speaker: Option<&str>, text: &str) -> Self {
        // Whoever spoke said every passage of it.
        let said_by = Counts::of(question, speaker.unwrap_or_default());
        let mut document = Self { place, passages: Vec::new(), whole: said_by.clone() };
        for range in passages(text) {
            let mut passage = Counts::of(question, text.get(range).unwrap_or_default());
            document.whole.add(&passage);
            passage.add(&said_by);
            document.passages.push(passage);
        }
        document
    }
}

impl Counts {
    fn of(question: &Question, text: &str) -> Self {
        let mut counts = Self::default();
        each_term(text, |word| {
            counts.length += 1;
            if let Some(term) = question.find(word) {
                counts.count(term, 1);
            }
        });
        counts
    }

    fn add(&mut self, other: &Self) {
        self.length += other.length;
        for &(term, times) in &other.terms {
            self.count(term, times);
        }
    }

    fn count(&mut self, term: usize, times: u32) {
        match self.terms.iter_mut().find(|(known, _)| *known == term) {
            Some((_, count)) => *count = count.saturating_add(times),
            None => self.terms.push((term, times)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_passage_is_by_the_speaker_and_the_whole_counts_them_once() {
        let question = Question::read("What did Ann paint?");
        let text = format!("{}. {}.", "I painted ".repeat(40), "other words ".repeat(40));
        let document = Document::read(&question, Place::default(), Some("Ann"), &text);
        assert_eq!(document.passages.len(), 2);
        let times = |counts: &Counts, word| {
            let term = question.find(word);
            counts.terms.iter().find(|(known, _)| Some(*known) == term).map(|(_, times)| *times)
        };
        assert_eq!(document.passages.iter().map(|p| times(p, "ann")).collect::<Vec<_>>(), [Some(1), Some(1)]);
        assert_eq!((times(&document.whole, "ann"), times(&document.whole, "paint")), (Some(1), Some(40)));
        assert_eq!(document.whole.length, 1 + 160);
    }
}
