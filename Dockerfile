# The image of wsd: one static binary and nothing else.
#
#   docker build -t wsd .
#   docker run --rm -p 127.0.0.1:8080:8080 wsd demo
#
# It listens on every address, so serving takes a WSD_PUBLIC_URL, as in compose.yaml; the demo says localhost.
# Plain instructions only, so that it builds with BuildKit and with the classic builder.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
# timetzdata puts the time zones into the binary: there is no /usr/share/zoneinfo in an empty image.
ARG VERSION=
RUN CGO_ENABLED=0 go build -trimpath -tags nomsgpack,timetzdata -ldflags "-s -w -X main.released=$VERSION" -o /rootfs/wsd ./cmd/wsd \
 && mkdir -p /rootfs/data /rootfs/tmp /rootfs/etc/ssl/certs \
 && chmod 1777 /rootfs/tmp \
 && cp /etc/ssl/certs/ca-certificates.crt /rootfs/etc/ssl/certs/ \
 && echo 'wsd:x:65532:65532:wsd:/data:/sbin/nologin' > /rootfs/etc/passwd

FROM scratch
COPY --from=build --chown=65532:65532 /rootfs/ /
USER 65532:65532
ENV WSD_ADDR=0.0.0.0:8080 WSD_DATA=/data
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["/wsd"]
