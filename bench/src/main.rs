//! Measures a `reflexio` server from the outside: durable publishing, starting, and reading at a million rows.
//!
//! It starts servers of its own on loopback, each on a new folder, and ends every one of them. It prints what
//! it saw and judges nothing: targets stand beside the numbers, and the exit status does not depend on them.
//! It must never link the server, since the load it makes has to stay apart from what it measures. Only `jobs.rs`
//! uses the store, in this process: the queue has no other way in; and `learning/builtin.rs` the built-in learner.
//! Start reading at [`run`]; `publish.rs`, `startup.rs`, `scale/`, `learning/` and `jobs.rs` are the benchmarks.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its results")]

mod args;
mod bench;
mod bodies;
mod ceiling;
mod connection;
mod jobs;
mod latency;
mod learning;
mod load;
mod metrics;
mod plan;
mod process;
mod progress;
mod publish;
mod random;
mod report;
mod run;
mod scale;
mod server;
mod startup;
mod text;

use std::process::ExitCode;

use clap::Parser;
use tokio::signal::unix::{SignalKind, signal};

use crate::args::Cli;

/// One thread: the cores are for the server.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = tokio::select! {
        done = Box::pin(run::run(&cli)) => done,
        stopped = stop_signal() => Err(match stopped {
            Ok(()) => anyhow::anyhow!("stopped by a signal; the servers were ended and their folders removed"),
            Err(error) => error.into(),
        }),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Dropping what runs ends its servers and removes its folders, which a plain end by signal would not.
async fn stop_signal() -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => interrupted,
        _ = terminate.recv() => Ok(()),
    }
}
