# Node comes with the packages (node-linux-*), in the version that is tested; the image's own only installs them.
FROM node:24-bookworm-slim AS packages
WORKDIR /opt/pirogue
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --omit=dev --no-audit --no-fund

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/* \
  && useradd --system --create-home --home-dir /var/lib/pirogue --uid 10001 pirogue
WORKDIR /opt/pirogue
COPY --from=packages /opt/pirogue/node_modules ./node_modules
COPY package.json package-lock.json ./
COPY migrations ./migrations
COPY scripts/run ./scripts/run
COPY src ./src
# The name of the runtime's folder says for which processor it is.
RUN ln -s /opt/pirogue/node_modules/node-linux-*/bin/node /usr/local/bin/node \
  && ln -s /opt/pirogue/scripts/run/pirogue.sh /usr/local/bin/pirogue
USER pirogue
ENV PROFILE=production HOST=0.0.0.0 DATA_DIR=/var/lib/pirogue LOG_FORMAT=json STRIPPED_SOURCES=/tmp/pirogue-stripped MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
EXPOSE 8080
VOLUME /var/lib/pirogue
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/health/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Signals reach the process itself; nothing stands between that would have to pass them on.
# The flags are those of scripts/run/service.json.
ENTRYPOINT ["node", "--max-semi-space-size=8", "--disable-warning=ExperimentalWarning", "--import=./scripts/run/stripped.mjs", "src/main.ts"]
CMD ["all"]
