//! The one binary, `reflexio`: the server and the commands that talk to one.
//!
//! Commands that show or change rows go through `reflexio-client`, so they work against any server; the
//! operator's commands (`keys`, `backup`, `export`, …) work on the data folder itself. This is the only
//! crate that names a concrete database. Start reading at [`args`] (what can be asked) and `commands/`
//! (one file per noun).

mod args;
mod ask;
mod commands;
mod context;
mod data_dir;
mod editor;
mod exit;
mod failure;
mod local_model;
mod lock;
mod models;
mod output;
mod report;
mod run;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    run::main()
}
