//! A language server for Markdown playbooks: what `playbook-lang` knows, told to editors.
//!
//! [`serve`] speaks the protocol over a connection; everything else is functions from a program and a place to an
//! answer. `position` maps the editor's UTF-16 columns to bytes, `analysis` reads an open document with its imports.
//! Start reading at `server.rs`.
//!
//! This crate must never open a file or write one: [`Files`] finds what documents import, and changes are edits that
//! the editor applies. It must never fail on a document that is half typed.

mod actions;
mod analysis;
mod answer;
mod completion;
mod document;
mod hover;
mod navigation;
mod outline;
mod position;
mod renaming;
mod server;

use playbook_lang::{Loader, SourceFile};

pub use document::Document;
pub use position::Index;
pub use server::{Error, serve};

/// The files around open documents. Names are absolute paths; one file has one name.
pub trait Files: Loader {
    /// The name of the file at a path that the editor gave.
    fn name(&self, path: &std::path::Path) -> String;

    /// Files in the folder of a file that may import it.
    fn beside(&self, name: &str) -> Vec<SourceFile>;
}
