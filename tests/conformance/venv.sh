# Sourced by the runners of both Python suites: finds an interpreter and prepares a virtual environment.
# shellcheck shell=bash

# find_python MINOR: prints the first Python 3 whose minor version is at least MINOR; fails if there is none.
find_python() {
    local wanted=$1 candidate
    local candidates=(python3.12 python3.13 python3.14 python3 python)
    local pyenv_root=${PYENV_ROOT:-$HOME/.pyenv}
    for candidate in "$pyenv_root"/versions/3.*/bin/python; do
        candidates+=("$candidate")
    done
    for candidate in "${candidates[@]}"; do
        # A pyenv shim exists even when its version is not selected, so the interpreter itself is asked.
        if "$candidate" -c "import sys, venv; sys.exit(sys.version_info[:2] < (3, $wanted) or sys.version_info[0] != 3)" 2>/dev/null; then
            command -v "$candidate"
            return 0
        fi
    done
    return 1
}

# skip_loudly SUITE MINOR: says that nothing was tested, so that nobody reads silence as success.
skip_loudly() {
    cat <<NOTICE

======================================================================
  SKIPPED: the $1 suite did not run.
  It needs Python 3.$2 or newer, and none was found
  (looked for python3.12, python3.13, python3.14, python3 and pyenv).
  Nothing was tested here. Install a newer Python and run it again.
======================================================================

NOTICE
}

# prepare_venv DIRECTORY PYTHON REQUIREMENT...: creates the environment once, installs only what is missing.
prepare_venv() {
    local directory=$1 python=$2
    shift 2
    local wanted="$*"
    if [[ -x $directory/bin/python && -f $directory/.requirements && $(<"$directory/.requirements") == "$wanted" ]]; then
        return 0
    fi
    "$python" -m venv "$directory"
    "$directory/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
    printf '%s\n' "$wanted" >"$directory/.requirements"
}
