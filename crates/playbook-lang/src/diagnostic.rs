//! What the parser and the linter have to say, and the edits that would settle it.

use std::fmt;

use serde::Serialize;

use crate::span::Span;

/// Errors stop a program from running; warnings do not.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
}

macro_rules! codes {
    ($($name:ident = $code:literal, $severity:ident, $about:literal;)*) => {
        /// Every kind of diagnostic. The number never changes its meaning.
        #[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $about] $name,)* }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$name,)*];

            /// The stable number, like `E009`.
            #[must_use]
            pub fn number(self) -> &'static str {
                match self { $(Code::$name => $code,)* }
            }

            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Code::$name => Severity::$severity,)* }
            }

            /// One sentence about the kind, for lists of rules.
            #[must_use]
            pub fn about(self) -> &'static str {
                match self { $(Code::$name => $about,)* }
            }
        }
    };
}

codes! {
    NoAgent = "E001", Error, "The program has no agent: no first-level heading.";
    DuplicateAgent = "E002", Error, "Two agents have the same name.";
    DuplicatePlaybook = "E003", Error, "Two playbooks of an agent have the same name.";
    AgentHeader = "E004", Error, "An agent's heading has no usable name or an unknown type.";
    TypeAnnotation = "E005", Error, "A type annotation is not a type.";
    UnknownSection = "E006", Error, "A section's title is nearly that of a known section.";
    UnclosedBrace = "E007", Error, "A placeholder is opened and never closed.";
    PlaceholderSyntax = "E008", Error, "A placeholder is not a Python expression.";
    UnknownPlaybook = "E009", Error, "A call names no playbook, function or agent of the program.";
    Arguments = "E010", Error, "The arguments of a call do not fit the playbook's parameters.";
    PrivatePlaybook = "E011", Error, "A call reaches a playbook that its agent does not publish.";
    ImportCycle = "E012", Error, "A file imports itself.";
    Import = "E013", Error, "An import could not be read.";
    Remote = "E014", Error, "The `remote` settings of an agent are incomplete or contradictory.";
    TwoEntries = "E015", Error, "Two playbooks say `cli_entry: true`.";
    ElseWithoutIf = "E016", Error, "`Otherwise` follows no `If`.";
    Frontmatter = "E017", Error, "The frontmatter is not YAML, or two files give the same key.";
    Signature = "E018", Error, "A playbook's parameters cannot be read.";
    Metadata = "E019", Error, "A metadata block cannot be read or holds a value that is not allowed.";
    PythonSyntax = "E020", Error, "A Python block does not parse.";
    SectionOutside = "E021", Error, "A section stands outside of any playbook.";
    ReadBeforeWrite = "W101", Warning, "A variable may be read before it has a value.";
    NeverRead = "W102", Warning, "A variable is written and never read.";
    Unreachable = "W103", Warning, "Nothing triggers, calls or publishes a playbook.";
    EndlessLoop = "W104", Warning, "A loop's body changes nothing its condition depends on.";
    SelfTrigger = "W105", Warning, "A playbook changes what its own trigger watches.";
    UnknownName = "W106", Warning, "A sentence names something that looks like a call and does not exist.";
    PlaceholderRecursion = "W107", Warning, "A placeholder calls a playbook that calls back.";
    LongMonologue = "W108", Warning, "Many steps in a row are left to the model.";
    AskedAssignment = "W109", Warning, "An assignment is not Python, so the model is asked for the value.";
    MetadataTypo = "W110", Warning, "A metadata key is nearly that of a known key.";
    JsonBraces = "W111", Warning, "Braces in a description look like JSON, not like a placeholder.";
    OtherSection = "W112", Warning, "A section is not one of triggers, steps and notes.";
    RepeatedSection = "W113", Warning, "A section is given twice; its lists are joined.";
    LooseText = "W114", Warning, "Text in a section is outside of its list and does nothing.";
    EmptyBody = "W115", Warning, "A condition or loop has no steps under it.";
    NotConnected = "W116", Warning, "Nothing connects to a remote agent: its transport or `auth` is not spoken here.";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.number())
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.number())
    }
}

/// An edit that settles a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fix {
    pub title: String,
    pub span: Span,
    pub replacement: String,
    /// Whether a machine may apply it unasked: the meaning is certain.
    pub is_safe: bool,
}

/// A finding with its place, what to do about it, and perhaps the edit that does it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    pub span: Span,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

impl Diagnostic {
    pub(crate) fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { code, severity: code.severity(), span, message: message.into(), help: None, fix: None }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The edit a machine may apply unasked.
    pub(crate) fn fix(
        mut self,
        title: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Self {
        self.fix = Some(Fix { title: title.into(), span, replacement: replacement.into(), is_safe: true });
        self
    }

    /// An edit that is probably meant; a person decides.
    pub(crate) fn suggest(
        self,
        title: impl Into<String>,
        span: Span,
        replacement: impl Into<String>,
    ) -> Self {
        let mut this = self.fix(title, span, replacement);
        if let Some(fix) = &mut this.fix {
            fix.is_safe = false;
        }
        this
    }
}
