"""What a request for nodes may say beside nodes, length and window."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeAlias

from typing_extensions import TypedDict

from .models import SearchDocument, ShapeDocument, ShownOffer, ToleranceDocument

Instant: TypeAlias = datetime.datetime | str
"""An instant: a datetime with a time zone, or RFC 3339."""

Length: TypeAlias = datetime.timedelta | int | str
"""A length of time: a timedelta, whole seconds, or ISO 8601 such as `PT2H`."""


class RequestOptions(TypedDict, total=False):
    """Fields of every request for nodes."""

    alternatives: list[ShapeDocument] | None
    utilisation: float | None
    slowest_speed: float | None
    tolerance: ToleranceDocument | None
    partition: str | None
    features: list[str] | None
    exclude: list[str] | None
    only: list[str] | None
    search: SearchDocument | None
    project: str | None
    labels: dict[str, str] | None
    utilisation_from: str | None


class QuoteOptions(RequestOptions, total=False):
    """Fields that only a quote has beside."""

    pareto_nodes: bool | None
    explain: bool | None


class ReservationOptions(RequestOptions, total=False):
    """Fields that only a reservation has beside."""

    on_cap: str | None
    extra_power_fee_limit: float | None
    priority: int | None
    replaces: str | None
    give_back: str | None
    hold_compromise: bool | None
    note: str | None
    expected: ShownOffer | None


class ModificationOptions(TypedDict, total=False):
    """Fields of a request that can be changed, and how the new offer is chosen."""

    nodes: int | None
    alternatives: list[ShapeDocument] | None
    utilisation: float | None
    slowest_speed: float | None
    tolerance: ToleranceDocument | None
    partition: str | None
    features: list[str] | None
    exclude: list[str] | None
    only: list[str] | None
    search: SearchDocument | None
    on_cap: str | None
    extra_power_fee_limit: float | None
    priority: int | None
    give_back: str | None
    project: str | None
    labels: dict[str, str | None] | None
    note: str | None
    utilisation_from: str | None
    ranking: str | None
    expected: ShownOffer | None


def instant(value: Instant) -> str:
    """An instant as the API takes it: RFC 3339, in UTC, whole seconds."""
    if isinstance(value, str):
        return value
    if value.tzinfo is None:
        raise ValueError(
            f"{value.isoformat()} has no time zone: say datetime.timezone.utc, or .astimezone() for the local one"
        )
    return value.astimezone(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def optional_instant(value: Instant | None) -> str | None:
    return None if value is None else instant(value)


def length(value: Length) -> int | str:
    """A length of time as the API takes it."""
    if not isinstance(value, datetime.timedelta):
        return value
    seconds = value.total_seconds()
    if seconds != int(seconds):
        raise ValueError(f"{value} is no whole number of seconds")
    return int(seconds)


def _a_day_after(told: str) -> str | None:
    """A day after an instant; None for what is none, which the service refuses in its own words."""
    try:
        return instant(datetime.datetime.fromisoformat(told.replace("Z", "+00:00")) + datetime.timedelta(days=1))
    except ValueError:
        return None


def window(
    nodes: int | None,
    duration: Length | None,
    earliest_start: Instant | None,
    latest_start: Instant | None,
    latest_end: Instant | None,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """The body of a request: from now on unless it says when, and within a day unless it says until when."""
    now = datetime.datetime.now(datetime.timezone.utc)
    body: dict[str, Any] = {"earliest_start": instant(now if earliest_start is None else earliest_start)}
    if nodes is not None:
        body["nodes"] = nodes
    if duration is not None:
        body["duration_s"] = length(duration)
    if latest_start is None and latest_end is None:
        latest_start = _a_day_after(body["earliest_start"])
    if latest_start is not None:
        body["latest_start"] = instant(latest_start)
    if latest_end is not None:
        body["latest_end"] = instant(latest_end)
    return body | {name: value for name, value in options.items() if value is not None}
