use std::process::ExitCode;

/// What the exit status says. Scripts rely on these numbers; `--help` lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    Failed,
    Usage,
    Unreachable,
    /// A playbook asked something, and there was nobody to answer.
    NeedsInput,
    NotFound,
    Forbidden,
    BadInput,
    Interrupted,
}

/// The same for people, at the end of `--help`.
pub(crate) const TABLE: &str = "\
Exit status:
  0  done
  1  the operation failed, or doctor or a check found a problem
  2  the command line is wrong
  3  the server cannot be reached; of `playbook run`: an answer of the user was needed
  4  there is no such thing
  5  not allowed: no key, a wrong key, or one that lacks a scope
  6  the server did not accept the input
  130  interrupted";

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        ExitCode::from(match code {
            Code::Failed => 1,
            Code::Usage => 2,
            // `playbook run` asks no server that could be missing.
            Code::Unreachable | Code::NeedsInput => 3,
            Code::NotFound => 4,
            Code::Forbidden => 5,
            Code::BadInput => 6,
            Code::Interrupted => 130,
        })
    }
}
