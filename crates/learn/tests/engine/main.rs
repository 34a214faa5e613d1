//! Learning on a real store with a scripted model: whatever happens, what is stored is right and nothing is lost.
#![expect(clippy::unwrap_used, reason = "a test fails where an answer is not as expected")]

mod consolidation;
mod expert;
mod faults;
mod interruptions;
mod prompts;
mod support;
mod windows;
