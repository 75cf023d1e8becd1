"""Packs a program as a Python wheel: wheel.py BINARY VERSION TAG ROOT NOTICES OUT"""

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


def metadata(version: str, root: pathlib.Path) -> str:
    """What the index shows of the package."""
    address = re.search(r'^repository = "(.+)"', (root / "Cargo.toml").read_text(), re.MULTILINE)
    lines = [
        "Metadata-Version: 2.4",
        "Name: slipway-cli",
        f"Version: {version}",
        "Summary: The command slipway: a token-launch platform on one machine, and the harness that checks any such platform.",
        "Keywords: blockchain,conformance,ethereum,mcp,testing",
        "License-Expression: MIT OR Apache-2.0",
        "License-File: LICENSE-MIT",
        "License-File: LICENSE-APACHE",
        "License-File: THIRD-PARTY.txt",
        "Classifier: Environment :: Console",
        "Classifier: Intended Audience :: Developers",
        "Classifier: Topic :: Software Development :: Testing",
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
    ]
    # An address is known to the forge only.
    if address:
        lines.append(f"Project-URL: Repository, {address[1]}")
    return "\n".join(lines) + "\n\n" + (root / "harness/README.md").read_text()


def main() -> None:
    binary, version, tag, root, notices, out = sys.argv[1:]
    program = pathlib.Path(binary).read_bytes()
    if tag.startswith("manylinux-"):
        major, minor = glibc(program)
        tag = tag.replace("manylinux-", f"manylinux_{major}_{minor}_")
    tag = f"py3-none-{tag}"
    about = f"slipway_cli-{version}.dist-info"
    root = pathlib.Path(root)
    files = {
        f"slipway_cli-{version}.data/scripts/slipway": program,
        f"{about}/METADATA": metadata(version, root).encode(),
        f"{about}/WHEEL": f"Wheel-Version: 1.0\nGenerator: slipway\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
        f"{about}/licenses/LICENSE-MIT": (root / "LICENSE-MIT").read_bytes(),
        f"{about}/licenses/LICENSE-APACHE": (root / "LICENSE-APACHE").read_bytes(),
        f"{about}/licenses/THIRD-PARTY.txt": pathlib.Path(notices).read_bytes(),
    }
    record = []
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(content)}\n")
    record.append(f"{about}/RECORD,,\n")
    files[f"{about}/RECORD"] = "".join(record).encode()
    wheel = pathlib.Path(out) / f"slipway_cli-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, content)


main()
