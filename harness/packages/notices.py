"""Writes what the program is linked from: notices.py TARGET NOTICES.txt BILL.spdx.json [CRATE], in the root of the workspace.

The first file has the licence texts of every crate, for people; the second is a bill of materials in SPDX 2.3, for machines.

Without CRATE it is the command. The dependencies are those of the resolved features for that target, not of the lock file. A crate
without a text in its package is listed with its licence alone.
"""

import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys


def resolved(target: str, program: str) -> list[dict]:
    """The packages of registries that a crate is made of for a target, with the features that it has when it is built alone."""

    def cargo(*words: str) -> str:
        return subprocess.run(["cargo", *words, "--locked"], check=True, stdout=subprocess.PIPE, text=True).stdout

    # Tests, build scripts and macros are in no package.
    tree = cargo("tree", "-p", program, "--target", target, "--edges", "normal,no-proc-macro", "--prefix", "none")
    names = {tuple(line.split()[:2]) for line in tree.splitlines() if line}
    about = json.loads(cargo("metadata", "--format-version", "1", "--filter-platform", target))
    found = [each for each in about["packages"] if each["source"] and (each["name"], f"v{each['version']}") in names]
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
    target, text, machine, *program = sys.argv[1:]
    packages = resolved(target, *program or ["slipway-cli"])
    pathlib.Path(text).write_text(notices(packages))
    pathlib.Path(machine).write_text(json.dumps(bill(target, packages), indent=1) + "\n")


main()
