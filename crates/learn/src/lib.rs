//! Learning from conversations: user profiles and user playbooks out of a window of turns.
//!
//! [`builtin`] learns without any language model. Nothing here stores anything, reads a clock or makes an id;
//! what is learned carries the labels of the turns that show it, and an item without such evidence does not exist.

pub mod builtin;
