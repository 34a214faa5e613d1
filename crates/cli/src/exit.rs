use std::process::ExitCode;

/// What the exit status says. Scripts rely on these numbers; `--help` lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    Failed = 1,
    Usage = 2,
    Unreachable = 3,
    NotFound = 4,
    Forbidden = 5,
    BadInput = 6,
}

/// The same for people, at the end of `--help`.
pub(crate) const TABLE: &str = "\
Exit status:
  0  done
  1  the operation failed, or doctor or a check found a problem
  2  the command line is wrong
  3  the server cannot be reached
  4  there is no such thing
  5  not allowed: no key, a wrong key, or one that lacks a scope
  6  the server did not accept the input";

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        ExitCode::from(code as u8)
    }
}
