"""Starts a slipway platform for a test suite: one process that ends with this one, whatever ends this one."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .container import REMEDY, Contained
from .control import Control, ControlError, RevertError

__all__ = ["Account", "Chain", "Control", "ControlError", "Platform", "Ready", "RevertError", "SlipwayContainer", "attach", "start"]


# The form of the ready line and of the control plane that this launcher understands.
PROTOCOL = 1


class _Record(dict[str, Any]):
    """An object of the ready line: members by their JSON names, or as attributes in snake case."""

    def __getattr__(self, name: str) -> Any:
        first, *rest = name.split("_")
        try:
            return self[first + "".join(word.capitalize() for word in rest)]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no {name}") from None


class Account(_Record):
    address: str
    private_key: str


class Chain(_Record):
    chain_id: int
    rpc_url: str
    hook: str
    contracts: dict[str, str]


class Ready(_Record):
    """The line that ``slipway up --json`` prints."""

    protocol: int
    pid: int
    seed: int
    clock: str
    base_url: str
    swap_base_url: str
    control_url: str
    operator_key: str
    chains: list[Chain]
    accounts: list[Account]

    def __init__(self, line: dict[str, Any]) -> None:
        super().__init__(line)
        self["chains"] = [Chain(chain) for chain in line["chains"]]
        self["accounts"] = [Account(account) for account in line["accounts"]]


class Platform:
    """A running platform."""

    def __init__(self, ready: dict[str, Any], process: subprocess.Popen[bytes] | None = None) -> None:
        self.ready = Ready(ready)
        self.control = Control(self.ready.control_url, self.ready.get("controlToken"))
        self.base_url = self.ready.base_url
        self.swap_base_url = self.ready.swap_base_url
        self.accounts = self.ready.accounts
        self._process = process

    def chain(self, chain_id: int = 57073) -> Chain:
        """A chain, by default the primary one."""
        for chain in self.ready.chains:
            if chain.chain_id == chain_id:
                return chain
        raise LookupError(f"the platform has no chain {chain_id}")

    @contextmanager
    def isolated(self) -> Iterator[Platform]:
        """Takes back everything done inside: on the chains, in the services, to the clock."""
        checkpoint = self.control.call("createCheckpoint")["id"]
        try:
            yield self
        finally:
            self.control.call("revertToCheckpoint", {"id": checkpoint})

    def succeeded(self, transaction_hash: str) -> dict[str, Any]:
        """The mined transaction in words: its calls, its events; raises a RevertError if it reverted."""
        transaction: dict[str, Any] = self.control.call("getTransaction", {"hash": transaction_hash})
        if error := transaction.get("error"):
            raise RevertError(transaction_hash, 409, {"error": f"reverted: {error['text']}", "revert": error})
        return transaction

    def stop(self) -> None:
        """Ends the platform and waits until it is gone."""
        if self._process is not None:
            assert self._process.stdin and self._process.stdout
            self._process.stdin.close()
            self._process.wait()
            self._process.stdout.close()
            self._process = None

    def __enter__(self) -> Platform:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()


def start(
    binary: str | None = None,
    *,
    image: str | None = None,
    seed: int | None = None,
    clock: str = "real",
    arguments: Sequence[str] = (),
) -> Platform:
    """Starts a platform; returns when every part answers. The program is ``binary``, SLIPWAY_BIN, or on PATH;
    with ``image`` it runs in a container, as with ``SlipwayContainer``."""
    contained = Contained(image) if image else None
    program = "docker" if contained else binary or os.environ.get("SLIPWAY_BIN") or "slipway"
    words = contained.words if contained else ["up", "--port", "0"]
    command = [program, *words, "--json", "--until-eof", "--clock", clock, *arguments]
    if seed is not None:
        command += ["--seed", str(seed)]
    complaint = tempfile.TemporaryFile()
    # The platform ends when its standard input closes, and the system closes that also when this process is killed.
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaint)
    except OSError as error:
        remedy = REMEDY if contained else "name it with SLIPWAY_BIN or put it on PATH"
        raise RuntimeError(f"{program} does not run: {error}; {remedy}") from error
    assert process.stdout
    line = process.stdout.readline().decode()
    if not line:
        code = process.wait()
        complaint.seek(0)
        raise RuntimeError(f"slipway ended with code {code}: {complaint.read().decode(errors='replace').strip()}")
    platform = Platform(json.loads(contained.outside(line) if contained else line), process)
    if (spoken := platform.ready.get("protocol")) != PROTOCOL:
        platform.stop()
        raise RuntimeError(
            f"slipway speaks protocol {spoken}, this launcher {PROTOCOL}: "
            "install slipway-cli and slipway-launcher of one release"
        )
    return platform


class SlipwayContainer:
    """A platform in a container of an image, which is removed when the platform stops or this process ends.

    The image must be on the engine's machine. ``options`` are ``seed``, ``clock`` and ``arguments`` of ``start``; paths among the
    arguments are paths in the container. Either ``with SlipwayContainer() as platform:``, or ``start()`` and ``stop()`` of the platform.
    """

    def __init__(self, image: str = "slipway:latest", **options: Any) -> None:
        self._options = options | {"image": image}
        self._platform: Platform | None = None

    def start(self) -> Platform:
        """Starts the container; returns when every part answers."""
        return start(**self._options)

    def __enter__(self) -> Platform:
        self._platform = self.start()
        return self._platform

    def __exit__(self, *_: Any) -> None:
        assert self._platform
        self._platform.stop()


def attach(ready: dict[str, Any]) -> Platform:
    """A platform that another program started, by its ready line."""
    return Platform(ready)
