use std::time::Duration;

use tokio::sync::watch;

use crate::listener::Listener;
use crate::purpose::Purpose;
use crate::structured::Truncation;

/// How one call is made. The default is right for most.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub purpose: Purpose,
    pub temperature: Option<f64>,
    pub max_output_tokens: Option<u32>,
    /// Everything together, instead of the settings' deadline.
    pub deadline: Option<Duration>,
    /// What to do with a structured answer that breaks off.
    pub truncation: Truncation,
    /// Becomes true when the caller does not want the answer any more. Dropping the call does the same.
    pub cancel: Option<watch::Receiver<bool>>,
    /// A run that asks the same question again gets the answer it has; whoever wants another one counts up here.
    pub sample: u32,
    /// Hears answers while they are made.
    pub listener: Option<Listener>,
}

impl Options {
    pub fn for_run(run: impl Into<String>) -> Self {
        Self::with_purpose(Purpose::of_run(run))
    }

    pub fn with_purpose(purpose: Purpose) -> Self {
        Self { purpose, ..Self::default() }
    }
}

/// Returns when the caller cancels, and never otherwise.
pub(crate) async fn cancelled(cancel: Option<watch::Receiver<bool>>) {
    if let Some(mut cancel) = cancel
        && cancel.wait_for(|stop| *stop).await.is_ok()
    {
        return;
    }
    std::future::pending().await
}
