"""Writes the licence texts of every crate that the program is linked from into a file: notices.py TARGET OUT, in the root of the
workspace.

The dependencies are those of the resolved features for that target, not of the lock file. A crate without a text in its package is
listed with its licence alone.
"""

import json
import pathlib
import subprocess
import sys


def resolved(target: str) -> list[dict]:
    """The packages that the command is made of, as cargo resolves them for a target."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    about = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in about["packages"]}
    nodes = {node["id"]: node for node in about["resolve"]["nodes"]}
    waiting = [identity for identity in packages if packages[identity]["name"] == "slipway-cli"]
    seen = set()
    while waiting:
        identity = waiting.pop()
        if identity in seen:
            continue
        seen.add(identity)
        for dependency in nodes[identity]["deps"]:
            # Tests and build scripts are in no package.
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    found = [packages[identity] for identity in seen if packages[identity]["source"]]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def main() -> None:
    target, out = sys.argv[1], pathlib.Path(sys.argv[2])
    lines = ["Crates that this program is linked from, with their licences; the texts follow.", ""]
    # Many crates share a text, which is then written once.
    users: dict[str, list[str]] = {}
    for package in resolved(target):
        name = f"{package['name']} {package['version']}"
        source = pathlib.Path(package["manifest_path"]).parent
        texts = [path for path in sorted(source.iterdir()) if path.is_file() and is_licence(path.name)]
        for path in texts:
            users.setdefault(path.read_text(errors="replace").strip(), []).append(name)
        lines.append(f"{name}: {package['license']}{'' if texts else ' (its package has no text)'}")
    for text, names in users.items():
        lines += ["", "=" * 78, ", ".join(dict.fromkeys(names)), "", text]
    out.write_text("\n".join(lines) + "\n")


def is_licence(name: str) -> bool:
    return name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE"))


main()
