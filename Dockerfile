# The gateway in a container: built in Swift's image, run in a slim one with only the libraries that it is linked to.
#
#   docker build -t errand .
#   docker run -p 127.0.0.1:8080:8080 -e ERRAND_TOKEN=… -v errand:/var/lib/errand \
#       -v ./config.yaml:/etc/errand/config.yaml:ro --stop-timeout 35 errand
#
# The last line mounts your own configuration: that of the image, Scripts/container/config.yaml, has no sessions. The
# timeout is longer than a stop (server.stop_delay, dispatcher.drain and four seconds); Docker's own is 10 seconds.
# deploy/compose.yaml does the same with fewer rights.
# Environment variables: ERRAND_TOKEN or ERRAND_TOKEN_FILE (required, as without a token the gateway listens on loopback
# only), ERRAND_LISTEN, ERRAND_LOG_LEVEL, ERRAND_CONFIG (the path of the file), ERRAND_DATA (the folder that replaces
# store.sqlite.path, files.data and files.uploads; not set here, as relative paths are in the volume), and those that
# the file uses.

FROM docker.io/library/swift:6.3.1-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        jq libcurl4-openssl-dev libexpat1-dev libgnutls28-dev libjemalloc-dev libmicrohttpd-dev libpsl-dev \
        libsqlite3-dev libssl-dev libyaml-dev pkg-config python3 zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /build
# The dependencies change less often than the sources: they get a separate layer.
COPY Package.swift ./
RUN swift package resolve
COPY Sources Sources
COPY Tests Tests
# The manifest refers to these too.
COPY Fuzz/Sources/Fuzzing Fuzz/Sources/Fuzzing
# Of the data of ICU in Swift's Foundation, the program needs those of time zones only. It gets 32 MB smaller.
COPY Scripts/icu-data Scripts/
RUN Scripts/icu-data "$(dirname "$(command -v swift)")/../lib/swift_static/linux/lib_FoundationICU.a" \
    && swift build --configuration release --static-swift-stdlib --product errand \
    && install -D --strip .build/release/errand /out/errand
# The bill of materials has the shared libraries of this stage, which are those of the next one's release of Debian. The
# licences of what is linked into the program require that their texts come with it.
COPY LICENSE ./
COPY deploy/debian/unicode-license.txt deploy/debian/
COPY Scripts/sbom Scripts/
COPY Scripts/container/debian.py Scripts/container/
COPY Scripts/packaging/linked Scripts/packaging/notices Scripts/packaging/
RUN Scripts/sbom /out/errand >/out/sbom.cdx.json \
    && Scripts/packaging/notices >/out/NOTICES.txt

FROM docker.io/library/debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends \
        ca-certificates libcurl4 libexpat1 libgnutls30 libjemalloc2 libmicrohttpd12 libpsl5 libsqlite3-0 libssl3 \
        libyaml-0-2 zlib1g \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/cache/debconf /var/log/apt /var/log/dpkg.log \
    && useradd --user-group --uid 10001 --no-create-home --home-dir /var/lib/errand --shell /usr/sbin/nologin errand \
    && install --directory --owner errand --group errand --mode 0750 /var/lib/errand
COPY --from=build /out/errand /usr/local/bin/errand
COPY --from=build /out/sbom.cdx.json /out/NOTICES.txt /usr/share/doc/errand/
COPY Scripts/container/config.yaml /etc/errand/config.yaml
LABEL org.opencontainers.image.title="errand" \
    org.opencontainers.image.description="A REST gateway that runs HTTP tasks durably: retries, limits, pinning, transfers" \
    org.opencontainers.image.licenses="Apache-2.0"
# Relative paths of the configuration (data/…) are in the volume.
WORKDIR /var/lib/errand
VOLUME /var/lib/errand
ENV ERRAND_CONFIG=/etc/errand/config.yaml \
    ERRAND_LISTEN=0.0.0.0:8080
EXPOSE 8080
# The user errand, by its numbers: runAsNonRoot of Kubernetes cannot tell by a name that it is not root.
USER 10001:10001
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=3s --start-period=1h --retries=3 CMD ["errand", "health"]
ENTRYPOINT ["errand"]
CMD ["serve"]
