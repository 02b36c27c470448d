"""A demonstration of the service with a past of its own: a reservation ran, and the ledger has its hours."""

from __future__ import annotations

import contextlib
import datetime
import os
import pathlib
import re
import subprocess
import time
from collections.abc import Iterator

import wattbook

PATIENCE_S = 120.0
_BACK = datetime.timedelta(hours=3)


def _binary() -> str:
    """The program that is tested, by its path."""
    sources = pathlib.Path(__file__).resolve().parents[3]
    return os.environ.get("WATTBOOK_BINARY", str(sources / "target" / "debug" / "wattbook"))


@contextlib.contextmanager
def _serving(folder: pathlib.Path, *arguments: str) -> Iterator[str]:
    """The address of a demonstration on the folder's database, until the end of the block."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WATTBOOK_")}
    database = f"sqlite://{folder}/demo.db"
    command = [_binary(), "demo", "--listen", "127.0.0.1:0", "--database", database, *arguments]
    with open(folder / "log", "w+", encoding="utf-8") as log:
        process = subprocess.Popen(command, stderr=log, env=environment)
        try:
            until = time.monotonic() + PATIENCE_S
            while not (address := re.search(r"listening on (http://\S+)", (folder / "log").read_text())):
                assert process.poll() is None and time.monotonic() < until, (folder / "log").read_text()
                time.sleep(0.1)
            yield address.group(1)
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def _book_the_past(url: str, then: datetime.datetime) -> None:
    """Books an hour that begins within the next slot of a clock that is behind."""
    with wattbook.Client(url) as client:
        held = client.reserve(
            4,
            datetime.timedelta(hours=1),
            earliest_start=then,
            latest_start=then + datetime.timedelta(minutes=20),
            labels={"application": "nemo"},
            ranking="energy_cost_co2",
        )
        assert held["state"] == "confirmed", held


@contextlib.contextmanager
def demonstration(folder: pathlib.Path) -> Iterator[str]:
    """The address of a demonstration whose ledger has been stated up to the last full hour but one."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    then = now - _BACK
    told = [f"{instant:%Y-%m-%dT%H:%M:%SZ}" for instant in (now, then)]
    with _serving(folder, "--clock", f"{told[0]}={told[1]}@1") as url:
        _book_the_past(url, then)
    with _serving(folder) as url:
        with wattbook.Client(url) as client:
            until = time.monotonic() + PATIENCE_S
            while not any(row["holder"] == "reservation" for row in client.ledger()):
                assert time.monotonic() < until, "no reservation is in the ledger"
                time.sleep(0.2)
        yield url
