use std::io::{self, BufRead, IsTerminal, Write};

use crate::context::Context;
use crate::failure::Failure;

/// Goes on only if a person wants `action` (`erase everything`) to be done.
pub(crate) fn confirm(context: &Context, action: &str, yes: bool) -> anyhow::Result<()> {
    ask_first(context, action, " and cannot be undone", yes)
}

/// As [`confirm`], for what can be taken back.
pub(crate) fn confirm_undoable(context: &Context, action: &str, yes: bool) -> anyhow::Result<()> {
    ask_first(context, action, "", yes)
}

fn ask_first(context: &Context, action: &str, consequence: &str, yes: bool) -> anyhow::Result<()> {
    if yes {
        return Ok(());
    }
    if !io::stdin().is_terminal() || context.out.is_json() {
        return Err(Failure::usage(format!("will not {action} without asking, and there is nobody to ask"))
            .hint("add --yes")
            .into());
    }
    match ask(&format!("This will {action}{consequence}. Go on? [y/N] "))? {
        Some(true) => Ok(()),
        _ => Err(Failure::failed("nothing was changed").into()),
    }
}

/// A question with a default of yes.
pub(crate) fn again(question: &str) -> io::Result<bool> {
    if !io::stdin().is_terminal() {
        return Ok(false);
    }
    Ok(ask(&format!("{question} [Y/n] "))?.unwrap_or(true))
}

fn ask(question: &str) -> io::Result<Option<bool>> {
    let mut err = io::stderr().lock();
    write!(err, "{question}")?;
    err.flush()?;
    let mut answer = String::new();
    let end_of_input = io::stdin().lock().read_line(&mut answer)? == 0;
    Ok(match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Some(true),
        "" if !end_of_input => None,
        _ => Some(false),
    })
}
