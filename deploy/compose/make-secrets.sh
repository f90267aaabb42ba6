#!/usr/bin/env bash
# Writes the secrets that compose.yaml mounts into a folder that only you can enter, once: what is there stays.
#
#   deploy/compose/make-secrets.sh [FOLDER]
set -euo pipefail

folder="${1:-$(dirname "${BASH_SOURCE[0]}")/secrets}"
mkdir -p "$folder"
chmod 0700 "$folder"
cd "$folder"

# Readable by all inside that folder: in the containers several users read them.
put() {
  [[ -e "$1" ]] && return
  (umask 0333 && printf '%s\n' "$2" > "$1")
}
random() { head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'; }

put postgres_password "$(random)"
put redis_password "$(random)"
put database_url "postgres://headgate:$(cat postgres_password)@postgres:5432/headgate"
put redis_url "redis://:$(cat redis_password)@redis:6379/0"
put master_key "$(head -c 32 /dev/urandom | base64)"
put management_key "$(random)"
put api_key "$(random)"

echo "The secrets are in $PWD. Keep master_key safe: without it stored provider credentials are lost."
echo "API key for clients: $(cat api_key)"
