"""Writes the address of the repository into every manifest that is published: repository.py https://HOST/OWNER/NAME [ROOT]

Only the forge that a release runs on knows it.
"""

import pathlib
import re
import sys

address = sys.argv[1]
root = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).parent / "../..")
if not re.fullmatch(r"https://[\w./:-]+", address):
    sys.exit(f"not the address of a repository: {address}")

NPM = (r'"repository": .*', f'"repository": {{ "type": "git", "url": "git+{address}.git" }},')
# Registries of tool servers know a server by its owner's domain, backwards.
host, *owner = address.removeprefix("https://").split("/")
domain = ".".join(reversed(host.split(":")[0].split(".")))
domain = f"io.github.{owner[0]}" if domain == "com.github" and owner else domain
SERVER = (r'"mcpName": .*', f'"mcpName": "{domain}/slipway",')
for name, pattern, line in [
    ("Cargo.toml", r'^repository = ".*"', f'repository = "{address}"'),
    ("harness/launchers/npm/package.json", *NPM),
    ("harness/packages/npm/package.json", *NPM),
    ("harness/packages/npm/package.json", *SERVER),
    ("harness/packages/npm/platform.json", *NPM),
    ("sim/quotes/npm/package.json", *NPM),
    # The index refuses an empty address, so that the table is not there before.
    (
        "harness/launchers/python/pyproject.toml",
        r"^# \[project\.urls\].*",
        f'[project.urls]\nRepository = "{address}"',
    ),
]:
    path = root / name
    text, count = re.subn(pattern, lambda _: line, path.read_text(), count=1, flags=re.MULTILINE)
    if count != 1:
        sys.exit(f"{name} has no place for the address")
    path.write_text(text)
