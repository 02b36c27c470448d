"""The fields that the client takes are those of the API's document."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from typing_extensions import get_type_hints
from wattbook import models, requests

NAMED = {"nodes", "duration_s", "earliest_start", "latest_start", "latest_end"}


@pytest.mark.parametrize(
    ("options", "document", "named"),
    [
        (requests.QuoteOptions, models.QuoteRequest, NAMED),
        (requests.ReservationOptions, models.ReservationRequest, NAMED),
        (requests.ModificationOptions, models.RequestPatchDocument, NAMED - {"nodes"}),
    ],
)
def test_no_field_is_missing(options: Any, document: Any, named: set[str]) -> None:
    # `duration` is another name of `duration_s`.
    assert set(get_type_hints(options)) | named == set(get_type_hints(document)) - {"duration"}


def test_instants_are_told_in_utc() -> None:
    paris = datetime.timezone(datetime.timedelta(hours=2))
    assert requests.instant(datetime.datetime(2026, 7, 1, 12, 30, 0, 999, tzinfo=paris)) == "2026-07-01T10:30:00Z"
    assert requests.instant("2026-07-01T12:30:00+02:00") == "2026-07-01T12:30:00+02:00"


def test_lengths_are_whole_seconds() -> None:
    assert requests.length(datetime.timedelta(hours=2)) == 7200
    assert [requests.length(7200), requests.length("PT2H")] == [7200, "PT2H"]
    with pytest.raises(ValueError, match="whole number"):
        requests.length(datetime.timedelta(milliseconds=1500))


def test_a_window_is_a_day_unless_it_says_otherwise() -> None:
    day = requests.window(1, 60, "2026-07-01T12:30:00+02:00", None, None, {"note": None, "priority": 0})
    assert day == {
        "nodes": 1,
        "duration_s": 60,
        "earliest_start": "2026-07-01T12:30:00+02:00",
        "latest_start": "2026-07-02T10:30:00Z",
        "priority": 0,
    }
    deadline = requests.window(1, 60, "2026-07-01T12:30:00Z", None, "2026-07-01T14:00:00Z", {})
    assert "latest_start" not in deadline and deadline["latest_end"] == "2026-07-01T14:00:00Z"
