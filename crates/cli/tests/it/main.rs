//! The real binary against real servers: what it prints, what it exits with, and what survives.

#![expect(clippy::expect_used, clippy::panic, reason = "a helper of a test fails the test")]

mod agent_playbooks;
mod config;
mod costs;
mod crash;
mod demo;
mod dev;
mod doctor;
mod embeddings;
mod errors;
mod evaluations;
mod full_disk;
mod help;
mod keys;
mod learning_crash;
mod lsp;
mod playbook;
mod playbook_mcp;
mod playbook_run;
mod playbook_server;
mod publish;
mod report;
mod rows;
mod search;
mod serve;
mod shadow;
mod support;
mod transfer;
