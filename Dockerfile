# Plumbline in an image without a shell, for amd64 and arm64:
#
#   docker build -t plumbline .
#   docker buildx build --platform linux/amd64,linux/arm64 -t REGISTRY/plumbline --push .
#
# Images are pinned by tag. Whoever has a registry at hand pins them by digest (FROM image:tag@sha256:…), which no later
# push changes.

# What is built is JavaScript, the same on every machine: no stage runs a program of another processor.
FROM --platform=$BUILDPLATFORM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No script of a package runs here: none of those that are shipped needs one.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
RUN npm run build && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

# The demo's agent and servers, for compose.yaml: docker build --target demo. Node 24 runs TypeScript as it is.
FROM node:24.21.0-bookworm-slim AS demo
WORKDIR /app
COPY package.json ./
COPY test/support test/support
COPY demo demo
COPY compose compose
USER 1000:1000
ENTRYPOINT ["node", "/app/compose/main.ts"]

# Last, so that it is what a build without --target makes. Debian's libraries and Node, nothing else.
FROM gcr.io/distroless/nodejs24-debian12:nonroot
LABEL org.opencontainers.image.title="plumbline" \
      org.opencontainers.image.description="An Envoy external-processing server that checks each action of an AI agent before it happens" \
      org.opencontainers.image.licenses="Apache-2.0"
WORKDIR /app
ENV NODE_ENV=production
COPY package.json LICENSE ./
COPY proto proto
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
# As a number, so that Kubernetes sees that it is not root.
USER 65532:65532
ENTRYPOINT ["/nodejs/bin/node", "/app/dist/main.js"]
CMD ["serve", "--config", "/etc/plumbline/plumbline.yaml"]
