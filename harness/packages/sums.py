"""Writes the SHA-256 of every file of a folder into its SHA256SUMS: sums.py FOLDER"""

import hashlib
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
files = sorted(path for path in folder.iterdir() if path.is_file() and path.name != "SHA256SUMS")
lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
(folder / "SHA256SUMS").write_text("".join(lines))
