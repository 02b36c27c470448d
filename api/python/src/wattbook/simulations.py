"""A simulation in the service: its progress and its results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, cast

from .events import follow
from .models import Standing, SummedUpSimulation
from .problems import SimulationFailed
from .transport import Transport

FINAL = ("finished", "failed", "cancelled")

OnProgress: TypeAlias = Callable[[Standing], object]


class Simulation:
    """One simulation. `document` is what the service last said of it."""

    def __init__(self, transport: Transport, document: SummedUpSimulation) -> None:
        self._transport = transport
        self.document = document

    def __repr__(self) -> str:
        of = f"{self.document['runs_done']} of {self.document['runs']} runs"
        return f"<Simulation {self.id} {self.document['name']!r}: {self.state}, {of}>"

    @property
    def id(self) -> str:
        return self.document["id"]

    @property
    def state(self) -> str:
        """`queued`, `running`, `finished`, `failed` or `cancelled`."""
        return self.document["state"]

    @property
    def _path(self) -> str:
        return f"simulations/{self.id}"

    def refresh(self) -> Simulation:
        """Asks how it stands now."""
        self.document = cast(SummedUpSimulation, self._transport.call("GET", self._path).json())
        return self

    def progress(self, *, patience_s: float = 600.0) -> Iterator[Standing]:
        """How it stands, each time that changes, until it has ended."""
        events = follow(
            self._transport, f"{self._path}/events", after=None, types=None, last=FINAL, patience_s=patience_s
        )
        for event in events:
            yield cast(Standing, event.data)
        self.refresh()

    def wait(self, on_progress: OnProgress | None = None) -> Simulation:
        """Waits until it has ended. One that failed or was cancelled is an exception."""
        for standing in self.progress():
            if on_progress is not None:
                on_progress(standing)
        if self.state != "finished":
            raise SimulationFailed(
                f"the simulation {self.id} is {self.state}: {self.document.get('error') or 'no results'}"
            )
        return self

    @property
    def summary(self) -> Any:
        """The comparison of policies, once it is finished; of several cells a list of them."""
        return self.document.get("summary")

    def result(self, name: str, cell: int | None = None) -> bytes:
        """A result as the command line would write it, such as `runs.csv` or `report`; `document["results"]` names them."""
        return self._transport.call("GET", f"{self._path}/{name}", query={"cell": cell}).content

    def cancel(self) -> Simulation:
        """Stops it; the cells that are finished stay."""
        self._transport.call("POST", f"{self._path}/cancel", repeatable=True)
        return self.refresh()

    def remove(self) -> None:
        """Removes it and its results; one that runs is stopped instead."""
        self._transport.call("DELETE", self._path)
