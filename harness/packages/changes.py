"""Takes the changes of one release out of the changelog: changes.py VERSION CHANGELOG.md OUT.md"""

import pathlib
import re
import sys

version, changelog, out = sys.argv[1:]
sections = re.split(r"^## ", pathlib.Path(changelog).read_text(), flags=re.MULTILINE)
found = [section for section in sections if re.match(rf"{re.escape(version)}\b", section)]
if len(found) != 1:
    sys.exit(f"{changelog} has no section {version}")
pathlib.Path(out).write_text(found[0].split("\n", 1)[1].strip() + "\n")
