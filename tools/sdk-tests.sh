#!/usr/bin/env bash
# Types, style and tests of the Python SDK, in a virtual environment of its own.
set -euo pipefail
cd "$(dirname "$0")/.."
venv="target/venvs/sdk"
if [ ! -x "$venv/bin/python" ]; then
  "${PYTHON:-python3}" -m venv "$venv"
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable "sdk/python[dev]"
cd sdk/python
python="../../$venv/bin/python"
"$python" -m ruff check .
"$python" -m mypy
"$python" -m pytest -q
