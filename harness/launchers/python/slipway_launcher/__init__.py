"""Starts a slipway platform for a test suite: one process that ends with this one, whatever ends this one."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .control import Control, ControlError, RevertError

__all__ = ["Account", "Chain", "Control", "ControlError", "Platform", "Ready", "RevertError", "attach", "start"]


# The form of the ready line and of the control plane that this launcher understands.
PROTOCOL = 1

# A program of the same name, or an old one.
NO_READY_LINE = "no ready line; name the program of slipway-cli with SLIPWAY_BIN, other packages are called slipway too"


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

    def __init__(self, ready: dict[str, Any], end: Callable[[], None] | None = None) -> None:
        """By its ready line, and by what ends it if it is this process that started it."""
        if (spoken := ready.get("protocol")) != PROTOCOL:
            raise RuntimeError(
                f"slipway speaks protocol {spoken}, this launcher {PROTOCOL}: "
                "install slipway-cli and slipway-launcher of one release"
            )
        self.ready = Ready(ready)
        self.control = Control(self.ready.control_url, self.ready.get("controlToken"))
        self.base_url = self.ready.base_url
        self.swap_base_url = self.ready.swap_base_url
        self.accounts = self.ready.accounts
        self._end = end

    def chain(self, chain_id: int = 57073) -> Chain:
        """A chain, by default the primary one."""
        for chain in self.ready.chains:
            if chain.chain_id == chain_id:
                return chain
        known = " and ".join(str(chain.chain_id) for chain in self.ready.chains)
        raise LookupError(f"the platform has no chain {chain_id}; it has {known}")

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
            body = {"error": f"reverted: {error['text']}", "revert": transaction.get("revert", {})}
            raise RevertError(transaction_hash, 409, body)
        return transaction

    def stop(self) -> None:
        """Ends the platform and waits until it is gone."""
        end, self._end = self._end, None
        if end:
            end()

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
    """Starts a platform; returns when every part answers. The program is ``binary``, SLIPWAY_BIN, or on PATH; with ``image``
    it runs in a container, by ``SlipwayContainer`` of ``slipway_launcher.testcontainers``."""
    if image:
        from .testcontainers import SlipwayContainer

        return SlipwayContainer(image, seed=seed, clock=clock, arguments=arguments).start().platform
    program = binary or os.environ.get("SLIPWAY_BIN") or "slipway"
    command = [program, "up", "--port", "0", "--json", "--until-eof", "--clock", clock, *arguments]
    if seed is not None:
        command += ["--seed", str(seed)]
    complaint = tempfile.TemporaryFile()
    # The platform ends when its standard input closes, and the system closes that also when this process is killed.
    try:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaint)
    except OSError as error:
        raise RuntimeError(f"{program} does not run: {error}; name it with SLIPWAY_BIN or put it on PATH") from error
    assert process.stdin and process.stdout
    pipes = process.stdin, process.stdout

    def end() -> None:
        pipes[0].close()
        process.wait()
        pipes[1].close()

    line = pipes[1].readline()
    if not line:
        code = process.wait()
        complaint.seek(0)
        said = complaint.read().decode(errors="replace").strip()
        raise RuntimeError(f"{program} ended with code {code}: {said or NO_READY_LINE}")
    try:
        return Platform(json.loads(line), end)
    except ValueError:
        end()
        raise RuntimeError(f"{program} printed {line[:80]!r}: {NO_READY_LINE}") from None
    except BaseException:
        end()
        raise


def attach(ready: dict[str, Any]) -> Platform:
    """A platform that another program started, by its ready line."""
    return Platform(ready)
