"""Calls of the service: who asks, what is tried again, and what becomes an exception."""

from __future__ import annotations

import datetime
import email.utils
import os
import pathlib
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import httpx

from .problems import ConnectionFailed, Problem, problem_of

DEFAULT_URL = "http://127.0.0.1:8080"
# A wait between two attempts where a connection failed; it doubles.
_FIRST_PAUSE_S = 0.2


def token_of_environment() -> str | None:
    """The token, as the command line finds it: of the file WATTBOOK_TOKEN_FILE, else WATTBOOK_TOKEN."""
    file = os.environ.get("WATTBOOK_TOKEN_FILE")
    text = pathlib.Path(file).read_text(encoding="utf-8") if file else os.environ.get("WATTBOOK_TOKEN", "")
    return text.strip() or None


def retry_after_s(headers: httpx.Headers) -> float | None:
    """The seconds that an answer asks to wait: `Retry-After` has seconds or a date."""
    said = headers.get("retry-after", "").strip()
    if not said:
        return None
    if said.isdecimal():
        return float(said)
    try:
        instant = email.utils.parsedate_to_datetime(said)
    except ValueError:
        return None
    return max(0.0, (instant - datetime.datetime.now(datetime.timezone.utc)).total_seconds())


def _did_nothing(problem: Problem) -> bool:
    """Whether a busy service certainly did nothing. What its database was asked last may have been done."""
    return (
        problem.status == 429
        or problem.code == "book_changed"
        or (problem.status == 503 and problem.code != "unavailable")
    )


class Transport:
    """Calls of one service as one caller.

    A busy service, which answers 429, 503 or `book_changed` with `Retry-After`, is asked again when it says so, up to
    `attempts` times in all and as long as that is within `patience_s`. A call whose outcome is not known, since its
    connection or the service's database failed, is sent again only where doing it twice does what doing it once does.
    """

    def __init__(self, url: str | None, token: str | None, timeout_s: float, attempts: int, patience_s: float) -> None:
        self.url = (url or os.environ.get("WATTBOOK_URL") or DEFAULT_URL).rstrip("/")
        self.attempts = max(1, attempts)
        self.patience_s = patience_s
        token = (token or "").strip() or token_of_environment()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(base_url=f"{self.url}/api/v1/", headers=headers, timeout=timeout_s)

    def close(self) -> None:
        self._http.close()

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        repeatable: bool | None = None,
    ) -> httpx.Response:
        """The answer to a call. `repeatable` says whether it may be sent twice; unless given, reading and putting may."""
        given = {name: value for name, value in (query or {}).items() if value is not None}
        if repeatable is None:
            repeatable = method in ("GET", "PUT")
        request = self._http.build_request(method, path, params=given, json=body, headers=headers)
        until = time.monotonic() + self.patience_s
        for attempt in range(1, self.attempts + 1):
            try:
                response = self._http.send(request)
            except httpx.TransportError as error:
                pause_s: float | None = _FIRST_PAUSE_S * 2.0 ** (attempt - 1)
                again = repeatable or isinstance(error, (httpx.ConnectError, httpx.ConnectTimeout))
                failure: Exception = ConnectionFailed(f"{method} {request.url}: {error or type(error).__name__}")
                failure.__cause__ = error
            else:
                if response.is_success:
                    return response
                problem = problem_of_answer(response)
                pause_s, failure = problem.retry_after_s, problem
                again = _did_nothing(problem) or (repeatable and problem.status == 503)
            if not again or pause_s is None or attempt == self.attempts or time.monotonic() + pause_s > until:
                raise failure
            time.sleep(pause_s)
        raise AssertionError("the last attempt returns or raises")

    @contextmanager
    def stream(self, path: str, headers: Mapping[str, str], silence_s: float) -> Iterator[httpx.Response]:
        """A stream of events, which breaks off where nothing comes for `silence_s`."""
        timeout = httpx.Timeout(self._http.timeout.connect, read=silence_s)
        with self._http.stream("GET", path, headers=headers, timeout=timeout) as response:
            if not response.is_success:
                response.read()
                raise problem_of_answer(response)
            yield response


def problem_of_answer(response: httpx.Response) -> Problem:
    """The exception for an answer that is no success."""
    try:
        body = response.json()
    except ValueError:
        body = None
    return problem_of(response.status_code, body, response.text, retry_after_s(response.headers))
