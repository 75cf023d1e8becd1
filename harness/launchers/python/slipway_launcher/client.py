"""The client of the control plane, whose calls are in `control`."""

from __future__ import annotations

import json
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

# A platform is on this machine: no proxy of the environment has business in between.
_OPENER = build_opener(ProxyHandler({}))


class ControlError(Exception):
    """The control plane refused a call."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(f"{body.get('error')} ({status})")
        self.status = status
        self.body = body


class Client:
    """Makes the calls of a control plane."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self.url = url
        self._headers = {"content-type": "application/json"}
        if token:
            self._headers["authorization"] = f"Bearer {token}"

    def _call(self, method: str, path: str, query: dict[str, Any], body: dict[str, Any] | None) -> Any:
        query = {name: value for name, value in query.items() if value is not None}
        target = self.url + path + ("?" + urlencode(query) if query else "")
        sent = None
        if body is not None:
            sent = json.dumps({name: value for name, value in body.items() if value is not None}).encode()
        request = Request(target, data=sent, method=method, headers=self._headers)
        try:
            with _OPENER.open(request) as answer:
                return json.load(answer)
        except HTTPError as error:
            raise ControlError(error.code, json.load(error)) from None
