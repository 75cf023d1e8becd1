"""A module of Testcontainers: ``slipway up`` in a container of the image. The free ports are chosen first, because answers contain the addresses."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from testcontainers.core.container import DockerContainer
from testcontainers.core.wait_strategies import LogMessageWaitStrategy

from . import Platform

__all__ = ["SlipwayContainer"]

# The first of the ports inside, and how many there are: REST, swap, control plane and the two nodes.
FIRST = 4700
PORTS = 5
READY = '{"protocol":'


class SlipwayContainer(DockerContainer):
    """A platform in a container of the image: ``with SlipwayContainer() as container: container.platform``.

    Paths among the arguments are paths in the container; other keywords are those of ``DockerContainer``.
    """

    platform: Platform

    def __init__(
        self,
        image: str = "slipway:latest",
        *,
        seed: int | None = None,
        clock: str = "real",
        arguments: Sequence[str] = (),
        **options: Any,
    ) -> None:
        super().__init__(image, **options)
        host = self.get_docker_client().host()
        ports = _free_ports()
        self._origins = [f"http://{host}:{port}" for port in ports]
        for part, port in enumerate(ports):
            self.with_bind_ports(FIRST + part, port)
        command = ["up", "--host", "0.0.0.0", "--offline", "--json", "--clock", clock, *arguments]
        for service, origin in zip(("rest", "swap"), self._origins, strict=False):
            command += ["--public-url", f"{service}={origin}"]
        if seed is not None:
            command += ["--seed", str(seed)]
        self._command = command
        self.waiting_for(LogMessageWaitStrategy(READY).with_startup_timeout(120))

    def start(self) -> SlipwayContainer:
        """Starts the container; returns when every part answers."""
        try:
            super().start()
            lines = self.get_logs()[0].decode().splitlines()
            ready = next(line for line in lines if line.startswith(READY))
            self.platform = Platform(self._outside(ready), self.stop)
        except Exception as error:
            said = b"".join(self.get_logs()).decode(errors="replace").strip() if self._container else ""
            self.stop()
            raise RuntimeError(f"no platform in {self.image}: {said[-4096:] or error}") from error
        return self

    def _outside(self, line: str) -> dict[str, Any]:
        """The ready line with the addresses under which the parts are reached from here."""
        for part, origin in enumerate(self._origins):
            line = line.replace(f'http://127.0.0.1:{FIRST + part}"', f'{origin}"')
        ready: dict[str, Any] = json.loads(line)
        return ready


def _free_ports() -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(PORTS)]
        for listener in sockets:
            listener.bind(("", 0))
        return [listener.getsockname()[1] for listener in sockets]
