#!/usr/bin/env python3
"""Draws what a command prints on a terminal as a picture for the README: terminal.py FILE.svg SECONDS COMMAND...

A command that still runs after so many seconds is interrupted. Needs util-linux, and `pip install rich==15.0.0`.
"""
import re
import shlex
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

COLUMNS = 104
# Nothing is loaded from elsewhere: the reader's own monospace font.
FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px; line-height: {line_height}px; }}
.{unique_id}-title {{ font-size: 18px; font-weight: bold; font-family: ui-sans-serif, arial, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def svg(command: str, printed: str) -> str:
    """A terminal with this command and what it printed."""
    console = Console(record=True, width=COLUMNS, file=open("/dev/null", "w"), force_terminal=True)
    console.print(f"[bold green]$[/] {command}\n")
    console.print(Text.from_ansi(printed))
    return console.export_svg(title="slipway", code_format=FORMAT, unique_id="terminal")


def main() -> None:
    path, seconds, command = sys.argv[1], sys.argv[2], shlex.join(sys.argv[3:])
    terminal = f"stty cols {COLUMNS} rows 60; exec timeout -s INT {seconds} {command}"
    run = ["script", "--quiet", "--echo", "never", "--command", terminal, "/dev/null"]
    printed = subprocess.run(run, stdin=subprocess.DEVNULL, capture_output=True, check=False).stdout.decode()
    # What is left of a line after the progress on it was erased.
    lines = [re.split(r"\x1b\[2K", line)[-1] for line in printed.replace("\r\n", "\n").split("\n")]
    text = "\n".join(line for line in lines if "^C" not in line).strip()
    Path(path).write_text(svg(command, text))


if __name__ == "__main__":
    main()
