#!/usr/bin/env bash
# Prepares a virtual environment for tests and prints its interpreter: scripts/python-environment.sh NAME PACKAGE...
#
# PACKAGEs are pinned (name==version). The environment is in .cache/NAME (ignored by git); a second run uses no
# registry. Needs Python 3.9 or newer with its venv module.
set -euo pipefail

cache_folder="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/.cache/$1"
shift
python="$cache_folder/venv/bin/python"

# The stamp contains what was installed, so that a changed pin triggers a new installation.
stamp_file="$cache_folder/installed.txt"
wanted="$(printf '%s\n' "$@")"
mkdir -p "$cache_folder"
if [[ ! -x "$python" ]] || [[ "$(cat "$stamp_file" 2>/dev/null)" != "$wanted" ]]; then
  [[ -x "$python" ]] || python3 -m venv "$cache_folder/venv"
  "$python" -m pip install --quiet --disable-pip-version-check --only-binary :all: "$@" >&2
  printf '%s\n' "$wanted" > "$stamp_file"
fi
echo "$python"
