"""Writes what the program is linked from: notices.py TARGET NOTICES.txt BILL.spdx.json, in the root of the workspace.

The first file has the licence texts of every crate, for people; the second is a bill of materials in SPDX 2.3, for machines.

The dependencies are those of the resolved features for that target, not of the lock file. A crate without a text in its package is
listed with its licence alone.
"""

import datetime
import hashlib
import json
import os
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


def notices(packages: list[dict]) -> str:
    lines = ["Crates that this program is linked from, with their licences; the texts follow.", ""]
    # Many crates share a text, which is then written once.
    users: dict[str, list[str]] = {}
    for package in packages:
        name = f"{package['name']} {package['version']}"
        source = pathlib.Path(package["manifest_path"]).parent
        texts = [path for path in sorted(source.iterdir()) if path.is_file() and is_licence(path.name)]
        for path in texts:
            users.setdefault(path.read_text(errors="replace").strip(), []).append(name)
        lines.append(f"{name}: {package['license']}{'' if texts else ' (its package has no text)'}")
    for text, names in users.items():
        lines += ["", "=" * 78, ", ".join(dict.fromkeys(names)), "", text]
    return "\n".join(lines) + "\n"


def bill(target: str, packages: list[dict]) -> dict:
    about = [entry(f"crate-{number}", package) for number, package in enumerate(packages)]
    digest = hashlib.sha256(json.dumps([target, about], sort_keys=True).encode()).hexdigest()
    made = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"slipway for {target}",
        # Equal content has an equal name.
        "documentNamespace": f"urn:sha256:{digest}",
        "creationInfo": {"created": made.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: slipway-notices"]},
        "packages": about,
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": each["SPDXID"]}
            for each in about
        ],
    }


def entry(identity: str, package: dict) -> dict:
    # Some crates still write an alternative as a slash or in lower case.
    licence = package["license"].replace(" / ", "/").replace("/", " OR ").replace(" or ", " OR ")
    return {
        "SPDXID": f"SPDXRef-{identity}",
        "name": package["name"],
        "versionInfo": package["version"],
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": licence,
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "externalRefs": [
            {
                "referenceCategory": "PACKAGE-MANAGER",
                "referenceType": "purl",
                "referenceLocator": f"pkg:cargo/{package['name']}@{package['version']}",
            }
        ],
    }


def is_licence(name: str) -> bool:
    return name.upper().startswith(("LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE"))


def main() -> None:
    target, text, machine = sys.argv[1:]
    packages = resolved(target)
    pathlib.Path(text).write_text(notices(packages))
    pathlib.Path(machine).write_text(json.dumps(bill(target, packages), indent=1) + "\n")


main()
