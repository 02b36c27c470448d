"""Booking against a demonstration, as a program of a user does it."""

from __future__ import annotations

import datetime
import threading
from typing import Any

import pytest
import wattbook
from wattbook import models

HOUR = datetime.timedelta(hours=1)


def shown(offer: models.OfferDocument) -> models.ShownOffer:
    return {"start": offer["start"], "node_count": offer["node_count"], "cost": offer["cost"], "co2_g": offer["co2_g"]}


def test_a_quote_is_booked_as_it_was_shown(client: wattbook.Client) -> None:
    begin = datetime.datetime.now(datetime.timezone.utc) + HOUR
    window: dict[str, Any] = {"earliest_start": begin, "latest_start": begin + 20 * HOUR}
    quote = client.quote(8, 2 * HOUR, **window, pareto_nodes=False)
    assert quote["decision"] == "choice" and len(quote["offers"]) > 1
    cheapest = min(quote["offers"], key=lambda offer: offer["cost"])
    held = client.reserve(8, 2 * HOUR, **window, expected=shown(cheapest))
    assert held["state"] == "proposed"
    assert [offer["start"] for offer in held["offers"]] == [offer["start"] for offer in quote["offers"]]
    offer = min(held["offers"], key=lambda offer: offer["cost"])
    booked = client.choose(held["id"], offer_id=offer["offer_id"])
    assert (booked["state"], booked.get("start")) == ("confirmed", cheapest["start"])
    assert client.reservation(held["id"])["state"] == "confirmed"
    held_by = {item["reservation_id"] for item in client.schedule(begin, begin + 24 * HOUR)["items"]}
    assert held["id"] in held_by
    assert client.cancel(held["id"])["state"] == "cancelled"


def test_what_is_booked_can_be_changed(client: wattbook.Client) -> None:
    booked = client.reserve(2, "PT1H", ranking="cost_co2_energy", labels={"application": "nemo"})
    assert booked["state"] == "confirmed"
    end = datetime.datetime.fromisoformat(str(booked.get("end")).replace("Z", "+00:00"))
    longer = client.extend(booked["id"], by=datetime.timedelta(minutes=15))
    assert longer.get("end") == f"{end + datetime.timedelta(minutes=15):%Y-%m-%dT%H:%M:%SZ}"
    assert client.extend(booked["id"], until=end + HOUR).get("end") == f"{end + HOUR:%Y-%m-%dT%H:%M:%SZ}"
    noted = client.modify(booked["id"], note="for the review", without=["labels"])
    assert noted["request"].get("note") == "for the review"
    assert "labels" not in noted["request"]
    fewer = client.modify(booked["id"], nodes=1, latest_start=end + 12 * HOUR)
    assert [offer["node_count"] for offer in fewer["offers"] if offer["offer_id"] == fewer.get("chosen_offer_id")] == [
        1
    ]
    assert client.cancel(booked["id"])["state"] == "cancelled"


def test_a_key_books_once(client: wattbook.Client) -> None:
    begin = datetime.datetime.now(datetime.timezone.utc) + 2 * HOUR
    made = [client.reserve(1, HOUR, earliest_start=begin, idempotency_key="once")["id"] for _ in range(2)]
    assert made[0] == made[1]
    with pytest.raises(wattbook.Conflict) as refused:
        client.reserve(2, HOUR, earliest_start=begin, idempotency_key="once")
    assert refused.value.code == "idempotency_key_reused"
    client.cancel(made[0])
    other = [client.reserve(1, HOUR, earliest_start=begin)["id"] for _ in range(2)]
    assert other[0] != other[1]
    for one in other:
        client.cancel(one)


def test_every_error_is_told_with_its_place(client: wattbook.Client) -> None:
    with pytest.raises(wattbook.InvalidRequest) as refused:
        client.quote(0, "soon", features=["ssd"])
    problem = refused.value
    assert (problem.status, problem.code) == (400, "invalid_body")
    assert {"/nodes", "/duration_s"} <= set(problem.pointers)
    assert "/duration_s: is not a duration" in str(problem)
    with pytest.raises(wattbook.InvalidRequest) as wrong:
        client.report(by=["colour"])
    assert [error.get("place") for error in wrong.value.errors] == ["by"]


def test_refusals_have_kinds(client: wattbook.Client) -> None:
    with pytest.raises(wattbook.NotFound):
        client.reservation("01996e3e-2f7b-7c8e-b1de-5a1f2c3d4e5f")
    assert client.quote(45, HOUR)["decision"] == "impossible"
    with pytest.raises(wattbook.Impossible) as impossible:
        client.reserve(45, HOUR)
    assert impossible.value.code == "impossible"
    assert [reason["code"] for reason in impossible.value.document["reasons"]] == ["nodes"]
    held = client.reserve(1, HOUR)
    with pytest.raises(wattbook.Impossible) as unknown:
        client.choose(held["id"], offer_id="01996e3e-2f7b-7c8e-b1de-5a1f2c3d4e5f")
    assert unknown.value.code == "unknown_offer"
    client.cancel(held["id"])
    with pytest.raises(wattbook.Conflict):
        client.choose(held["id"], "cost_co2_energy")


def test_pages_follow_each_other(client: wattbook.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = [reservation["id"] for reservation in client.reservations()]
    names = [node["name"] for node in client.nodes()]
    assert len(whole) > 20 and len(names) == len(set(names)) == 44
    monkeypatch.setattr("wattbook.client._PAGE", {"reservations": 7, "nodes": 5, "ledger": 1, "simulations": 1})
    assert [reservation["id"] for reservation in client.reservations()] == whole
    assert [reservation["id"] for reservation in client.reservations(newest=True)] == whole[::-1]
    assert [node["name"] for node in client.nodes()] == names
    assert {reservation["state"] for reservation in client.reservations(state="confirmed")} == {"confirmed"}


def test_events_tell_what_happens_and_go_on_where_they_were(client: wattbook.Client) -> None:
    events = client.events(patience_s=20)
    opened = next(events)
    assert opened.type == "stream.opened"
    held = client.reserve(1, HOUR)
    first = next(event for event in events if event.data.get("reservation_id") == held["id"])
    assert (first.type, first.data["state"]) == ("reservation.proposed", "proposed")
    events.close()
    client.cancel(held["id"])
    later = next(client.events({"reservation.cancelled"}, after=first.id, patience_s=20))
    assert later.data["reservation_id"] == held["id"] and int(later.id) > int(first.id)


def test_one_client_serves_threads(url: str) -> None:
    with wattbook.Client(url) as shared:
        told: list[int] = []
        threads = [threading.Thread(target=lambda: told.append(len(list(shared.nodes())))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert told == [44] * 4


def test_other_routes_can_be_called(client: wattbook.Client) -> None:
    assert client.request("GET", "/quotas")["quotas"] == []
    assert client.me()["name"] == "local" and client.site()["currency"] == "EUR"


def test_an_instant_without_a_time_zone_is_refused(client: wattbook.Client) -> None:
    with pytest.raises(ValueError, match="no time zone"):
        client.quote(1, HOUR, earliest_start=datetime.datetime(2026, 1, 1))
