#!/usr/bin/env bash
# Drives the server with the official Python client. Arguments go to pytest.
#
#   REFLEXIO_BIN        the server binary (default: target/debug/reflexio, else target/release/reflexio)
#   CONFORMANCE_VENV    the virtual environment (default: target/venvs/conformance)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
# shellcheck source=venv.sh
source "$here/venv.sh"

if ! python=$(find_python 12); then
    skip_loudly conformance 12
    exit 0
fi

venv=${CONFORMANCE_VENV:-$repository/target/venvs/conformance}
prepare_venv "$venv" "$python" reflexio-client==0.2.16 pytest

cd "$here"
PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" -m pytest "$@"
