#!/usr/bin/env bash
# Sends generated requests to the server and holds its answers against its own /openapi.json.
# With --show-advisory it also prints the advisory findings in full, with a curl command for each.
#
#   REFLEXIO_BIN     the server binary (default: target/debug/reflexio, else target/release/reflexio)
#   SCHEMA_VENV      the virtual environment (default: target/venvs/schema)
#   SCHEMA_SECONDS   how long the enforced part may take (default: 90)
#   SCHEMA_SEED      where the generated requests start (default: 20260101)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
# shellcheck source=../conformance/venv.sh
source "$here/../conformance/venv.sh"

if ! python=$(find_python 12); then
    skip_loudly schema 12
    exit 0
fi

venv=${SCHEMA_VENV:-$repository/target/venvs/schema}
prepare_venv "$venv" "$python" schemathesis pytest

cd "$here"
PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" generated_requests.py "$@"
