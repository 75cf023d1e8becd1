"""Makes the files of the npm package of quotes from its sources: quotes.py WASM VERSION ROOT FOLDER"""

import base64
import json
import pathlib
import sys

wasm, version, root, folder = sys.argv[1:]
source = pathlib.Path(root) / "sim/quotes/npm"
contracts = json.loads((pathlib.Path(root) / "contracts/artifacts/manifest.json").read_text())["sources"]
code = base64.b64encode(pathlib.Path(wasm).read_bytes()).decode()
for path in sorted(source.iterdir()):
    text = path.read_text()
    for name, value in {"@VERSION@": version, "@CONTRACTS@": contracts, "@WASM@": code}.items():
        text = text.replace(name, value)
    if path.name == "package.json":
        # An address is known to the forge only.
        about = {name: value for name, value in json.loads(text).items() if value != ""}
        text = json.dumps(about, indent=2) + "\n"
    (pathlib.Path(folder) / path.name).write_text(text)
