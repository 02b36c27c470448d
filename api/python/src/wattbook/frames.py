"""The API's documents as pandas frames.

Columns have the API's names, which have their units (`energy_j`, `co2_g`, `price_per_mwh`); amounts of money are in the
column `currency`, prices in the unit that `frame.attrs["unit"]` says. Instants are UTC. Whole numbers are `Int64`, so that
sums of the ledger are exact; other numbers are `float64`, and what is null is missing. Columns are there for an empty list
too. Needs the extra `frames`: `pip install 'wattbook[frames]'`.
"""

from __future__ import annotations

import io
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union, get_args, get_origin

import pandas as pd
from typing_extensions import get_type_hints

from . import models
from .simulations import Simulation

# Fields that are instants; the document calls most of them so, and all of them RFC 3339.
_INSTANTS = {
    "start",
    "end",
    "hour_start",
    "correction_of",
    "submitted",
    "occurrence",
    "now",
    "earliest_start",
    "latest_start",
}
_DTYPES = {int: "Int64", float: "float64", bool: "boolean", str: "string"}
_UTC = "datetime64[ns, UTC]"
# The value of a piece, by the quantity as the documents of agendas name it.
_VALUES = {"price": "price_per_mwh", "co2": "intensity_g_per_kwh", "power_cap": "cap_w"}

# Columns of the tables of simulations that are counts, and those that are words; all others but instants are amounts.
_WHOLE = {"run", "request", "requests", "nodes", "duration_s", "scheduled", "common_requests"}
_TEXTS = {"policy", "outcome", "followed"}


def _dtype(name: str, hint: Any) -> str | None:
    """The dtype of a field by its type; None where it is no single value."""
    if get_origin(hint) in (Union, types.UnionType):
        kinds = [kind for kind in get_args(hint) if kind is not types.NoneType]
        hint = kinds[0] if len(kinds) == 1 else None
    if hint is str and (name in _INSTANTS or name.endswith("_at")):
        return _UTC
    return _DTYPES.get(hint)


def _dtypes(model: Any) -> dict[str, str]:
    """The dtypes of a model's fields that are single values, in their order."""
    hints = get_type_hints(model)
    return {name: dtype for name, hint in hints.items() if (dtype := _dtype(name, hint))}


def _column(values: Iterable[Any], dtype: str) -> pd.Series[Any]:
    if dtype == _UTC:
        return pd.Series(pd.to_datetime(list(values), utc=True), dtype=_UTC)
    return pd.Series(list(values), dtype=dtype)


def _frame(rows: Iterable[Mapping[str, Any]], dtypes: Mapping[str, str]) -> pd.DataFrame:
    listed = list(rows)
    return pd.DataFrame({name: _column([row.get(name) for row in listed], dtype) for name, dtype in dtypes.items()})


def agenda(document: models.AgendaDocument) -> pd.DataFrame:
    """An agenda by its `start`, with `end`, the value and where it comes from; a gap is a row without a value."""
    value = _VALUES[document["quantity"]]
    rows = [dict(piece) for piece in document["pieces"]] + [dict(gap) for gap in document["gaps"]]
    frame = _frame(sorted(rows, key=lambda row: str(row["start"])), {"start": _UTC, "end": _UTC, value: "float64"})
    frame = frame.set_index("start")
    frame.attrs["unit"] = document["unit"]
    return frame


def provenance(document: models.AgendaDocument) -> pd.DataFrame:
    """What the values of an agenda rest on, by `start`."""
    return _frame(document["provenance"], _dtypes(models.ProvenanceDocument)).set_index("start")


def pieces(frame: pd.DataFrame) -> list[models.AgendaPiece]:
    """What `put_agenda` takes of a frame as `agenda` makes it. Rows without a value are left out.

    A frame without the column `end` has each piece last until the next, and its last row says where the last one ends.
    """
    value = next(name for name in _VALUES.values() if name in frame.columns)
    if frame.index.tz is None:  # type: ignore[attr-defined]
        raise ValueError("the index has no time zone: frame.tz_localize says which it is")
    starts = list(frame.index.tz_convert("UTC"))  # type: ignore[attr-defined]
    ends = list(frame["end"]) if "end" in frame.columns else [*starts[1:], None]
    rows = zip(starts, ends, frame[value], strict=True)
    known = [(start, end, amount) for start, end, amount in rows if end is not None and not pd.isna(amount)]
    return [_piece(value, start, pd.Timestamp(end), float(amount)) for start, end, amount in known]


def _piece(value: str, start: pd.Timestamp, end: pd.Timestamp, amount: float) -> models.AgendaPiece:
    span = {"start": _told(start), "end": _told(end)}
    # The service refuses more than six decimals, which sums of floats have.
    return {**span, value: round(amount, 6)}  # type: ignore[return-value]


def _told(at: pd.Timestamp) -> str:
    return at.tz_convert("UTC").strftime("%Y-%m-%dT%H:%M:%SZ")


def offers(document: models.DecisionDocument | models.ReservationDocument) -> pd.DataFrame:
    """The offers of a quote or a reservation by their letters, as the command line names them, and what each saves."""
    return _offers(document["offers"]).set_index(_letters(len(document["offers"])))


def pareto(document: models.DecisionDocument) -> pd.DataFrame:
    """All starts of a quote that no other start beats in energy, cost and CO2 at once, by `start`."""
    return _offers(document["pareto"]).drop(columns=["offer_id", "rankings", "compromise"]).set_index("start")


def _offers(listed: Sequence[models.OfferDocument]) -> pd.DataFrame:
    rows = [
        {
            **offer,
            "rankings": ", ".join(offer.get("rankings") or []),
            "compromise": bool(offer.get("compromise")),
            **{f"saves_{name}": amount for name, amount in offer["saves"].items()},
        }
        for offer in listed
    ]
    saved = {f"saves_{name}": dtype for name, dtype in _dtypes(models.SavingsDocument).items()}
    dtypes = {"rankings": "string", **_dtypes(models.OfferDocument), **saved, "offer_id": "string"}
    return _frame(rows, dtypes)


def _letters(count: int) -> pd.Index[str]:
    """A, B, ... Z, AA, AB, ..."""
    letters = []
    for position in range(count):
        name = ""
        while position >= 0:
            name = chr(ord("A") + position % 26) + name
            position = position // 26 - 1
        letters.append(name)
    return pd.Index(letters, name="offer", dtype="object")


def reservations(documents: Iterable[models.ReservationDocument]) -> pd.DataFrame:
    """Reservations by `id`, with what the chosen offer takes; without one that is missing."""
    dtypes = _dtypes(models.ReservationDocument)
    amounts = ("node_count", "energy_j", "cost", "currency", "co2_g", "peak_power_w")
    offered = _dtypes(models.OfferDocument)
    rows = []
    for document in documents:
        chosen = [it for it in document["offers"] if it["offer_id"] == document.get("chosen_offer_id")]
        rows.append({**document, **{name: chosen[0].get(name) for name in amounts if chosen}})
    return _frame(rows, {**dtypes, **{name: offered[name] for name in amounts}}).set_index("id")


def nodes(documents: Iterable[models.ShownNode]) -> pd.DataFrame:
    """Nodes by `name`, with their powers; partitions and features with `;` between, as in tables of nodes."""
    rows = [
        {**node, "partitions": ";".join(node.get("partitions", [])), "features": ";".join(node.get("features", []))}
        for node in documents
    ]
    dtypes = {**_dtypes(models.ShownNode), "partitions": "string", "features": "string"}
    return _frame(rows, dtypes).set_index("name")


def power_profile(document: models.PowerProfileDocument) -> pd.DataFrame:
    """Reserved power, cap and headroom by `start`."""
    return _frame(document["steps"], _dtypes(models.ProfileStepDocument)).set_index("start")


def schedule(document: models.ScheduleDocument) -> pd.DataFrame:
    """Who holds nodes, by `start`; `node_count` is how many."""
    rows = [
        {**item, "node_count": sum(last - first + 1 for first, last in item["node_ranges"])}
        for item in document["items"]
    ]
    dtypes = {**_dtypes(models.ScheduleItem), "node_count": "Int64"}
    return _frame(rows, dtypes).set_index("start").sort_index()


def report(document: models.ReportDocument) -> pd.DataFrame:
    """A report; of the columns that say whose a row is, those that it is by."""
    frame = _frame(document["rows"], _dtypes(models.ReportRowDocument))
    told = {name for row in document["rows"] for name in row} | set(document["by"])
    whose = (
        "user",
        "project",
        "partition",
        "application",
        "month",
        "cluster",
        "job_id",
        "job_raw_id",
        "submitted",
        "reservation",
    )
    return frame.drop(columns=[name for name in whose if name not in told])


def ledger(rows: Iterable[models.LedgerRowDocument]) -> pd.DataFrame:
    """Rows of the ledger by `hour_start`; joules, millionths of the currency and milligrams are whole and sum exactly."""
    return _frame(rows, _dtypes(models.LedgerRowDocument)).set_index("hour_start")


def ledger_totals(document: models.LedgerTotalsDocument) -> pd.DataFrame:
    """Sums of the ledger by holder."""
    return _frame(document["holders"], _dtypes(models.LedgerSumDocument)).set_index("holder")


def simulation_runs(simulation: Simulation, cell: int | None = None) -> pd.DataFrame:
    """What each policy did in each run, by run and policy."""
    return _table(simulation, "runs.csv", cell).set_index(["run", "policy"])


def simulation_requests(simulation: Simulation, cell: int | None = None) -> pd.DataFrame:
    """What became of each request under each policy, by run, policy and request."""
    return _table(simulation, "requests.csv", cell).set_index(["run", "policy", "request"])


def simulation_curves(simulation: Simulation, cell: int | None = None) -> pd.DataFrame:
    """Means over the runs after so many requests, by policy and number of requests."""
    return _table(simulation, "curves.csv", cell).set_index(["policy", "requests"])


def simulation_policies(simulation: Simulation) -> pd.DataFrame:
    """The means over the runs that the summary has, by cell and policy; totals of the month begin with `month_`."""
    summaries = simulation.summary if isinstance(simulation.summary, list) else [simulation.summary]
    rows = []
    for cell, summary in zip(simulation.document["cells"], summaries, strict=True):
        for policy, means in summary["policies"].items():
            month = {f"month_{name}": value for name, value in means["month"].items()}
            own = {name: value for name, value in means.items() if isinstance(value, float)}
            rows.append({"cell": cell["name"], "policy": policy, **month, **own})
    return pd.DataFrame(rows).set_index(["cell", "policy"])


def _table(simulation: Simulation, name: str, cell: int | None) -> pd.DataFrame:
    """A table of results: counts as Int64, amounts as float64, instants in UTC, everything else as text."""
    whole = _WHOLE | ({"start_lag_s"} if name == "requests.csv" else set())
    frame = pd.read_csv(
        io.BytesIO(simulation.result(name, cell)), dtype="string", keep_default_na=False, na_values=[""]
    )
    for column in frame.columns:
        if column in _INSTANTS:
            frame[column] = _column(frame[column], _UTC)
        elif column in whole:
            frame[column] = pd.to_numeric(frame[column]).astype("Int64")
        elif column not in _TEXTS:
            frame[column] = pd.to_numeric(frame[column]).astype("float64")
    return frame
