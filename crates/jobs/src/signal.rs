use tokio::sync::watch;

/// What a job that runs is told. Each implies those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Signal {
    GoOn,
    /// The runner stops soon; what can be finished soon should be.
    Stopping,
    /// Somebody cancelled the job.
    Cancelled,
    /// Somebody else has the job; nothing it does counts any more.
    Lost,
}

/// One end is with the runner, the other with the job.
pub(crate) struct Signals {
    sender: watch::Sender<Signal>,
}

impl Signals {
    pub(crate) fn new() -> (Self, Listener) {
        let (sender, receiver) = watch::channel(Signal::GoOn);
        (Self { sender }, Listener { receiver })
    }

    /// A weaker signal does not take back a stronger one.
    pub(crate) fn send(&self, signal: Signal) {
        self.sender.send_if_modified(|current| {
            let stronger = signal > *current;
            *current = signal.max(*current);
            stronger
        });
    }
}

#[derive(Clone)]
pub(crate) struct Listener {
    receiver: watch::Receiver<Signal>,
}

impl Listener {
    pub(crate) fn now(&self) -> Signal {
        *self.receiver.borrow()
    }

    /// Returns when this signal or a stronger one was given.
    pub(crate) async fn reaches(&self, signal: Signal) {
        let mut receiver = self.receiver.clone();
        if receiver.wait_for(|current| *current >= signal).await.is_err() {
            // The runner is gone and will say nothing more.
            std::future::pending::<()>().await;
        }
    }
}
