#!/usr/bin/env bash
# What a person does who follows README.md from the top, in a fresh checkout. Called by bare-root.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
say() { printf -- '--- %s\n' "$*"; }

for tool in cc gcc python3 git; do
  if command -v "$tool" >/dev/null; then say "this machine is not bare: it has $tool"; fi
done
say "npm ci && npm start, by Node $(node --version)"
npm ci --no-audit --no-fund
npm start > "$HOME/server.log" 2>&1 &
for _ in $(seq 300); do
  curl -sf http://127.0.0.1:8484/health/ready >/dev/null && break
  sleep 0.2
done
curl -sf http://127.0.0.1:8484/health/ready >/dev/null || { cat "$HOME/server.log" >&2; exit 1; }
first=.headgate/first-start.txt
HEADGATE_API_KEY="$(sed -n 's/^ *API key  *//p' "$first")"
export HEADGATE_API_KEY
[[ "$(stat -c %a "$first")" == 600 ]]

# The lines of the blocks of README.md in their order, without those that need a provider, a webhook or other servers.
lines="$(awk '/^```bash$/ { inside = 1; next } /^```$/ { inside = 0 } inside' README.md |
  sed -e 's/ \+# .*//' -e '/^npm ci/d' -e '/^OPENAI_API_KEY/d' -e '/^HEADGATE_DATABASE_URL/,$d' -e '/^export HEADGATE_API_KEY/d')"
account="$(npm run --silent headgate -- accounts list --json | sed -n 's/.*"id": "\(user_[^"]*\)".*/\1/p' | head -n 1)"
hash="$(npm run --silent headgate -- keys list --json | sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' | tail -n 1)"
lines="${lines//user_…/$account}"
lines="${lines//3f2a/$hash}"
lines="${lines//openai\/gpt-5-mini/sandbox/echo}"
# With a second account commands about one need --account.
lines="${lines//keys create --name app/keys create --account $account --name app}"
say 'the lines of README.md'
bash -euo pipefail -c "set -x; $lines" > "$HOME/lines.log" 2> "$HOME/lines.error" || { cat "$HOME/lines.error" >&2; exit 1; }
grep -c '^+ ' "$HOME/lines.error" | sed 's/$/ commands ran/'
grep -q 'response.completed' "$HOME/lines.log"

say 'the examples'
examples/first-request.sh | tail -n 1
npx node examples/openai-client.ts

if [[ "${1:-}" == --tests ]]; then
  say 'npm test'
  npm test | tail -n 15
fi
say 'done'
