"""What the service refuses, as exceptions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .models import PlacedError


class WattbookError(Exception):
    """Anything that this package raises of its own."""


class ConnectionFailed(WattbookError):
    """The service cannot be reached, or its answer was lost."""


class SimulationFailed(WattbookError):
    """A simulation ended without results: it failed, or was cancelled."""


class Problem(WattbookError):
    """An answer that is a problem document (RFC 9457).

    `code` is a stable word for programs, `detail` says what happened and the way out, and `errors` has every error
    of what was sent, each with a JSON pointer into it (`pointer`) or the name of a parameter (`place`). `document` is
    the whole answer: an impossible request has its `reasons` there, a late choice new `offers`.
    """

    def __init__(self, document: Mapping[str, Any], status: int, retry_after_s: float | None = None) -> None:
        self.document = dict(document)
        self.status = status
        self.code = str(document.get("code", f"http_{status}"))
        self.title = str(document.get("title", ""))
        self.detail = str(document.get("detail", ""))
        self.errors: Sequence[PlacedError] = list(document.get("errors") or [])
        self.retry_after_s = retry_after_s
        places = (
            f"\n  {error.get('pointer') or error.get('place') or '(all)'}: {error['detail']}" for error in self.errors
        )
        super().__init__(f"{self.code}: {self.detail}{''.join(places)}")

    @property
    def pointers(self) -> list[str]:
        """The JSON pointers of the errors, such as `/nodes`."""
        return [pointer for error in self.errors if (pointer := error.get("pointer")) is not None]


class InvalidRequest(Problem):
    """400, 413 and 415: what was sent is wrong, and `errors` says where."""


class NotPermitted(Problem):
    """401 and 403: there is no valid token, or its owner may not do this."""


class NotFound(Problem):
    """404: there is no such thing, or the caller may not know of it."""


class Conflict(Problem):
    """409 and 412: too late, or something changed meanwhile."""


class Impossible(Problem):
    """422: no start is possible, a quota would be exceeded, or there is no such offer."""


class TooMany(Problem):
    """429: the caller has as much as one may have at a time."""


class Unavailable(Problem):
    """503: the service cannot answer now."""


_KINDS: dict[int, type[Problem]] = {
    400: InvalidRequest,
    413: InvalidRequest,
    415: InvalidRequest,
    401: NotPermitted,
    403: NotPermitted,
    404: NotFound,
    409: Conflict,
    412: Conflict,
    422: Impossible,
    429: TooMany,
    503: Unavailable,
}


def problem_of(status: int, body: object, text: str, retry_after_s: float | None) -> Problem:
    """The exception for an answer; a body that is no problem document, such as a proxy's page, is told in part."""
    document = body if isinstance(body, Mapping) else {"detail": text[:200].strip() or "the answer has no body"}
    return _KINDS.get(status, Problem)(document, status, retry_after_s)
