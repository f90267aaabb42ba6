#!/usr/bin/env bash
# Prepares a virtual environment of the Python end-to-end tests and prints its interpreter.
#
#   scripts/e2e-python.sh         the clients that work with the newest `openai`
#   scripts/e2e-python.sh older   the ones that need an older one
set -euo pipefail

case "${1:-}" in
  '')
    name=e2e-python
    packages=(
      'openai==3.54.0' 'openai-agents==0.24.0' 'prometheus-client==0.26.0' 'anthropic==2.14.0' 'llm==0.36'
      'langchain-core==1.8.3' 'langchain-openai==1.7.4' 'pydantic-ai-slim[openai,anthropic]==2.68.0'
    )
    ;;
  older)
    name=e2e-python-older
    packages=('openai==3.3.0' 'instructor==1.17.0' 'litellm==1.81.16')
    ;;
  *)
    echo "usage: scripts/e2e-python.sh [older]" >&2
    exit 2
    ;;
esac
exec "$(dirname "${BASH_SOURCE[0]}")/python-environment.sh" "$name" "${packages[@]}"
