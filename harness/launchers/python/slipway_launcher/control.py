"""The calls of the control plane. Made from the OpenAPI document of the control plane; a test of the tree makes it again."""

from __future__ import annotations

from typing import Any, Literal, TypedDict
from urllib.parse import quote

from .client import Client, ControlError

__all__ = ["Control", "ControlError"]


class GetReady(TypedDict):
    ready: bool
    chains: list[int]


class GetClock(TypedDict):
    now: int


class AdvanceClock(TypedDict):
    now: int


class SetClock(TypedDict):
    now: int


class ListCheckpoints(TypedDict):
    checkpoints: list[dict[str, Any]]
    imported: list[dict[str, Any]]


class CreateCheckpoint(TypedDict):
    id: int


class RevertToCheckpoint(TypedDict):
    id: int


class ExportState(TypedDict):
    file: str
    bytes: int


class WaitUntilIndexed(TypedDict):
    chainId: int
    block: int


class ListAccounts(TypedDict):
    accounts: list[dict[str, Any]]


class LaunchToken(TypedDict):
    token: str
    transactionHash: str
    block: int


class TradeToken(TypedDict):
    token: str
    transactionHash: str
    block: int


class GraduateToken(TypedDict):
    token: str
    transactionHash: str
    block: int


class IssueBearer(TypedDict):
    token: str


class MintCaptcha(TypedDict):
    token: str
    expiresAt: int


class SignCaptchaAuth(TypedDict):
    deadline: int
    nonce: str
    signature: str


class DisableToken(TypedDict):
    token: str
    disabled: bool


class EnableToken(TypedDict):
    token: str
    disabled: bool


class PauseCreation(TypedDict):
    chainId: int
    hook: str
    paused: bool
    block: int


class ResumeCreation(TypedDict):
    chainId: int
    hook: str
    paused: bool
    block: int


class GetJournal(TypedDict):
    entries: list[dict[str, Any]]
    last: int
    dropped: bool


class ListFaults(TypedDict):
    faults: dict[str, dict[str, Any]]
    unused: list[str]


class GetFault(TypedDict):
    service: Literal["rest", "swap", None]
    method: str | None
    path: str
    nth: int
    times: int
    effect: dict[str, Any]
    matched: int
    hits: int


class SetFault(TypedDict):
    service: Literal["rest", "swap", None]
    method: str | None
    path: str
    nth: int
    times: int
    effect: dict[str, Any]
    matched: int
    hits: int


class RemoveFault(TypedDict):
    service: Literal["rest", "swap", None]
    method: str | None
    path: str
    nth: int
    times: int
    effect: dict[str, Any]
    matched: int
    hits: int


class Control(Client):
    """The control plane of a platform."""

    def get_ready(self) -> GetReady:
        """Whether both nodes and the store answer."""
        return self._call("GET", "/_sim/ready", {}, None)

    def get_clock(self) -> GetClock:
        """The time, Unix seconds."""
        return self._call("GET", "/_sim/clock", {}, None)

    def advance_clock(self, *, seconds: int) -> AdvanceClock:
        """Moves the clock forward by some seconds."""
        return self._call("POST", "/_sim/clock/advance", {}, {"seconds": seconds})

    def set_clock(self, *, timestamp: int) -> SetClock:
        """Moves the clock forward to a time."""
        return self._call("POST", "/_sim/clock/set", {}, {"timestamp": timestamp})

    def list_checkpoints(self) -> ListCheckpoints:
        """The checkpoints to which a revert can return."""
        return self._call("GET", "/_sim/checkpoints", {}, None)

    def create_checkpoint(self, *, name: str | None = None) -> CreateCheckpoint:
        """Remembers everything as it is now."""
        return self._call("POST", "/_sim/checkpoints", {}, {"name": name})

    def revert_to_checkpoint(self, *, id: int) -> RevertToCheckpoint:
        """Goes back to a checkpoint, as often as wanted; later ones end."""
        return self._call("POST", f"/_sim/checkpoints/{quote(str(id), safe='')}/revert", {}, None)

    def export_state(self, *, file: str | None = None) -> ExportState:
        """Writes everything into a file that `slipway up --import` begins with."""
        return self._call("POST", "/_sim/export", {}, {"file": file})

    def wait_until_indexed(self, *, chain_id: Literal[57073, 4663], block: int) -> WaitUntilIndexed:
        """Answers once a block is indexed."""
        return self._call("GET", "/_sim/indexed", {"chainId": chain_id, "block": block}, None)

    def list_accounts(self) -> ListAccounts:
        """The funded accounts with what they have, in wei by chain id."""
        return self._call("GET", "/_sim/accounts", {}, None)

    def launch_token(self, *, name: str, ticker: str, target_raise: str, chain_id: Literal[57073, 4663] | None = None, account: str | None = None, description: str | None = None, prebuy: str | None = None, anti_snipe_duration: int | None = None) -> LaunchToken:
        """Has a funded account launch a token."""
        return self._call("POST", "/_sim/launches", {}, {"name": name, "ticker": ticker, "targetRaise": target_raise, "chainId": chain_id, "account": account, "description": description, "prebuy": prebuy, "antiSnipeDuration": anti_snipe_duration})

    def trade_token(self, *, token: str, side: Literal["buy", "sell"], amount: str, chain_id: Literal[57073, 4663] | None = None, account: str | None = None) -> TradeToken:
        """Has a funded account trade a token."""
        return self._call("POST", "/_sim/trades", {}, {"token": token, "side": side, "amount": amount, "chainId": chain_id, "account": account})

    def graduate_token(self, *, address: str, chain_id: Literal[57073, 4663] | None = None, account: str | None = None) -> GraduateToken:
        """Has a funded account buy what is left on a curve."""
        return self._call("POST", f"/_sim/tokens/{quote(str(address), safe='')}/graduate", {}, {"chainId": chain_id, "account": account})

    def issue_bearer(self, *, address: str) -> IssueBearer:
        """A bearer token that speaks for a wallet."""
        return self._call("POST", "/_sim/bearers", {}, {"address": address})

    def mint_captcha(self, *, ttl_seconds: int | None = None) -> MintCaptcha:
        """A captcha token, valid once."""
        return self._call("POST", "/_sim/captchas", {}, {"ttlSeconds": ttl_seconds})

    def sign_captcha_auth(self, *, chain_id: Literal[57073, 4663], trader: str, launch_id: int, hook: str | None = None) -> SignCaptchaAuth:
        """The contracts' CaptchaAuth for one trader and one launch."""
        return self._call("POST", "/_sim/captcha-auths", {}, {"chainId": chain_id, "trader": trader, "launchId": launch_id, "hook": hook})

    def disable_token(self, *, address: str) -> DisableToken:
        """Hides a token from the usual lists."""
        return self._call("PUT", f"/_sim/tokens/{quote(str(address), safe='')}/disabled", {}, None)

    def enable_token(self, *, address: str) -> EnableToken:
        """Shows a token in the usual lists again."""
        return self._call("DELETE", f"/_sim/tokens/{quote(str(address), safe='')}/disabled", {}, None)

    def pause_creation(self, *, chain_id: Literal[57073, 4663], hook: str | None = None) -> PauseCreation:
        """Pauses the creation of launches by a hook."""
        return self._call("PUT", "/_sim/creation-paused", {"chainId": chain_id, "hook": hook}, None)

    def resume_creation(self, *, chain_id: Literal[57073, 4663], hook: str | None = None) -> ResumeCreation:
        """Resumes the creation of launches by a hook."""
        return self._call("DELETE", "/_sim/creation-paused", {"chainId": chain_id, "hook": hook}, None)

    def get_journal(self, *, after: int | None = None, request_id: str | None = None) -> GetJournal:
        """The answered requests, with the rule that refused each refused one."""
        return self._call("GET", "/_sim/journal", {"after": after, "requestId": request_id}, None)

    def list_faults(self) -> ListFaults:
        """The faults by name, and those that have hit nothing yet."""
        return self._call("GET", "/_sim/faults", {}, None)

    def get_fault(self, *, name: str) -> GetFault:
        """A fault with what came of it."""
        return self._call("GET", f"/_sim/faults/{quote(str(name), safe='')}", {}, None)

    def set_fault(self, *, name: str, path: str, effect: dict[str, Any], service: Literal["rest", "swap"] | None = None, method: str | None = None, nth: int | None = None, times: int | None = None) -> SetFault:
        """Orders a fault, in place of one of the same name."""
        return self._call("PUT", f"/_sim/faults/{quote(str(name), safe='')}", {}, {"path": path, "effect": effect, "service": service, "method": method, "nth": nth, "times": times})

    def remove_fault(self, *, name: str) -> RemoveFault:
        """Takes a fault back."""
        return self._call("DELETE", f"/_sim/faults/{quote(str(name), safe='')}", {}, None)
