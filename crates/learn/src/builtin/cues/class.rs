/// What it means when a cue is found: the sections of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::builtin) enum Class {
    /// The agent did something wrong; the words say what would be right.
    Correction,
    /// The same, unless the sentence answers a question of the agent.
    SoftCorrection,
    /// "That's wrong.": what would be right follows, or the agent admits it.
    BareCorrection,
    /// "…, not X", a correction when X is what the agent said.
    Contrast,
    /// A request that holds from now on.
    Standing,
    /// Something the user prefers; about answers it is a rule, about anything else a fact.
    Preference,
    /// Likes and habits.
    Taste,
    Fact,
    /// What the agent tried did not help.
    Failure,
    /// What the agent did was right.
    Confirmation,
    /// The user is content with what was done.
    Thanks,
    /// A person is asked for, or brought in.
    Person,
    Forget,
    /// The agent admits a mistake.
    Concession,
    /// How a request begins, for the trigger.
    Request,
    /// Makes what follows a supposition.
    Hypothetical,
    /// Makes what follows somebody else's words.
    Reported,
    /// Tries to talk the agent out of its rules.
    Injection,
    Sarcasm,
    /// What follows a colon or a line end is a text to work on.
    Drafting,
    /// Begins a question even without a question mark.
    Asking,
    /// Must not be kept.
    Secret,
    /// Says how long a fact is true; the topic is the time to live.
    Lifetime,
}

impl Class {
    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "correction" => Class::Correction,
            "correction-soft" => Class::SoftCorrection,
            "correction-bare" => Class::BareCorrection,
            "contrast" => Class::Contrast,
            "standing" => Class::Standing,
            "preference" => Class::Preference,
            "taste" => Class::Taste,
            "fact" => Class::Fact,
            "failure" => Class::Failure,
            "confirmation" => Class::Confirmation,
            "thanks" => Class::Thanks,
            "person" => Class::Person,
            "forget" => Class::Forget,
            "concession" => Class::Concession,
            "request" => Class::Request,
            "hypothetical" => Class::Hypothetical,
            "reported" => Class::Reported,
            "injection" => Class::Injection,
            "sarcasm" => Class::Sarcasm,
            "drafting" => Class::Drafting,
            "asking" => Class::Asking,
            "secret" => Class::Secret,
            "lifetime" => Class::Lifetime,
            _ => return None,
        })
    }
}
