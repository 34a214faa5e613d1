//! Rules as Markdown files, one each, and back: reviewed in a pull request, run as playbooks, given out as skills.

mod export;
mod import;
mod parse;
mod render;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use export::Export;
pub(crate) use import::Import;
