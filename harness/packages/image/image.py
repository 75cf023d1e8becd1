"""Packs a folder as a container image that `docker load` takes: image.py TREE VERSION OUT, the ready line on standard input."""

import hashlib
import io
import json
import os
import pathlib
import platform
import sys
import tarfile

PARTS = {"rest": 4700, "swap": 4701, "control": 4702, "rpc.57073": 4703, "rpc.4663": 4704}
USER = 65532
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


def layer(tree: pathlib.Path, path: pathlib.Path) -> str:
    """Packs the files of the image, root's, and gives the hash of the archive."""

    def owned(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        own = entry.name.startswith(("home/slipway",))
        entry.uid = entry.gid = USER if own else 0
        entry.uname = entry.gname = ""
        entry.mtime = EPOCH
        return entry

    with tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as packed:
        for top in sorted(tree.iterdir()):
            packed.add(top, arcname=top.name, filter=owned)
    digest = hashlib.sha256()
    with path.open("rb") as packed:
        for chunk in iter(lambda: packed.read(1 << 20), b""):
            digest.update(chunk)
    return digest.hexdigest()


def config(version: str, ready: dict, digest: str) -> dict:
    labels = {f"io.slipway.port.{part}": str(port) for part, port in PARTS.items()}
    labels |= {
        "io.slipway.tool-server": "/usr/bin/slipway mcp",
        "io.slipway.operator-key-variable": "SLIPWAY_OPERATOR_KEY",
        "io.slipway.control-token-variable": "SLIPWAY_CONTROL_TOKEN",
        "io.slipway.public-url-variable": "SLIPWAY_PUBLIC_URLS",
        # Accounts of throw-away chains: their keys are as public as the seed.
        "io.slipway.private-keys": ",".join(account["privateKey"] for account in ready["accounts"]),
        "org.opencontainers.image.title": "slipway",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "MIT OR Apache-2.0",
    }
    # What only the forge knows.
    for name, variable in [("source", "SLIPWAY_REPOSITORY"), ("revision", "SLIPWAY_REVISION")]:
        if os.environ.get(variable):
            labels[f"org.opencontainers.image.{name}"] = os.environ[variable]
    second = 1_000_000_000
    return {
        "architecture": {"x86_64": "amd64", "aarch64": "arm64"}[platform.machine()],
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Env": [
                "PATH=/usr/bin:/bin",
                "HOME=/home/slipway",
                "SLIPWAY_TOOLCHAIN=/opt/slipway",
                "XDG_CACHE_HOME=/var/cache",
            ],
            "Entrypoint": ["/usr/bin/slipway"],
            "Cmd": ["up", "--host", "0.0.0.0", "--offline"],
            "WorkingDir": "/home/slipway",
            "ExposedPorts": {f"{port}/tcp": {} for port in PARTS.values()},
            # Sockets of the nodes; writable also where the root file system is not.
            "Volumes": {"/tmp": {}},
            "Healthcheck": {
                "Test": ["CMD", "/usr/bin/slipway", "ready", "--wait", "5"],
                "Interval": second,
                "Timeout": 6 * second,
                "StartPeriod": 120 * second,
                "Retries": 3,
            },
            "StopSignal": "SIGTERM",
            "Labels": labels,
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]},
        "history": [{"created": "1970-01-01T00:00:00Z", "created_by": "harness/packages/image"}],
        "created": "1970-01-01T00:00:00Z",
    }


def main() -> None:
    tree, version, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    packed = tree.parent / "layer.tar"
    digest = layer(tree, packed)
    described = json.dumps(config(version, json.load(sys.stdin), digest), sort_keys=True).encode()
    name = hashlib.sha256(described).hexdigest()
    manifest = [{"Config": f"{name}.json", "RepoTags": ["slipway:latest"], "Layers": [f"{digest}/layer.tar"]}]
    with tarfile.open(out, "w", format=tarfile.GNU_FORMAT) as image:
        for path, content in [(f"{name}.json", described), ("manifest.json", json.dumps(manifest).encode())]:
            entry = tarfile.TarInfo(path)
            entry.size, entry.mtime = len(content), EPOCH
            image.addfile(entry, io.BytesIO(content))
        entry = image.gettarinfo(packed, f"{digest}/layer.tar")
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = EPOCH
        with packed.open("rb") as content:
            image.addfile(entry, content)


main()
