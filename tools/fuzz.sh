#!/usr/bin/env bash
# Fuzzes every target for FUZZ_SECONDS (60), or those that are named: tools/fuzz.sh parser engine
#
# cargo-fuzz is installed if missing. Without it or a C++ compiler nothing is fuzzed, and that is said. Inputs that
# found something are kept in fuzz/artifacts, what was learned in fuzz/corpus for the next time.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds="${FUZZ_SECONDS:-60}"
targets=("$@")
if [ ${#targets[@]} -eq 0 ]; then targets=(parser placeholders expressions engine test_files answers); fi

skip() { echo "fuzzing is SKIPPED: $1"; exit 0; }

# Examples and the programs of the tests, in the form of each target. They are small: the fuzzer combines them.
seed() { # <target>
  local corpus="fuzz/corpus/$1" file
  local programs=(examples/playbooks/*.md crates/playbook-lang/tests/programs/*)
  mkdir -p "$corpus"
  case "$1" in
    parser) cp "${programs[@]}" "$corpus" ;;
    engine)
      for file in "${programs[@]}"; do
        { cat "$file"; printf '\0\007\002\004\006\007\011\012\017\020'; } >"$corpus/$(basename "$file")"
      done ;;
    test_files) cp examples/playbooks/*.test.md "$corpus" ;;
    answers)
      for file in examples/playbooks/*.test.md; do
        sed -n '/```json/,/```/p' "$file" >"$corpus/$(basename "$file")"
      done ;;
    placeholders | expressions)
      "${PYTHON:-python3}" - "$1" "$corpus" crates/playbook-lang/tests/cases/{placeholders,cpython}.json <<'PY'
import json, pathlib, sys
target, corpus, *files = sys.argv[1:]
for file in map(pathlib.Path, files):
    for number, case in enumerate(json.loads(file.read_text())["cases"]):
        text = case["in"] if target == "placeholders" else case["in"].strip("{}")
        (pathlib.Path(corpus) / f"{file.stem}-{number}").write_text(text)
PY
      ;;
  esac
}

if ! cargo fuzz --version >/dev/null 2>&1; then
  echo "cargo-fuzz is missing, installing it"
  cargo install --locked cargo-fuzz || skip "cargo-fuzz could not be installed"
fi
command -v "${CXX:-c++}" >/dev/null || skip "libFuzzer needs a C++ compiler"

# No sanitizer: the crates that are fuzzed have no unsafe code, and without one the stable compiler is enough. No traced
# comparisons: the dictionaries know the words, and tracing takes half of the time. No debug information: a panic says
# its line without.
options=(--sanitizer none --no-trace-compares --codegen-units 16 --target-dir "${CARGO_TARGET_DIR:-$PWD/target}/fuzz")
export RUSTFLAGS="-Cdebuginfo=0 ${RUSTFLAGS:-}"
if [ ${#targets[@]} -eq 1 ]; then one=("${targets[0]}"); else one=(); fi
cargo fuzz build "${options[@]}" ${one[@]+"${one[@]}"}
for target in "${targets[@]}"; do
  seed "$target"
  echo "fuzzing $target for $seconds s"
  log="$(mktemp)"
  if ! cargo fuzz run "${options[@]}" "$target" -- -dict="fuzz/dictionaries/$target.dict" \
    -max_total_time="$seconds" -timeout=20 -max_len=2048 -verbosity=1 >"$log" 2>&1; then
    cat "$log"
    exit 1
  fi
  grep -a '^Done ' "$log" || true
  rm -f "$log"
done
