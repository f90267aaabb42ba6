#!/usr/bin/env bash
# Prepares the virtual environment of the Python end-to-end tests and prints its interpreter.
set -euo pipefail
exec "$(dirname "${BASH_SOURCE[0]}")/python-environment.sh" e2e-python \
  'openai==3.54.0' 'openai-agents==0.24.0' 'prometheus-client==0.26.0'
