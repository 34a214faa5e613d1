#!/usr/bin/env bash
# Runs the Rust tests with cargo-nextest, which is installed if missing; plain `cargo test` if it cannot be.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! cargo nextest --version >/dev/null 2>&1; then
  echo "cargo-nextest is missing, installing it"
  cargo install --locked cargo-nextest || true
fi
if cargo nextest --version >/dev/null 2>&1; then
  cargo nextest run --locked --workspace
else
  echo "cargo-nextest could not be installed, using cargo test"
  cargo test --locked --workspace --lib --bins --tests
fi
