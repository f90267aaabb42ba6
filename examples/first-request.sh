#!/usr/bin/env bash
# One request with nothing but curl: an answer as a whole, then the same as a stream.
#
#   HEADGATE_API_KEY=sk-hg-... examples/first-request.sh
set -euo pipefail

base_url="${HEADGATE_URL:-http://127.0.0.1:8484/api/v1}"
api_key="${HEADGATE_API_KEY:?set it to the API key the first start printed}"

ask() {
  curl --silent --show-error --fail-with-body --no-buffer "$base_url/responses" \
    --header "Authorization: Bearer $api_key" \
    --header 'Content-Type: application/json' \
    --data "$1"
}

ask '{"model": "sandbox/echo", "input": "Hello"}'
echo
ask '{"model": "sandbox/echo", "input": "Hello", "stream": true}'
