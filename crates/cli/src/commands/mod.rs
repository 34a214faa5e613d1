//! One file per command; nouns with several verbs keep them together.

pub(crate) mod agent_playbooks;
pub(crate) mod backup;
pub(crate) mod completions;
pub(crate) mod config;
mod delete;
pub(crate) mod dev;
pub(crate) mod doctor;
pub(crate) mod embeddings;
pub(crate) mod export;
mod filters;
pub(crate) mod import;
pub(crate) mod interactions;
pub(crate) mod jobs;
pub(crate) mod keys;
pub(crate) mod openapi;
pub(crate) mod profiles;
pub(crate) mod publish;
pub(crate) mod restore;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod status;
pub(crate) mod user_playbooks;
pub(crate) mod users;
pub(crate) mod version;
