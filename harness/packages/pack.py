"""Packs a folder, equal bytes for equal content: pack.py PARENT NAME OUT

As a compressed archive with the folder in it; where OUT ends in .mcpb, as a zip file of what is in the folder.
"""

import gzip
import os
import pathlib
import sys
import tarfile
import zipfile

EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = EPOCH
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
    return entry


def zipped(folder: pathlib.Path, out: str) -> None:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            # The format knows no earlier moment.
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if os.access(path, os.X_OK) else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, path.read_bytes())


def main() -> None:
    parent, name, out = sys.argv[1:]
    root = pathlib.Path(parent)
    if out.endswith(".mcpb"):
        zipped(root / name, out)
        return
    with open(out, "wb") as file, gzip.GzipFile("", "wb", 6, file, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for path in [root / name, *sorted((root / name).rglob("*"))]:
                archive.add(path, arcname=str(path.relative_to(root)), recursive=False, filter=plain)


main()
