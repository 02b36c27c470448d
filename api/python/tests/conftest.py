"""One demonstration for all tests."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import pytest
import wattbook
from demonstration import demonstration


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test speaks to a service that the user's environment names."""
    for name in ("WATTBOOK_URL", "WATTBOOK_TOKEN", "WATTBOOK_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder: pathlib.Path = tmp_path_factory.mktemp("demonstration")
    with demonstration(folder) as address:
        yield address


@pytest.fixture(scope="session")
def client(url: str) -> Iterator[wattbook.Client]:
    with wattbook.Client(url) as opened:
        yield opened
