#!/usr/bin/env bash
# Builds the release programs, measures the server, and puts the results into bench/RESULTS.md.
# `bench/run.sh learning` measures learning instead. Arguments go to `reflexio-bench`: --quick (its results go to the
# target folder), --section NAME, …
set -euo pipefail
cd "$(dirname "$0")/.."

# The programs end by themselves before this; it only guards against a hang.
most_seconds=880
target="${CARGO_TARGET_DIR:-target}"
shown="bench/run.sh${*:+ $*}"
what=all
if [[ ${1:-} == learning ]]; then
    what=learning
    shift
fi
out=bench/RESULTS.md
for argument in "$@"; do
    if [[ $argument == --quick ]]; then out="$target/bench-quick.md"; fi
done

# Two builds: in one, cargo would give the server the features that only the load generator needs.
cargo build --release --package reflexio-cli
cargo build --release --package reflexio-bench

work="$target/bench"
trap 'rm -rf -- "$work"' EXIT
timeout --foreground --kill-after=30 "$most_seconds" "$target/release/reflexio-bench" "$what" \
    --server "$target/release/reflexio" --work-dir "$work" --out "$out" \
    --invoked-as "$shown" "$@"
echo "results are in $out" >&2
