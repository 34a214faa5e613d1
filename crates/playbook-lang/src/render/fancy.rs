//! Diagnostics for miette: colours, underlines, codes.

use std::fmt;

use miette::{
    Diagnostic as Shown, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode,
};

use crate::diagnostic::{Diagnostic, Severity};
use crate::program::Program;

/// Whether to use colours and line-drawing characters.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Style {
    Colour,
    Plain,
}

/// Every diagnostic as miette draws it.
#[must_use]
pub fn fancy(program: &Program, style: Style, width: usize) -> String {
    let theme = match style {
        Style::Colour => GraphicalTheme::unicode(),
        Style::Plain => GraphicalTheme::none(),
    };
    let handler = GraphicalReportHandler::new_themed(theme).with_width(width).with_links(false);
    let mut out = String::new();
    for diagnostic in program.diagnostics() {
        // Writing into a string cannot fail.
        let _ = handler.render_report(&mut out, &report(program, diagnostic));
        out.push('\n');
    }
    out
}

/// One diagnostic with its source, for callers with a handler of their own.
#[must_use]
pub fn report(program: &Program, diagnostic: &Diagnostic) -> Report {
    let (name, text) = program
        .sources()
        .file(diagnostic.span.file)
        .map_or_else(Default::default, |file| (file.name.clone(), file.text.clone()));
    Report { diagnostic: diagnostic.clone(), source: NamedSource::new(name, text) }
}

#[derive(Debug)]
pub struct Report {
    diagnostic: Diagnostic,
    source: NamedSource<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostic.message)
    }
}

impl std::error::Error for Report {}

impl Shown for Report {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.diagnostic.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.diagnostic.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let fix = self.diagnostic.fix.as_ref().map(|fix| fix.title.clone());
        let help = self.diagnostic.help.clone().or(fix)?;
        Some(Box::new(help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let range = self.diagnostic.span.range();
        Some(Box::new(std::iter::once(LabeledSpan::new(Some("here".to_owned()), range.start, range.len()))))
    }
}
