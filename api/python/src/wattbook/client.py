"""The client: what a user of the service does, as methods."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from types import TracebackType
from typing import Any, Literal, TypeAlias, cast

from typing_extensions import Unpack

from . import models
from .events import Event, follow
from .requests import (
    Instant,
    Length,
    ModificationOptions,
    QuoteOptions,
    ReservationOptions,
    instant,
    length,
    optional_instant,
    window,
)
from .simulations import OnProgress, Simulation
from .transport import Transport

Quantity: TypeAlias = Literal["price", "co2", "power-cap"]

# The most that the API gives of the list in a page.
_PAGE = {"reservations": 100, "nodes": 1000, "ledger": 1000, "simulations": 100}


class Client:
    """A service, as one caller.

    `url` is where it listens; unless given WATTBOOK_URL, else `http://127.0.0.1:8080`. The token is `token`, or as for
    the command line what the file WATTBOOK_TOKEN_FILE or WATTBOOK_TOKEN says; a service without tokens needs none.

    A service that is busy is asked again when it says, in all up to `attempts` times and `patience_s` seconds. Answers are
    the documents of the API as dictionaries, whose types are in `wattbook.models`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        timeout_s: float = 60.0,
        attempts: int = 5,
        patience_s: float = 60.0,
    ) -> None:
        self._transport = Transport(url, token, timeout_s, attempts, patience_s)

    @property
    def url(self) -> str:
        return self._transport.url

    def close(self) -> None:
        """Closes the connections to the service."""
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def request(self, method: str, path: str, *, query: Mapping[str, Any] | None = None, body: object = None) -> Any:
        """Any route of the API, such as `client.request("GET", "quotas")`: the answer's JSON, None where there is none."""
        response = self._transport.call(method, path.lstrip("/"), query=query, body=body)
        return response.json() if response.content else None

    def _pages(self, path: str, items: str, query: Mapping[str, Any]) -> Iterator[Any]:
        """The entries of a list, page by page."""
        cursor: object = None
        while True:
            asked = {"limit": _PAGE[path], **query, "cursor": cursor}
            page = self._transport.call("GET", path, query=asked).json()
            yield from page[items]
            cursor = page.get("next_cursor")
            if cursor is None:
                return

    # Who asks, and whom.

    def me(self) -> models.MeDocument:
        """Who asks: name, role and projects."""
        return cast(models.MeDocument, self.request("GET", "me"))

    def site(self) -> models.SiteDocument:
        """The site's name, currency and time zone, and the slots at which starts may lie."""
        return cast(models.SiteDocument, self.request("GET", "site"))

    # Booking.

    def quote(
        self,
        nodes: int | None = None,
        duration: Length | None = None,
        *,
        earliest_start: Instant | None = None,
        latest_start: Instant | None = None,
        latest_end: Instant | None = None,
        **options: Unpack[QuoteOptions],
    ) -> models.DecisionDocument:
        """What is possible, from now on and within a day unless it says otherwise. Nothing is held.

        That nothing is possible is an answer too: `decision` is then `impossible`, and `reasons` says why.
        """
        body = window(nodes, duration, earliest_start, latest_start, latest_end, options)
        answer = self._transport.call("POST", "quotes", body=body, repeatable=True)
        return cast(models.DecisionDocument, answer.json())

    def reserve(
        self,
        nodes: int | None = None,
        duration: Length | None = None,
        *,
        earliest_start: Instant | None = None,
        latest_start: Instant | None = None,
        latest_end: Instant | None = None,
        ranking: str | None = None,
        idempotency_key: str | None = None,
        **options: Unpack[ReservationOptions],
    ) -> models.ReservationDocument:
        """Has offers held until `expires_at`; with `ranking` the best by it is booked at once.

        The call has an idempotency key, so that it books once however often it must be sent. Who may run the whole
        program again gives a key of their own, with the whole window. Where nothing is possible, `Impossible` is raised.
        """
        body = window(nodes, duration, earliest_start, latest_start, latest_end, options)
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        answer = self._transport.call("POST", "reservations", body=body, headers=headers, repeatable=True)
        held = cast(models.ReservationDocument, answer.json())
        return held if ranking is None else self.choose(held["id"], ranking)

    def choose(
        self,
        reservation_id: str,
        ranking: str | None = None,
        *,
        offer_id: str | None = None,
        expected: models.ShownOffer | None = None,
    ) -> models.ReservationDocument:
        """Books one of the offers held: the best by a ranking, the `compromise`, or the one with this id."""
        given = {"ranking": ranking, "offer_id": offer_id, "expected": expected}
        body = {name: value for name, value in given.items() if value is not None}
        return self._reservation("POST", f"{reservation_id}/choose", body, repeatable=True)

    def reservations(
        self,
        *,
        state: str | None = None,
        owner: str | None = None,
        project: str | None = None,
        series: str | None = None,
        start: Instant | None = None,
        end: Instant | None = None,
        newest: bool = False,
    ) -> Iterator[models.ReservationDocument]:
        """Reservations, all pages of them, as they are wanted; `newest` begins with the newest."""
        query = {
            "state": state,
            "owner": owner,
            "project": project,
            "series": series,
            "from": optional_instant(start),
            "to": optional_instant(end),
            "newest": "true" if newest else None,
        }
        return self._pages("reservations", "items", query)

    def reservation(self, reservation_id: str) -> models.ReservationDocument:
        """One reservation."""
        return self._reservation("GET", reservation_id)

    def cancel(self, reservation_id: str) -> models.ReservationDocument:
        """Cancels one that has not begun, or gives back one that runs."""
        return self._reservation("DELETE", reservation_id)

    def modify(
        self,
        reservation_id: str,
        *,
        duration: Length | None = None,
        earliest_start: Instant | None = None,
        latest_start: Instant | None = None,
        latest_end: Instant | None = None,
        without: Collection[str] = (),
        **options: Unpack[ModificationOptions],
    ) -> models.ReservationDocument:
        """Changes the request and plans it anew: what is not named stays, and fields named by `without` are taken away.

        What is held is kept until the new is certain. Labels, a note and the project change nothing that is held.
        """
        patch: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
        if duration is not None:
            patch["duration_s"] = length(duration)
        instants = {"earliest_start": earliest_start, "latest_start": latest_start, "latest_end": latest_end}
        patch |= {name: instant(value) for name, value in instants.items() if value is not None}
        patch |= dict.fromkeys(without)
        return self._reservation("PATCH", reservation_id, patch)

    def extend(
        self, reservation_id: str, *, by: Length | None = None, until: Instant | None = None
    ) -> models.ReservationDocument:
        """Keeps its nodes for longer, by a length of time or until an instant.

        A length counts from the end that it has when this is called: it is never extended twice by one call.
        """
        headers = {}
        body: dict[str, Any] = {}
        if by is not None:
            headers["If-Match"] = self._transport.call("GET", f"reservations/{reservation_id}").headers["etag"]
            body["by_s"] = length(by)
        if until is not None:
            body["until"] = instant(until)
        return self._reservation("POST", f"{reservation_id}/extend", body, headers=headers, repeatable=by is None)

    def release(
        self, reservation_id: str, *, nodes: int | None = None, node_names: list[str] | None = None
    ) -> models.ReservationDocument:
        """Ends one that runs, or gives back some of its nodes: so many, or these."""
        given = {"nodes": nodes, "node_names": node_names}
        body = {name: value for name, value in given.items() if value is not None}
        return self._reservation("POST", f"{reservation_id}/release", body or None)

    def _reservation(
        self,
        method: str,
        path: str,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        repeatable: bool | None = None,
    ) -> models.ReservationDocument:
        answer = self._transport.call(method, f"reservations/{path}", body=body, headers=headers, repeatable=repeatable)
        return cast(models.ReservationDocument, answer.json())

    # The site.

    def nodes(self) -> Iterator[models.ShownNode]:
        """The nodes of the cluster, all pages of them."""
        return self._pages("nodes", "nodes", {})

    def agenda(
        self,
        quantity: Quantity,
        start: Instant | None = None,
        end: Instant | None = None,
        *,
        as_of: Instant | None = None,
    ) -> models.AgendaDocument:
        """Price, CO2 intensity or power cap over time, as known now or at `as_of`; the coming day unless given."""
        query = {**_span(start, end), "as_of": optional_instant(as_of)}
        return cast(models.AgendaDocument, self.request("GET", f"agendas/{quantity}", query=query))

    def put_agenda(
        self,
        quantity: Quantity,
        pieces: Iterable[models.AgendaPiece],
        *,
        source: str | None = None,
        issued_at: Instant | None = None,
        kind: str | None = None,
        quality: str | None = None,
        currency: str | None = None,
    ) -> models.AgendaPut:
        """Replaces what is known of the span that the pieces cover; `wattbook.frames.pieces` makes them of a frame."""
        query = {
            "source": source,
            "issued_at": optional_instant(issued_at),
            "kind": kind,
            "quality": quality,
            "currency": currency,
        }
        answer = self.request("PUT", f"agendas/{quantity}", query=query, body=list(pieces))
        return cast(models.AgendaPut, answer)

    def power_profile(
        self, start: Instant | None = None, end: Instant | None = None, *, columns: int | None = None
    ) -> models.PowerProfileDocument:
        """Reserved power and what the cap leaves, over time; in `columns` steps at the most where that is given."""
        query = {**_span(start, end), "columns": columns}
        return cast(models.PowerProfileDocument, self.request("GET", "power-profile", query=query))

    def schedule(self, start: Instant | None = None, end: Instant | None = None) -> models.ScheduleDocument:
        """Who holds which nodes when."""
        return cast(models.ScheduleDocument, self.request("GET", "schedule", query=_span(start, end)))

    # Accounts.

    def report(
        self,
        by: Collection[str] | str = (),
        start: Instant | None = None,
        end: Instant | None = None,
        *,
        user: str | None = None,
        project: str | None = None,
    ) -> models.ReportDocument:
        """The ledger added up `by` user, project, partition, application, job, reservation and month."""
        names = by if isinstance(by, str) else ",".join(by)
        query = {**_span(start, end), "by": names or None, "user": user, "project": project}
        return cast(models.ReportDocument, self.request("GET", "reports", query=query))

    def ledger(
        self,
        start: Instant | None = None,
        end: Instant | None = None,
        *,
        user: str | None = None,
        project: str | None = None,
    ) -> Iterator[models.LedgerRowDocument]:
        """Whose energy each hour's was, all pages of it; whole numbers, so that sums are exact."""
        return self._pages("ledger", "items", {**_span(start, end), "user": user, "project": project})

    def ledger_totals(
        self,
        start: Instant | None = None,
        end: Instant | None = None,
        *,
        user: str | None = None,
        project: str | None = None,
    ) -> models.LedgerTotalsDocument:
        """The sums of the ledger, by holder and in all."""
        query = {**_span(start, end), "user": user, "project": project}
        return cast(models.LedgerTotalsDocument, self.request("GET", "ledger/totals", query=query))

    # Simulations.

    def simulate(
        self,
        experiment: models.ExperimentDocument | None = None,
        *,
        wait: bool = True,
        on_progress: OnProgress | None = None,
        idempotency_key: str | None = None,
    ) -> Simulation:
        """Starts a simulation and, unless `wait` is false, follows it to its results."""
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        body = {} if experiment is None else experiment
        answer = self._transport.call("POST", "simulations", body=body, headers=headers, repeatable=True)
        simulation = Simulation(self._transport, cast(models.SummedUpSimulation, answer.json()))
        return simulation.wait(on_progress) if wait else simulation

    def simulation(self, simulation_id: str) -> Simulation:
        """A simulation that was started before."""
        answer = self.request("GET", f"simulations/{simulation_id}")
        return Simulation(self._transport, cast(models.SummedUpSimulation, answer))

    def simulations(self, *, state: str | None = None, owner: str | None = None) -> Iterator[models.SimulationDocument]:
        """Simulations, all pages of them."""
        return self._pages("simulations", "items", {"state": state, "owner": owner})

    # Events.

    def events(
        self,
        types: Collection[str] | None = None,
        *,
        after: str | None = None,
        patience_s: float = 600.0,
    ) -> Generator[Event, None, None]:
        """What happens, as it happens; `types` are the names of interest, `after` the id of the last event known.

        A lost connection is opened again where the stream was. Where what followed is not kept any more, the first event is
        `stream.reset`. Without a connection for `patience_s` it ends with an exception.
        """
        return follow(self._transport, "events", after=after, types=types, patience_s=patience_s)


def _span(start: Instant | None, end: Instant | None) -> dict[str, str | None]:
    return {"from": optional_instant(start), "to": optional_instant(end)}
