"""The launcher for asyncio: the same platform, whose calls are awaited and block no event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from . import Platform
from . import start as _start

__all__ = ["AsyncControl", "AsyncPlatform", "start"]


class AsyncControl:
    """``Control``, whose calls are awaited."""

    def __init__(self, platform: Platform) -> None:
        self._control = platform.control

    async def call(self, name: str, given: dict[str, Any] | None = None) -> Any:
        """As ``Control.call``."""
        return await asyncio.to_thread(self._control.call, name, given)


class AsyncPlatform:
    """A running platform; addresses, accounts and chains are those of ``Platform``."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self.control = AsyncControl(platform)
        self.ready, self.accounts, self.chain = platform.ready, platform.accounts, platform.chain
        self.base_url, self.swap_base_url = platform.base_url, platform.swap_base_url

    @asynccontextmanager
    async def isolated(self) -> AsyncIterator[AsyncPlatform]:
        """Takes back everything done inside: on the chains, in the services, to the clock."""
        checkpoint = (await self.control.call("createCheckpoint"))["id"]
        try:
            yield self
        finally:
            await self.control.call("revertToCheckpoint", {"id": checkpoint})

    async def succeeded(self, transaction_hash: str) -> dict[str, Any]:
        """As ``Platform.succeeded``."""
        return await asyncio.to_thread(self._platform.succeeded, transaction_hash)

    async def stop(self) -> None:
        """Ends the platform and waits until it is gone."""
        await asyncio.to_thread(self._platform.stop)


@asynccontextmanager
async def start(*arguments: Any, **options: Any) -> AsyncIterator[AsyncPlatform]:
    """Starts a platform with the arguments of ``slipway_launcher.start``, and ends it after the block."""
    platform = AsyncPlatform(await asyncio.to_thread(_start, *arguments, **options))
    try:
        yield platform
    finally:
        await platform.stop()
