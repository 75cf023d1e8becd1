"""``slipway up`` in a container: its ports are published on free ones, which are chosen first because answers contain the addresses."""

from __future__ import annotations

import os
import socket
from contextlib import ExitStack
from urllib.parse import urlsplit

# The first of the ports inside, and how many there are: REST, swap, control plane and the two nodes.
FIRST = 4700
PORTS = 5

REMEDY = "install a container engine (Debian: apt-get install docker.io)"


class Contained:
    """The arguments of ``docker`` that run ``slipway up`` in an image, and the rewriting of addresses in what it prints."""

    def __init__(self, image: str) -> None:
        engine = urlsplit(os.environ.get("DOCKER_HOST", ""))
        remote = engine.hostname if engine.scheme == "tcp" else None
        ports = _free_ports()
        self._addresses = [f"http://{remote or '127.0.0.1'}:{port}" for port in ports]
        self.words = ["run", "--rm", "--interactive", "--label", f"io.slipway.launcher={os.getpid()}"]
        # Nothing is pulled: a registry may have another image of this name.
        self.words += ["--pull", "never"]
        for part, port in enumerate(ports):
            # An engine elsewhere publishes on all addresses of its machine.
            self.words += ["--publish", f"{'' if remote else '127.0.0.1:'}{port}:{FIRST + part}"]
        self.words += [image, "up", "--host", "0.0.0.0", "--offline"]
        for part, service in enumerate(["rest", "swap"]):
            self.words += ["--public-url", f"{service}={self._addresses[part]}"]

    def outside(self, line: str) -> str:
        """The ready line with the addresses under which the parts are reached from here."""
        for part, address in enumerate(self._addresses):
            line = line.replace(f'http://127.0.0.1:{FIRST + part}"', f'{address}"')
        return line


def _free_ports() -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(PORTS)]
        for listener in sockets:
            listener.bind(("", 0))
        return [listener.getsockname()[1] for listener in sockets]
