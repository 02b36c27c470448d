"""Frames have the types and the sums of the API's own documents."""

from __future__ import annotations

import datetime
from typing import Any, cast

import pandas as pd
import pytest
import wattbook
from wattbook import frames, models

UTC = "datetime64[ns, UTC]"
NOW = datetime.datetime.now(datetime.timezone.utc)
HOUR = datetime.timedelta(hours=1)


def instants(index: pd.Index[Any]) -> pd.DatetimeIndex:
    assert isinstance(index, pd.DatetimeIndex) and str(index.dtype) == UTC
    return index


@pytest.mark.parametrize(
    ("quantity", "value", "unit"),
    [("price", "price_per_mwh", "EUR/MWh"), ("co2", "intensity_g_per_kwh", "g/kWh"), ("power-cap", "cap_w", "W")],
)
def test_agendas(client: wattbook.Client, quantity: Any, value: str, unit: str) -> None:
    document = client.agenda(quantity, NOW, NOW + 12 * HOUR)
    frame = frames.agenda(document)
    assert instants(frame.index).is_monotonic_increasing
    assert frame.dtypes.astype(str).to_dict() == {"end": UTC, value: "float64"} and frame.attrs["unit"] == unit
    pieces = [cast(dict[str, Any], piece) for piece in document["pieces"]]
    assert frame[value].sum() == sum(piece[value] for piece in pieces) > 0
    assert frames.pieces(frame) == pieces
    assert set(frames.provenance(document)["standing"]) <= {"put", "fresh", "last_good", "contract", "forecast"}


def test_a_gap_is_a_row_without_a_value() -> None:
    document: Any = {
        "quantity": "price",
        "unit": "EUR/MWh",
        "pieces": [
            {"start": "2026-03-01T00:00:00Z", "end": "2026-03-01T01:00:00Z", "price_per_mwh": 72.5},
            {"start": "2026-03-01T02:00:00Z", "end": "2026-03-01T03:00:00Z", "price_per_mwh": -1.25},
        ],
        "gaps": [{"start": "2026-03-01T01:00:00Z", "end": "2026-03-01T02:00:00Z"}],
    }
    frame = frames.agenda(document)
    assert frame["price_per_mwh"].isna().tolist() == [False, True, False]
    assert frames.pieces(frame) == document["pieces"]


def test_a_frame_is_put_as_an_agenda(client: wattbook.Client) -> None:
    begin = pd.Timestamp(NOW).floor("h") + pd.Timedelta(days=5)
    paris = pd.date_range(begin, periods=4, freq="h").tz_convert("Europe/Paris")
    prices = pd.DataFrame({"price_per_mwh": [0.1 + 0.2, 60.0, float("nan"), 0.0]}, index=paris)
    put = client.put_agenda("price", frames.pieces(prices), quality="forecast")
    assert put["pieces"] == 2
    known = frames.agenda(client.agenda("price", begin, begin + pd.Timedelta(hours=2)))
    assert known["price_per_mwh"].tolist() == [0.3, 60.0]
    with pytest.raises(ValueError, match="no time zone"):
        frames.pieces(prices.tz_localize(None))


def test_offers(client: wattbook.Client) -> None:
    quote = client.quote(6, 2 * HOUR)
    frame = frames.offers(quote)
    assert frame.index.tolist() == ["A", "B", "C", "D", "E", "F"][: len(quote["offers"])]
    types = frame.dtypes.astype(str)
    assert types[["start", "end"]].tolist() == [UTC] * 2 and types[["node_count", "delay_s"]].tolist() == ["Int64"] * 2
    amounts = ["energy_j", "cost", "co2_g", "saves_energy_j", "saves_cost", "saves_co2_g"]
    assert set(types[amounts]) == {"float64"}
    assert frame["cost"].tolist() == [offer["cost"] for offer in quote["offers"]]
    soonest = cast(models.OfferDocument, quote.get("as_soon_as_possible"))
    assert frame["cost"].to_numpy() + frame["saves_cost"].to_numpy() == pytest.approx(soonest["cost"])
    cheapest = frame.sort_values("cost").iloc[0]
    assert "cost_co2_energy" in cheapest["rankings"]
    front = frames.pareto(quote)
    assert set(frame["start"]) <= set(instants(front.index)) and front["energy_j"].min() == frame["energy_j"].min()
    assert frames.offers({**quote, "offers": []}).dtypes.equals(frame.dtypes)


def test_reservations(client: wattbook.Client) -> None:
    held = client.reserve(3, HOUR, project=None)
    booked = client.reserve(2, HOUR, ranking="cost_co2_energy")
    assert frames.offers(held)["offer_id"].notna().all()
    frame = frames.reservations([client.reservation(held["id"]), client.reservation(booked["id"])])
    assert frame.index.tolist() == [held["id"], booked["id"]]
    assert frame["state"].tolist() == ["proposed", "confirmed"]
    assert frame["node_count"].isna().tolist() == [True, False]
    chosen = next(offer for offer in booked["offers"] if offer["offer_id"] == booked.get("chosen_offer_id"))
    assert (frame["node_count"].iloc[1], frame["cost"].iloc[1]) == (2, chosen["cost"])
    assert str(frame["start"].dtype) == str(frame["created_at"].dtype) == UTC
    for one in (held, booked):
        client.cancel(one["id"])
    assert frames.reservations([]).dtypes.equals(frame.dtypes)


def test_the_site(client: wattbook.Client) -> None:
    nodes = frames.nodes(client.nodes())
    assert len(nodes) == 44 and str(nodes["max_power_w"].dtype) == "float64"
    assert nodes["max_power_w"].sum() == pytest.approx(
        client.request("GET", "nodes", query={"limit": 1})["max_power_w"]
    )
    profile = frames.power_profile(client.power_profile(NOW, NOW + 24 * HOUR))
    assert instants(profile.index).is_monotonic_increasing
    assert (profile["cap_w"] - profile["reserved_power_w"]).to_numpy() == pytest.approx(
        profile["headroom_w"].to_numpy()
    )
    schedule = client.schedule(NOW, NOW + 24 * HOUR)
    frame = frames.schedule(schedule)
    assert sorted(frame["node_count"]) == sorted(len(item.get("nodes") or []) for item in schedule["items"])


def test_the_ledger_sums_exactly(client: wattbook.Client) -> None:
    end = datetime.datetime.now(datetime.timezone.utc)
    start = end - 6 * HOUR
    ledger = frames.ledger(client.ledger(start, end))
    totals = client.ledger_totals(start, end)
    assert str(instants(ledger.index).tz) == "UTC"
    assert {"idle", "reservation"} <= set(ledger["holder"])
    amounts = ["energy_j", "measured_j", "estimated_j", "missing_s", "cost_millionths", "co2_location_mg"]
    assert set(ledger[amounts].dtypes.astype(str)) == {"Int64"}
    for holder in totals["holders"]:
        of = ledger[ledger["holder"] == str(holder.get("holder"))]
        assert {name: int(of[name].sum()) for name in amounts} == {name: cast(Any, holder)[name] for name in amounts}
    assert int(ledger["energy_j"].sum()) == totals["totals"][0]["energy_j"] > 0
    assert frames.ledger_totals(totals)["energy_j"].sum() == totals["totals"][0]["energy_j"]


def test_a_report_sums_to_the_ledger(client: wattbook.Client) -> None:
    end = datetime.datetime.now(datetime.timezone.utc)
    start = end - 6 * HOUR
    whole = client.report((), start, end)["rows"][0]
    report = frames.report(client.report(["user", "application", "month"], start, end))
    assert report.columns[:3].tolist() == ["user", "application", "month"]
    assert not {"project", "partition", "reservation", "job_id"} & set(report.columns)
    assert int(report["energy_j"].sum()) == cast(Any, whole)["energy_j"]
    assert report["cost"].sum() == pytest.approx(whole["cost"])
    nemo = report[report["application"] == "nemo"]
    assert nemo["node_hours_reserved"].sum() == 4.0 and (nemo["user"] == "local").all()
    submitted: Any = {
        "by": ["job"],
        "rows": [{"job_id": "12_3", "submitted": "2026-03-01T00:00:00Z", "energy_j": 2**53 + 1}],
    }
    assert frames.report(submitted)["energy_j"].tolist() == [2**53 + 1]
