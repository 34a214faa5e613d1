//! From any error to the lines a person reads and the status a script reads.

use std::error::Error as StdError;
use std::io::ErrorKind;

use reflexio_api_types::{Detail, LocPart};
use reflexio_types::config::{PathPart, Violation};

use crate::exit::Code;
use crate::failure::Failure;

/// What is told about a failed command.
pub(crate) struct Report {
    pub(crate) code: Code,
    pub(crate) message: String,
    pub(crate) details: Vec<String>,
    pub(crate) hint: Option<String>,
}

impl Report {
    /// Nothing when whoever read our output went away, which is their right.
    pub(crate) fn of(error: &anyhow::Error) -> Option<Self> {
        if error.chain().filter_map(|cause| cause.downcast_ref::<std::io::Error>()).any(is_broken_pipe) {
            return None;
        }
        let mut message = Vec::new();
        for cause in error.chain() {
            if let Some(known) = known(cause) {
                message.push(known.message);
                return Some(Self { message: message.join(": "), ..known });
            }
            message.push(cause.to_string());
        }
        Some(Self { code: Code::Failed, message: message.join(": "), details: Vec::new(), hint: None })
    }
}

fn is_broken_pipe(error: &std::io::Error) -> bool {
    error.kind() == ErrorKind::BrokenPipe
}

fn known(cause: &(dyn StdError + 'static)) -> Option<Report> {
    if let Some(failure) = cause.downcast_ref::<Failure>() {
        let Failure { code, message, details, hint } = failure;
        return Some(Report {
            code: *code,
            message: message.clone(),
            details: details.clone(),
            hint: hint.clone(),
        });
    }
    if let Some(error) = cause.downcast_ref::<reflexio_client::Error>() {
        return Some(of_client(error));
    }
    if let Some(error) = cause.downcast_ref::<reflexio_app::Error>() {
        return Some(of_app(error));
    }
    cause.downcast_ref::<reflexio_store::Error>().map(of_store)
}

pub(crate) fn of_client(error: &reflexio_client::Error) -> Report {
    use reflexio_client::Error;
    let (code, hint) = match error {
        Error::Address(_) => (Code::Usage, "set it with --server-url or REFLEXIO_URL"),
        Error::Unreachable { url, .. } if is_local(url) => (
            Code::Unreachable,
            "start a server with `reflexio serve` (or `make run`), or name another one with --server-url",
        ),
        Error::Unreachable { .. } => {
            (Code::Unreachable, "is the address right, and does a server run there?")
        }
        Error::NotFound(_) => (Code::NotFound, ""),
        Error::Forbidden { status: 401, .. } => (
            Code::Forbidden,
            "give a key with --api-key or REFLEXIO_API_KEY; `reflexio keys create --name NAME` makes one",
        ),
        Error::Forbidden { .. } => {
            (Code::Forbidden, "use a key with that scope; `reflexio keys list` shows what each key may do")
        }
        Error::Invalid(_) => (Code::BadInput, ""),
        Error::TooLarge(_) => (Code::BadInput, "publish fewer interactions at once"),
        Error::Api { status: 429, .. } => {
            (Code::Failed, "the server limits the rate; try again a little later")
        }
        Error::Api { .. } | Error::Refused(_) => (Code::Failed, ""),
        Error::Answer { .. } => (Code::Failed, "is this address that of a Reflexio server of this version?"),
    };
    let mut message = error.to_string();
    if let Error::Unreachable { source, .. } = error {
        message = format!("{message}: {}", innermost(source));
    }
    let details = match error {
        Error::Invalid(details) => details.iter().map(detail_line).collect(),
        Error::Answer { source, .. } => vec![source.to_string()],
        Error::Address(_)
        | Error::Unreachable { .. }
        | Error::NotFound(_)
        | Error::Forbidden { .. }
        | Error::TooLarge(_)
        | Error::Api { .. }
        | Error::Refused(_) => Vec::new(),
    };
    Report { code, message, details, hint: Some(hint.to_owned()).filter(|hint| !hint.is_empty()) }
}

fn is_local(url: &str) -> bool {
    ["//127.", "//localhost", "//[::1]"].iter().any(|host| url.contains(host))
}

fn of_app(error: &reflexio_app::Error) -> Report {
    use reflexio_app::Error;
    let code = match error {
        Error::NotFound { .. } => Code::NotFound,
        Error::Forbidden(_) | Error::OwnWriting(_) => Code::Forbidden,
        Error::InvalidConfig(_) | Error::UnknownVersion { .. } | Error::InvalidPlaybook(_) => Code::BadInput,
        Error::DuplicateRequest(_)
        | Error::Duplicate { .. }
        | Error::JobState { .. }
        | Error::NotUndone { .. }
        | Error::Sealed
        | Error::NotConfigured(_)
        | Error::NotJudged(_)
        | Error::NotOptimizable(_)
        | Error::NoLift(_)
        | Error::PlaybookOver { .. }
        | Error::NoAnswer(_)
        | Error::Unavailable(_)
        | Error::Internal(_) => Code::Failed,
    };
    let message =
        if let Error::Internal(source) = error { innermost(source.as_ref()) } else { error.to_string() };
    Report { code, message, details: Vec::new(), hint: None }
}

fn of_store(error: &reflexio_store::Error) -> Report {
    use reflexio_store::Error;
    let hint = match error {
        Error::Corrupt(_) => Some("`reflexio restore FILE --force` puts a backup in its place"),
        Error::Busy => Some("another process is writing to it; try again"),
        Error::ReadOnly => Some("check who owns the folder and its files"),
        Error::Duplicate { .. }
        | Error::Changed { .. }
        | Error::LostLease(_)
        | Error::Full
        | Error::Closed
        | Error::UnusableModel(_)
        | Error::Internal(_) => None,
    };
    let mut message = error.to_string();
    if let Error::Internal(source) = error {
        message = format!("{message}: {}", innermost(source.as_ref()));
    }
    Report { code: Code::Failed, message, details: Vec::new(), hint: hint.map(str::to_owned) }
}

/// The cause at the bottom is the one a person can act on.
fn innermost(error: &(dyn StdError + 'static)) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

/// `interaction_data_list.0.user_action: Input should be …`
pub(crate) fn detail_line(detail: &Detail) -> String {
    let parts = detail.loc.iter().map(|part| match part {
        LocPart::Index(index) => index.to_string(),
        LocPart::Key(key) => key.clone(),
    });
    let path: Vec<String> = parts.collect();
    let inside = matches!(path.first().map(String::as_str), Some("body" | "query"));
    problem_line(&path[usize::from(inside)..], &detail.msg)
}

pub(crate) fn violation_line(violation: &Violation) -> String {
    let parts = violation.path.iter().map(|part| match part {
        PathPart::Index(index) => index.to_string(),
        PathPart::Key(key) => key.clone(),
    });
    problem_line(&parts.collect::<Vec<_>>(), &violation.message)
}

fn problem_line(path: &[String], message: &str) -> String {
    let message = message.strip_prefix("Value error, ").unwrap_or(message);
    if path.is_empty() { message.to_owned() } else { format!("{}: {message}", path.join(".")) }
}
