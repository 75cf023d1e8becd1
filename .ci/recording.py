#!/usr/bin/env python3
"""Records the animated picture of the README, a terminal and the pages that it opens: recording.py FILE.png

Runs `slipway up` on its usual ports, looks at the market and at a token, buys, and looks again. Needs `slipway` and `chromium` on the search path,
util-linux, and `pip install rich==15.0.0 pillow==13.0.0`.
"""
import io
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from PIL import Image
from terminal import COLUMNS, svg

SIZE = (1040, 660)
ROWS = 30
COMMAND = "slipway up"
REST = "http://127.0.0.1:4700"
CONTROL = "http://127.0.0.1:4702/_sim"

def read(url: str, body: object = None) -> dict:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)

def shot(url: str) -> Image.Image:
    """What a browser shows of a page."""
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder, "page.png")
        options = ["--headless", "--no-sandbox", "--hide-scrollbars", "--timeout=3000"]
        window = f"--window-size={SIZE[0]},{SIZE[1]}"
        run = ["chromium", *options, window, f"--screenshot={picture}", f"--user-data-dir={folder}/user", url]
        subprocess.run(run, check=True, capture_output=True, timeout=60)
        return Image.open(io.BytesIO(picture.read_bytes())).convert("RGB")

def terminal(typed: str, printed: str) -> Image.Image:
    """A terminal after this command and what it has printed: the last lines that fit."""
    lines = printed.split("\n")[-(ROWS - 2) :]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "terminal.html")
        drawn = svg(typed, "\n".join(lines + [""] * (ROWS - 2 - len(lines))))
        style = "body { margin: 0; background: #292929 } svg { width: 100vw; height: 100vh }"
        page.write_text(f"<!doctype html><meta charset=utf-8><style>{style}</style>{drawn}")
        return shot(page.as_uri())

def main() -> None:
    wide = f"stty cols {COLUMNS} rows {ROWS}; exec {COMMAND}"
    run = ["script", "--quiet", "--flush", "--echo", "never", "--command", wide, "/dev/null"]
    with tempfile.TemporaryFile("w+b") as log:
        up = subprocess.Popen(run, stdin=subprocess.DEVNULL, stdout=log)

        def printed() -> str:
            log.seek(0)
            text = log.read().decode(errors="replace").replace("\r\n", "\n")
            return "\n".join(re.split(r"\x1b\[2K|\r", line)[-1] for line in text.split("\n")).strip("\n")

        try:
            while "Ctrl-C" not in printed():
                assert up.poll() is None, printed()
                time.sleep(0.1)
            ready = printed()
            tokens = read(f"{REST}/api/tokens?status=live&sortBy=mcap-high")["tokens"]
            token = tokens[0]["address"]
            page = f"{REST}/trade/{token}"
            market, before = shot(f"{REST}/?sortBy=mcap-high"), shot(page)
            for amount in ("0.02", "0.05"):
                read(f"{CONTROL}/trades", {"token": token, "side": "buy", "amount": amount})
            after = shot(page)
            told = [line for line in printed()[len(ready) :].split("\n") if line.strip() and "GET " not in line]
            bought = "\n".join([ready, "", *told])
        finally:
            up.send_signal(signal.SIGTERM)
            up.wait()
    scenes = [(terminal(COMMAND[:typed], ""), 120) for typed in range(1, len(COMMAND) + 1, 3)]
    scenes += [(terminal(COMMAND, ""), 500), (terminal(COMMAND, ready), 4000), (market, 3000), (before, 3000)]
    scenes += [(terminal(COMMAND, bought), 3500), (after, 4000)]
    frames = [frame.quantize(64, dither=Image.Dither.NONE) for frame, _ in scenes]
    durations = [duration for _, duration in scenes]
    # What shows no animation shows the market.
    still = market.quantize(64, dither=Image.Dither.NONE)
    options = {"save_all": True, "default_image": True, "duration": durations, "loop": 0, "optimize": True}
    still.save(sys.argv[1], append_images=frames, **options)

main()
