#!/usr/bin/env bash
# The interactive API page in a real browser: Debian's Chromium, driven by playwright-core.
set -euo pipefail
cd "$(dirname "$0")"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null
  chromium=$(command -v chromium)
fi
if [ -z "$chromium" ]; then
  echo "=================================================================="
  echo "SKIPPED: no Chromium on this machine and no right to install one."
  echo "The API page was NOT tested in a browser."
  echo "=================================================================="
  exit 0
fi
npm ci --silent --no-audit --no-fund
CHROMIUM="$chromium" node --test docs-page.test.mjs
