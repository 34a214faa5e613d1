//! What a command says: results on standard output, everything else on standard error.

mod chart;
mod progress;
mod table;
mod time;

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use console::Style;
use serde::Serialize;

use crate::args::{Color, Globals};
use crate::report::Report;

pub(crate) use chart::{bar, grouped, percent, range};
pub(crate) use progress::Progress;
pub(crate) use table::{Align, Panel, Table};
pub(crate) use time::{short, short_seconds};

/// Wide enough for a table in a file or a pipe.
const WIDTH_WITHOUT_TERMINAL: usize = 120;
const NARROWEST: usize = 40;

/// How results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Human,
    Json,
}

/// Where and how to print.
pub(crate) struct Output {
    pub(crate) format: Format,
    pub(crate) quiet: bool,
    pub(crate) color: bool,
    color_errors: bool,
    pub(crate) width: usize,
}

impl Output {
    pub(crate) fn new(globals: &Globals) -> Self {
        let wanted = |terminal: bool| match globals.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        };
        Self {
            format: if globals.json { Format::Json } else { Format::Human },
            quiet: globals.quiet,
            color: wanted(io::stdout().is_terminal()),
            color_errors: wanted(io::stderr().is_terminal()),
            width: width(),
        }
    }

    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// A result: the value in JSON, or the words for it.
    pub(crate) fn result<T: Serialize>(&self, value: &T, words: impl FnOnce() -> String) -> io::Result<()> {
        match self.format {
            Format::Json => self.json(value),
            Format::Human => self.line(words()),
        }
    }

    /// As [`Output::result`] for an action: its words are not worth printing when `--quiet`.
    pub(crate) fn done<T: Serialize>(&self, value: &T, words: impl FnOnce() -> String) -> io::Result<()> {
        match self.format {
            Format::Json => self.json(value),
            Format::Human if self.quiet => Ok(()),
            Format::Human => self.line(words()),
        }
    }

    pub(crate) fn json<T: Serialize>(&self, value: &T) -> io::Result<()> {
        let mut out = io::stdout().lock();
        serde_json::to_writer_pretty(&mut out, value)?;
        writeln!(out)
    }

    pub(crate) fn line(&self, text: impl Display) -> io::Result<()> {
        writeln!(io::stdout().lock(), "{text}")
    }

    /// Something worth knowing beside the result.
    pub(crate) fn note(&self, text: impl Display) {
        if !self.quiet {
            self.error_line(format_args!("{text}"));
        }
    }

    pub(crate) fn warning(&self, text: impl Display) {
        let word = self.style_errors().yellow().bold().apply_to("warning:");
        self.error_line(format_args!("{word} {text}"));
    }

    pub(crate) fn failure(&self, report: &Report) {
        let style = self.style_errors();
        self.error_line(format_args!("{} {}", style.clone().red().bold().apply_to("error:"), report.message));
        for detail in &report.details {
            self.error_line(format_args!("  {detail}"));
        }
        if let Some(hint) = &report.hint {
            self.error_line(format_args!("{} {hint}", style.cyan().bold().apply_to("hint:")));
        }
    }

    pub(crate) fn colors_errors(&self) -> bool {
        self.color_errors
    }

    /// For words within a result.
    pub(crate) fn style(&self) -> Style {
        Style::new().force_styling(self.color)
    }

    pub(crate) fn style_errors(&self) -> Style {
        Style::new().force_styling(self.color_errors)
    }

    #[expect(clippy::unused_self, reason = "everything printed goes through an Output")]
    fn error_line(&self, text: std::fmt::Arguments<'_>) {
        // When standard error is gone, there is nobody left to tell.
        let _ = writeln!(io::stderr().lock(), "{text}");
    }
}

fn width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let seen = || console::Term::stdout().size_checked().map(|(_, columns)| usize::from(columns));
    told.or_else(seen).unwrap_or(WIDTH_WITHOUT_TERMINAL).max(NARROWEST)
}
