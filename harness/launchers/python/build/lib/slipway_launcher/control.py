"""The client of the control plane."""

from __future__ import annotations

import json
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import ProxyHandler, Request, build_opener

__all__ = ["Control", "ControlError", "RevertError"]

# A platform is on this machine: no proxy of the environment has business in between.
_OPENER = build_opener(ProxyHandler({}))


class ControlError(Exception):
    """The control plane refused a call."""

    def __init__(self, call: str, status: int, body: dict[str, Any]) -> None:
        super().__init__(f"{call}: {body.get('error')} ({status})")
        self.status = status
        self.body = body


class RevertError(ControlError):
    """A contract reverted, with the name and the arguments of its error, where that is known."""

    def __init__(self, call: str, status: int, body: dict[str, Any]) -> None:
        super().__init__(call, status, body)
        revert = body["revert"]
        self.error_name: str | None = revert.get("name")
        self.arguments: dict[str, str] = {one["name"]: one["value"] for one in revert.get("arguments", [])}


class Control:
    """The control plane of a platform."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = url
        self._operations: dict[str, dict[str, Any]] = {}
        self._headers = {"content-type": "application/json"}
        if token:
            self._headers["authorization"] = f"Bearer {token}"

    def call(self, name: str, given: dict[str, Any] | None = None) -> Any:
        """Makes the call with this operation id of the control plane's OpenAPI document, which tells where each member goes."""
        self._operations = self._operations or self._read()
        if name not in self._operations:
            raise LookupError(f"the control plane has no call {name}; it has {', '.join(self._operations)}")
        operation = self._operations[name]
        places = {parameter["name"]: parameter["in"] for parameter in operation.get("parameters", [])}
        default = "body" if "requestBody" in operation else "query"
        members: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "body": {}}
        for member, value in (given or {}).items():
            if value is not None:
                members[places.get(member, default)][member] = value
        path = operation["path"]
        for member, value in members["path"].items():
            path = path.replace("{" + member + "}", quote(str(value), safe=""))
        if members["query"]:
            path += "?" + urlencode(members["query"])
        body = json.dumps(members["body"]).encode() if members["body"] else None
        return self._send(name, operation["method"], path, body)

    def _read(self) -> dict[str, dict[str, Any]]:
        paths = self._send("getOpenApi", "GET", "/openapi.json", None)["paths"]
        return {
            operation["operationId"]: {**operation, "path": path, "method": method.upper()}
            for path, methods in paths.items()
            for method, operation in methods.items()
        }

    def _send(self, call: str, method: str, path: str, body: bytes | None) -> Any:
        request = Request(self.url + path, data=body, method=method, headers=self._headers)
        try:
            with _OPENER.open(request) as answer:
                return json.load(answer)
        except HTTPError as error:
            refused = json.load(error)
            raise (RevertError if "revert" in refused else ControlError)(call, error.code, refused) from None
