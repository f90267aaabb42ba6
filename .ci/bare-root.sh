#!/usr/bin/env bash
# README.md on a machine that has nothing: a bare Debian with npm and the Node of this one, no compiler, as an unprivileged user.
# Runs its first command, then what README.md shows after it, each line as it stands there with the keys that the first start gave;
# with --tests its second command too. What needs other servers (PostgreSQL, Redis) or a provider's key is left out.
# Needs root on Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cache="$PWD/.cache/deployment"
root="$cache/bare-root"
mkdir -p "$cache"
command -v debootstrap >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap
if [[ ! -e "$cache/bare-root.done" ]]; then
  rm -rf "$root"
  debootstrap --variant=minbase --include=ca-certificates,curl,libatomic1 bookworm "$root" > "$cache/bare-root.log" ||
    { tail "$cache/bare-root.log"; exit 1; }
  chroot "$root" useradd --create-home person
  touch "$cache/bare-root.done"
fi

# The Node of this machine with its npm, at the same places.
node="$(command -v node)"
npm="$(dirname "$(readlink -f "$(command -v npm)")")/.."
install -D "$node" "$root$node"
mkdir -p "$root$npm" && cp -a "$npm/." "$root$npm/"
for name in npm npx; do
  printf '#!/bin/sh\nexec "%s" "%s/bin/%s-cli.js" "$@"\n' "$node" "$(realpath "$npm")" "$name" > "$root/usr/local/bin/$name"
  chmod +x "$root/usr/local/bin/$name"
done
cp -L /etc/resolv.conf "$root/etc/resolv.conf"
certificates="${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}"
install -D -m 644 "$certificates" "$root/opt/certificates.pem"
rm -rf "$root/home/person/headgate"
git clone -q . "$root/home/person/headgate"
chroot "$root" chown -R person: /home/person

settings="$(mktemp)"
trap 'rm -f "$settings"' EXIT
printf 'registry=%s\n' "$(npm config get registry)" > "$settings"
install -m 644 "$settings" "$root/home/person/.npmrc"

# In its own view of processes and files: nothing is left when it ends.
# shellcheck disable=SC2016
unshare --mount --pid --fork bash -c '
  set -euo pipefail
  mount -t proc proc "$1/proc"
  mount --rbind /dev "$1/dev"
  exec chroot --userspec=person:person "$1" /usr/bin/env -i HOME=/home/person PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 \
    NODE_EXTRA_CA_CERTS=/opt/certificates.pem bash /home/person/headgate/.ci/readme-by-hand.sh "$2"' _ "$root" "${1:-}"
