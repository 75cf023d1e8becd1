# slipway without Rust and npm on the machine: docker build -t slipway . && docker run --rm -p 127.0.0.1:4700-4704:4700-4704 slipway
FROM rust:1.95-trixie AS build
RUN apt-get update \
    && apt-get install -y --no-install-recommends nodejs npm \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN cargo install --path harness --locked --root /usr/local
RUN slipway doctor --install /opt/slipway

FROM debian:trixie-slim
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /usr/local/bin/slipway /usr/bin/slipway
COPY --from=build /opt/slipway /opt/slipway
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/slipway/
RUN useradd --uid 65532 --create-home slipway \
    && install --directory --owner=65532 /var/cache/slipway
ENV SLIPWAY_TOOLCHAIN=/opt/slipway XDG_CACHE_HOME=/var/cache
USER 65532:65532
WORKDIR /home/slipway
# Deploys and seeds the chains once, into the image's cache.
RUN slipway up --json --port 0 --offline --until-eof </dev/null
EXPOSE 4700 4701 4702 4703 4704
VOLUME /tmp
HEALTHCHECK --interval=15s --timeout=6s --start-period=120s --start-interval=1s --retries=3 CMD ["/usr/bin/slipway", "doctor", "--wait", "5"]
STOPSIGNAL SIGTERM
LABEL io.slipway.port.rest=4700 io.slipway.port.swap=4701 io.slipway.port.control=4702 \
      io.slipway.port.rpc.57073=4703 io.slipway.port.rpc.4663=4704 \
      io.slipway.tool-server="/usr/bin/slipway mcp" \
      io.slipway.operator-key-variable=SLIPWAY_OPERATOR_KEY \
      io.slipway.control-token-variable=SLIPWAY_CONTROL_TOKEN \
      io.slipway.public-url-variable=SLIPWAY_PUBLIC_URLS \
      org.opencontainers.image.title=slipway org.opencontainers.image.licenses="MIT OR Apache-2.0"
ENTRYPOINT ["/usr/bin/slipway"]
CMD ["up", "--host", "0.0.0.0", "--offline"]
