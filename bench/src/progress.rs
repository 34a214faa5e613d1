use std::convert::Infallible;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Often enough for the eye, too seldom to cost anything.
const REDRAW: Duration = Duration::from_millis(100);
const PARTS: u64 = 1_000;

/// A bar on a terminal while something runs, and one line about it when it is done.
pub(crate) struct Progress {
    what: String,
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        let what = what.into();
        let bar = ProgressBar::new(PARTS);
        // Only a wrong template fails, and then the plain bar will do.
        let style = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} % {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(what.clone());
        Self { what, bar }
    }

    /// Redraws for ever; drop it when the work is done.
    pub(crate) async fn follow(&self, share: impl Fn() -> f64) -> Infallible {
        loop {
            self.set(share());
            tokio::time::sleep(REDRAW).await;
        }
    }

    pub(crate) fn set(&self, share: f64) {
        self.bar.set_position((share.clamp(0.0, 1.0) * PARTS as f64) as u64);
    }

    /// Says what came out; also where there is no terminal.
    pub(crate) fn done(self, result: impl std::fmt::Display) {
        self.bar.finish_and_clear();
        eprintln!("{}: {result}", self.what);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
