"""Server-sent events, gone on with after the connection was lost."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Generator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx

from .problems import ConnectionFailed, TooMany, Unavailable
from .transport import Transport

# The service sends a comment every 15 s: where nothing comes for three of them, the connection is lost.
SILENCE_S = 45.0


@dataclass(frozen=True)
class Event:
    """Something that happened: its name, such as `reservation.confirmed`, its number and its data."""

    type: str
    id: str
    data: dict[str, Any]


@dataclass
class _Position:
    """Where a stream is, and how long it asks to wait before it is opened again."""

    last_id: str | None
    pause_s: float = 2.0


def _parsed(lines: Iterable[str], position: _Position) -> Iterator[Event]:
    """The events of a stream's lines, by the rules of the HTML standard."""
    kind, data, number = "", list[str](), position.last_id
    for line in lines:
        if not line:
            # Only now: an event that was cut off is asked for again.
            position.last_id = number
            if data:
                yield Event(kind or "message", position.last_id or "", json.loads("\n".join(data)))
            kind, data = "", []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            kind = value
        elif field == "data":
            data.append(value)
        elif field == "id":
            number = value
        elif field == "retry" and value.isdecimal():
            position.pause_s = int(value) / 1000


def follow(
    transport: Transport,
    path: str,
    *,
    after: str | None,
    types: Collection[str] | None,
    last: Collection[str] = (),
    patience_s: float,
) -> Generator[Event, None, None]:
    """Events of a stream, which is opened again after the last one that was read when its connection ends.

    It ends when the service says that nothing will follow (204), or after an event whose data have a `state` of `last`.
    Where no connection stands for `patience_s`, that is an error.
    """
    position = _Position(after)
    until = time.monotonic() + patience_s
    while True:
        headers = {"Accept": "text/event-stream"}
        if position.last_id is not None:
            headers["Last-Event-ID"] = position.last_id
        pause_s: float | None = None
        failure: Exception = ConnectionFailed(f"{transport.url}: the stream of events ended")
        try:
            with transport.stream(path, headers, SILENCE_S) as response:
                if response.status_code == 204:
                    return
                try:
                    for event in _parsed(response.iter_lines(), position):
                        if types is None or event.type in types:
                            yield event
                        if event.data.get("state") in last:
                            return
                finally:
                    until = time.monotonic() + patience_s
        except httpx.TransportError as error:
            failure = ConnectionFailed(f"{transport.url}: {error or type(error).__name__}")
        except (TooMany, Unavailable) as problem:
            failure, pause_s = problem, problem.retry_after_s
        wait_s = position.pause_s if pause_s is None else pause_s
        if time.monotonic() + wait_s > until:
            raise failure
        time.sleep(wait_s)
