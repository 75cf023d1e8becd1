"""Packs a folder as a compressed archive, equal bytes for equal content: pack.py PARENT NAME OUT.tar.gz"""

import gzip
import os
import pathlib
import sys
import tarfile

EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = EPOCH
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry


def main() -> None:
    parent, name, out = sys.argv[1:]
    root = pathlib.Path(parent)
    with open(out, "wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path in [root / name, *sorted((root / name).rglob("*"))]:
                archive.add(path, arcname=str(path.relative_to(root)), recursive=False, filter=plain)


main()
