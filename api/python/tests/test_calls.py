"""What is tried again, who asks, and how streams go on: against a small server of the test's own."""

from __future__ import annotations

import datetime
import email.utils
import pathlib
import socket
import time

import pytest
import wattbook
from small_server import Answer, problem, small_server

SITE = {"location": "site", "currency": "EUR", "slot_s": 900}
RESERVATION = {"id": "01996e3e-2f7b-7c8e-b1de-5a1f2c3d4e5f", "state": "proposed", "offers": []}


def test_a_busy_service_is_asked_again_when_it_says() -> None:
    busy = problem(503, "overloaded", Retry_After="1")
    with small_server(busy, Answer(200, SITE)) as server, wattbook.Client(server.url) as client:
        began = time.monotonic()
        assert client.site()["currency"] == "EUR"
        assert 0.9 < time.monotonic() - began < 30
        assert [asked.path for asked in server.asked] == ["/api/v1/site"] * 2


def test_what_books_is_sent_again_under_the_same_key() -> None:
    answers = (problem(429, "too_many_plans", Retry_After="0"), Answer(0), Answer(201, RESERVATION))
    with small_server(*answers) as server, wattbook.Client(server.url) as client:
        assert client.reserve(1, 3600)["id"] == RESERVATION["id"]
        keys = {asked.headers["idempotency-key"] for asked in server.asked}
        assert len(server.asked) == 3 and len(keys) == 1
        assert server.asked[0].body == server.asked[2].body


def test_waiting_is_bounded() -> None:
    long, short = problem(503, "time_limit", Retry_After="30"), problem(429, "too_many_holds", Retry_After="0")
    with small_server(long) as server, wattbook.Client(server.url, patience_s=5) as client:
        with pytest.raises(wattbook.Unavailable) as refused:
            client.site()
        assert refused.value.retry_after_s == 30 and len(server.asked) == 1
    with small_server(*[short] * 9) as server, wattbook.Client(server.url, attempts=3) as client:
        with pytest.raises(wattbook.TooMany):
            client.site()
        assert len(server.asked) == 3


def test_a_refusal_without_a_time_is_told_at_once() -> None:
    with small_server(problem(503, "unavailable")) as server, wattbook.Client(server.url) as client:
        with pytest.raises(wattbook.Unavailable):
            client.site()
        assert len(server.asked) == 1


def test_a_time_to_try_again_may_be_a_date() -> None:
    date = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2)
    busy = problem(503, "overloaded", Retry_After=email.utils.format_datetime(date, usegmt=True))
    with small_server(busy, Answer(200, SITE)) as server, wattbook.Client(server.url) as client:
        assert client.site()["slot_s"] == 900
        assert datetime.datetime.now(datetime.timezone.utc) >= date.replace(microsecond=0)


def test_what_may_not_be_done_twice_is_not_sent_twice() -> None:
    with small_server(Answer(0), Answer(200, RESERVATION)) as server, wattbook.Client(server.url) as client:
        with pytest.raises(wattbook.ConnectionFailed):
            client.release("r1", nodes=1)
        assert len(server.asked) == 1


def test_a_database_that_failed_may_have_done_what_it_was_asked() -> None:
    lost, changed = problem(503, "unavailable", Retry_After="0"), problem(409, "book_changed", Retry_After="0")
    with small_server(lost, Answer(200, RESERVATION)) as server, wattbook.Client(server.url) as client:
        with pytest.raises(wattbook.Unavailable):
            client.release("r1", nodes=1)
        assert len(server.asked) == 1
    with small_server(lost, Answer(200, RESERVATION)) as server, wattbook.Client(server.url) as client:
        assert client.reserve(1, 60)["state"] == "proposed"
    with small_server(changed, Answer(200, RESERVATION)) as server, wattbook.Client(server.url) as client:
        assert client.release("r1", nodes=1)["state"] == "proposed"
        assert len(server.asked) == 2


def test_an_extension_by_a_length_holds_for_one_version() -> None:
    read = Answer(200, RESERVATION, {"ETag": '"7"'})
    with small_server(read, Answer(200, RESERVATION)) as server, wattbook.Client(server.url) as client:
        client.extend("r1", by=datetime.timedelta(minutes=5))
        assert server.asked[1].headers["if-match"] == '"7"' and server.asked[1].body == {"by_s": 300}


def test_answers_of_others_are_problems_too() -> None:
    with small_server(Answer(502, "<html>Bad gateway</html>")) as server, wattbook.Client(server.url) as client:
        with pytest.raises(wattbook.Problem) as refused:
            client.site()
    assert (refused.value.code, refused.value.detail) == ("http_502", "<html>Bad gateway</html>")


def test_a_service_that_is_not_there_is_told() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with wattbook.Client(f"http://127.0.0.1:{port}", attempts=2) as client, pytest.raises(wattbook.ConnectionFailed):
        client.site()


def test_the_environment_says_where_and_who(monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "token"
    file.write_text("of-the-file\n")
    with small_server(*[Answer(200, SITE)] * 4) as server:
        monkeypatch.setenv("WATTBOOK_URL", server.url + "/")
        wattbook.Client().site()
        monkeypatch.setenv("WATTBOOK_TOKEN", "of-the-environment")
        wattbook.Client().site()
        monkeypatch.setenv("WATTBOOK_TOKEN_FILE", str(file))
        wattbook.Client().site()
        wattbook.Client(token="given").site()
        tokens = [asked.headers.get("authorization") for asked in server.asked]
    assert tokens == [None, "Bearer of-the-environment", "Bearer of-the-file", "Bearer given"]


def test_a_stream_that_breaks_off_goes_on_after_the_last_whole_event() -> None:
    told = 'event: stream.opened\nid: 4\nretry: 10\ndata: {"at":"2026-03-01T12:00:00Z"}\n\n'
    cut = 'event: grants.changed\nid: 5\ndata: {"at":"2026-03-01T12:00:01Z"}\n\n: a comment\nevent: tokens.changed\nid: 6\n'
    rest = 'event: tokens.changed\nid: 6\ndata: {"at":\ndata: "2026-03-01T12:00:02Z"}\n\n'
    kind = {"Content-Type": "text/event-stream"}
    answers = (
        Answer(200, told + cut, kind),
        problem(503, "overloaded", Retry_After="0"),
        Answer(200, rest, kind),
        Answer(204, "", kind),
    )
    with small_server(*answers) as server, wattbook.Client(server.url) as client:
        events = list(client.events())
        after = [asked.headers.get("last-event-id") for asked in server.asked]
    assert [(event.type, event.id) for event in events] == [
        ("stream.opened", "4"),
        ("grants.changed", "5"),
        ("tokens.changed", "6"),
    ]
    assert events[2].data == {"at": "2026-03-01T12:00:02Z"}
    assert after == [None, "5", "5", "6"]


def test_a_stream_without_a_connection_ends_with_an_error() -> None:
    busy = problem(503, "overloaded", Retry_After="30")
    with small_server(busy) as server, wattbook.Client(server.url) as client:
        with pytest.raises(wattbook.Unavailable):
            next(client.events(patience_s=1))
        assert len(server.asked) == 1
    with small_server(problem(401, "unauthorised")) as server, wattbook.Client(server.url) as client:
        with pytest.raises(wattbook.NotPermitted):
            next(client.events())
