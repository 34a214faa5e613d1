//! Which playbook a rule belongs to.
//!
//! A definition is read for what it restricts: topics ("refund policy"), style ("tone, length"), or what
//! happened ("frustration", "task completed"). A rule goes to the one definition that fits it best; one that
//! fits none is not learned. A definition that restricts nothing takes everything that no other claims.

use std::collections::HashSet;
use std::sync::LazyLock;

use reflexio_types::config::PlaybookConfig;

use super::cues::{Language, Table};
use super::output::Signal;
use super::reading::telling_terms;

/// Definitions that were read once for many rules.
#[derive(Default)]
pub(super) struct Router<'d>(Vec<Definition<'d>>);

struct Definition<'d> {
    config: &'d PlaybookConfig,
    topics: HashSet<String>,
    topical: bool,
    style: bool,
    aspects: Vec<Signal>,
}

/// What a rule is about.
pub(super) struct Subject {
    pub(super) signal: Signal,
    pub(super) terms: HashSet<String>,
    pub(super) style: bool,
}

impl<'d> Router<'d> {
    pub(super) fn of(configs: &'d [PlaybookConfig]) -> Self {
        Self(configs.iter().map(Definition::read).collect())
    }

    /// The best definition; of equals the first by name, so that the order of the configuration decides nothing.
    pub(super) fn route(&self, subject: &Subject) -> Option<&'d PlaybookConfig> {
        let fitting =
            self.0.iter().filter_map(|definition| Some((definition.fit(subject)?, definition.config)));
        fitting
            .min_by_key(|(fit, config)| {
                (
                    std::cmp::Reverse(*fit),
                    config.playbook_name.as_str(),
                    config.playbook_definition_prompt.as_str(),
                )
            })
            .map(|(_, config)| config)
    }
}

impl<'d> Definition<'d> {
    fn read(config: &'d PlaybookConfig) -> Self {
        let name = config.playbook_name.replace(['_', '-'], " ");
        let prompt = config.playbook_definition_prompt.trim();
        let head = prompt.split(['.', '\n', ':']).next().unwrap_or_default();
        let vocabulary = &*VOCABULARY;
        let topics_of = |text: &str| -> HashSet<String> {
            telling_terms(text).into_iter().filter(|term| !vocabulary.is_known(term)).collect()
        };
        let all = telling_terms(&format!("{name} {prompt}"));
        let headed = telling_terms(&format!("{name} {head}"));
        let topical = !topics_of(&name).is_empty() || !topics_of(head).is_empty();
        let aspects =
            vocabulary.aspects.iter().filter(|(_, words)| all.iter().any(|term| words.contains(term)));
        Self {
            config,
            topics: topics_of(&format!("{name} {prompt}")),
            topical,
            style: headed.iter().any(|term| vocabulary.style.contains(term)),
            aspects: aspects.map(|(signal, _)| *signal).collect(),
        }
    }

    /// How well the rule fits, or none if the definition restricts it away.
    fn fit(&self, subject: &Subject) -> Option<usize> {
        let shared = if self.topical { subject.terms.intersection(&self.topics).count().min(3) } else { 0 };
        let style = usize::from(self.style && subject.style);
        let aspect = usize::from(self.aspects.contains(&kind(subject.signal)));
        let fits = if self.topical || self.style {
            shared + style > 0
        } else {
            self.aspects.is_empty() || aspect > 0 || self.is_general()
        };
        fits.then_some(shared * 4 + style * 3 + aspect)
    }

    /// A definition that names corrections as well as successes wants all there is.
    fn is_general(&self) -> bool {
        [Signal::Correction, Signal::Confirmation].iter().all(|signal| self.aspects.contains(signal))
    }
}

fn kind(signal: Signal) -> Signal {
    match signal {
        Signal::ExpertGap | Signal::Fact => Signal::Correction,
        Signal::Action => Signal::Confirmation,
        signal @ (Signal::Correction | Signal::Preference | Signal::Failure | Signal::Confirmation) => signal,
    }
}

struct Vocabulary {
    aspects: Vec<(Signal, HashSet<String>)>,
    style: HashSet<String>,
    meta: HashSet<String>,
}

impl Vocabulary {
    fn is_known(&self, term: &str) -> bool {
        self.meta.contains(term)
            || self.style.contains(term)
            || self.aspects.iter().any(|(_, words)| words.contains(term))
    }
}

/// The words of definitions themselves, as stems; definitions are written in English.
static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    let table = Table::of(Language::English);
    let stems =
        |set: &str| table.set(set).iter().flat_map(|word| telling_terms(word)).collect::<HashSet<_>>();
    Vocabulary {
        aspects: vec![
            (Signal::Correction, stems("about-correction")),
            (Signal::Preference, stems("about-preference")),
            (Signal::Failure, stems("about-failure")),
            (Signal::Confirmation, stems("about-confirmation")),
        ],
        style: stems("about-style"),
        meta: stems("about-anything"),
    }
});

/// Whether a text is about how the agent expresses itself.
pub(super) fn is_style(text: &str) -> bool {
    let table = Table::of(Language::English);
    let words = super::text::words(text);
    words.iter().any(|word| {
        ["style-word", "style", "language", "units"].iter().any(|set| table.has(set, &word.lower))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(definitions: &[(&str, &str)], signal: Signal, text: &str) -> Option<String> {
        let configs: Vec<_> =
            definitions.iter().map(|(name, prompt)| PlaybookConfig::named(*name, *prompt)).collect();
        let terms = telling_terms(text).into_iter().collect();
        let subject = Subject { signal, terms, style: is_style(text) };
        Router::of(&configs).route(&subject).map(|config| config.playbook_name.clone())
    }

    const STYLE: (&str, &str) =
        ("communication_style", "How the agent should phrase and format its answers: tone, length.");
    const REFUNDS: (&str, &str) = ("refund_policy", "What the agent gets wrong about refunds and returns.");

    #[test]
    fn a_rule_goes_to_the_definition_it_touches() {
        let both = [STYLE, REFUNDS];
        let to = |signal, text| route(&both, signal, text);
        assert_eq!(to(Signal::Correction, "Keep the answers short.").as_deref(), Some("communication_style"));
        assert_eq!(to(Signal::Correction, "Offer a refund to the card.").as_deref(), Some("refund_policy"));
        assert_eq!(to(Signal::Correction, "Deploy to staging."), None);
    }

    #[test]
    fn a_general_definition_takes_what_no_other_claims() {
        let general = PlaybookConfig::general();
        let all =
            [STYLE, REFUNDS, (general.playbook_name.as_str(), general.playbook_definition_prompt.as_str())];
        let to = |text| route(&all, Signal::Correction, text);
        assert_eq!(to("Deploy to staging.").as_deref(), Some("playbook"));
        assert_eq!(to("Offer a refund to the card.").as_deref(), Some("refund_policy"));
        assert_eq!(route(&all, Signal::Preference, "Call before noon.").as_deref(), Some("playbook"));
    }

    #[test]
    fn definitions_of_the_documents_take_what_they_describe() {
        let satisfaction = (
            "customer_satisfaction",
            "Analyze the user's response to determine their satisfaction level with the agent's help. Look for:\n\
             - Explicit expressions of satisfaction or frustration\n- Signs of confusion or repeated questions",
        );
        let pains = (
            "pain_points",
            "Identify user pain points and frustrations:\n- Features that don't work as expected\n- Repeated user complaints",
        );
        assert!(route(&[satisfaction], Signal::Confirmation, "Run npm ci.").is_some());
        assert!(route(&[pains], Signal::Failure, "Restarting the router did not help.").is_some());
        assert!(route(&[pains], Signal::Confirmation, "Run npm ci.").is_none());
    }
}
