#!/usr/bin/env bash
# Prepares the virtual environment of the Python end-to-end tests and prints its interpreter.
#
# The packages are pinned. The environment is in .cache/e2e-python (ignored by git); a second run uses
# no registry. Needs Python 3.9 or newer with its venv module.
set -euo pipefail

packages=('openai==3.54.0' 'openai-agents==0.24.0' 'prometheus-client==0.26.0')

cache_folder="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/.cache/e2e-python"
python="$cache_folder/venv/bin/python"

# The stamp contains what was installed, so that a changed pin triggers a new installation.
stamp_file="$cache_folder/installed.txt"
wanted="$(printf '%s\n' "${packages[@]}")"
mkdir -p "$cache_folder"
if [[ ! -x "$python" ]] || [[ "$(cat "$stamp_file" 2>/dev/null)" != "$wanted" ]]; then
  [[ -x "$python" ]] || python3 -m venv "$cache_folder/venv"
  "$python" -m pip install --quiet --disable-pip-version-check --only-binary :all: "${packages[@]}" >&2
  printf '%s\n' "$wanted" > "$stamp_file"
fi
echo "$python"
