"""Packs a program as a Python wheel: wheel.py BINARY VERSION ROOT OUT"""

import base64
import hashlib
import pathlib
import re
import sys
import zipfile


def glibc(binary: bytes) -> tuple[int, int]:
    """The newest version of the C library whose symbols the program asks for."""
    asked = {tuple(map(int, found)) for found in re.findall(rb"GLIBC_(\d+)\.(\d+)", binary)}
    return max(asked, default=(2, 17))


def main() -> None:
    binary, version, root, out = sys.argv[1:]
    program = pathlib.Path(binary).read_bytes()
    major, minor = glibc(program)
    tag = f"py3-none-manylinux_{major}_{minor}_x86_64"
    about = f"slipway-{version}.dist-info"
    root = pathlib.Path(root)
    metadata = (
        f"Metadata-Version: 2.4\nName: slipway\nVersion: {version}\n"
        "Summary: A token-launch platform on one machine, and the harness that checks any such platform.\n"
        "License-Expression: MIT OR Apache-2.0\nLicense-File: LICENSE-MIT\nLicense-File: LICENSE-APACHE\n"
        "Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n" + (root / "README.md").read_text()
    )
    files = {
        f"slipway-{version}.data/scripts/slipway": program,
        f"{about}/METADATA": metadata.encode(),
        f"{about}/WHEEL": f"Wheel-Version: 1.0\nGenerator: slipway\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
        f"{about}/licenses/LICENSE-MIT": (root / "LICENSE-MIT").read_bytes(),
        f"{about}/licenses/LICENSE-APACHE": (root / "LICENSE-APACHE").read_bytes(),
    }
    record = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(content)}\n")
    record.append(f"{about}/RECORD,,\n")
    files[f"{about}/RECORD"] = "".join(record).encode()
    wheel = pathlib.Path(out) / f"slipway-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, content)


main()
