# Headgate as a container image: one process, no shell needed, nothing written outside /data.
#
#   docker build -t headgate .
#   docker run --read-only -p 127.0.0.1:8484:8484 -v headgate-data:/data headgate
#
# The Node.js that serves is the one package-lock.json pins; the base images only bring npm and the C library.
ARG DEBIAN=trixie

FROM node:26-${DEBIAN}-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# Packages are unpacked without running their scripts, but for the one that fetches the pinned Node.js.
RUN npm ci --ignore-scripts --no-audit --no-fund && npm rebuild node
COPY tsconfig.json tsconfig.build.json ./
COPY scripts/build.ts scripts/build-dashboard.ts scripts/dashboard-build.ts scripts/mit-licence.ts scripts/
COPY dashboard dashboard
COPY src src
RUN node_modules/.bin/node scripts/build.ts && node_modules/.bin/node scripts/build-dashboard.ts

FROM node:26-${DEBIAN}-slim AS production
WORKDIR /build
COPY package.json package-lock.json ./
# What remains of the pinned Node.js is its one executable: headers, documentation and source maps serve nobody.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && npm rebuild node \
  && rm -rf node_modules/node/node_modules \
  && find node_modules -name '*.map' -delete

FROM debian:${DEBIAN}-slim
# The C library's helpers for atomic operations, which Node.js links to; the newest patch of it is the right one.
# hadolint ignore=DL3008
RUN apt-get update \
  && apt-get install --yes --no-install-recommends libatomic1 \
  && rm -rf /var/lib/apt/lists/* \
  && groupadd --gid 10001 headgate \
  && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin headgate \
  && install --directory --owner=10001 --group=10001 --mode=0700 /data \
  && install --directory /etc/headgate
COPY LICENSE README.md CHANGELOG.md package.json /app/
COPY bin /app/bin
COPY --from=production /build/node_modules /app/node_modules
COPY --from=build /build/dist /app/dist
# What a server loads, compiled ahead, so that no start has to. Node.js keeps it apart by user.
RUN install --directory --owner=10001 /app/compiled \
  && NODE_COMPILE_CACHE=/app/compiled setpriv --reuid=10001 --regid=10001 --clear-groups /app/node_modules/.bin/node \
    --eval "import('/app/dist/cli/run-command-line.js').then(() => import('/app/dist/process/serve.js'))" \
  && chown --recursive root:root /app/compiled \
  && chmod --recursive a=rX /app/compiled
# headgate.yaml is looked for in the working directory.
WORKDIR /etc/headgate
ENV NODE_ENV=production \
  NODE_COMPILE_CACHE=/app/compiled \
  HEADGATE_HOST=0.0.0.0 \
  HEADGATE_DATA_DIR=/data
VOLUME /data
EXPOSE 8484
# By number, so that an orchestrator can see that it is not root.
USER 10001:10001
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
  CMD ["/app/node_modules/.bin/node", "--eval", "fetch('http://127.0.0.1:8484/health/live').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/app/node_modules/.bin/node", "/app/bin/headgate.js"]
CMD ["serve"]
