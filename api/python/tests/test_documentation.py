"""The programs of the documents run as they are written."""

from __future__ import annotations

import pathlib
import re

import pytest

SOURCES = pathlib.Path(__file__).resolve().parents[3]


def programs(document: str) -> list[str]:
    """The Python blocks of a document, without those that take long or never end."""
    blocks = re.findall(r"^```python\n(.*?)^```", (SOURCES / document).read_text(encoding="utf-8"), flags=re.M | re.S)
    return [block for block in blocks if "simulate(" not in block and "events(" not in block]


@pytest.mark.parametrize(("document", "count"), [("docs/PYTHON.md", 3), ("api/python/README.md", 1)])
def test_its_programs_run(
    document: str, count: int, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WATTBOOK_URL", url)
    blocks = programs(document)
    assert len(blocks) == count
    known: dict[str, object] = {}
    for block in blocks:
        exec(block.replace("http://127.0.0.1:8080", url), known)
    told = capsys.readouterr().out
    assert re.search(r"^20\S+Z 20\S+Z$", told, flags=re.M), told
    assert "['/nodes', '/duration_s']" in told or document != "docs/PYTHON.md"
