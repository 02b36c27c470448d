"""The notebook runs from its first cell to its last, and is kept without what that prints."""

from __future__ import annotations

import pathlib
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = pathlib.Path(__file__).resolve().parents[3] / "docs" / "examples" / "notebook" / "wattbook.ipynb"


def read() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_it_is_kept_without_outputs() -> None:
    for cell in code_cells(read()):
        assert cell.outputs == [] and cell.execution_count is None, cell.source


def test_it_runs(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    monkeypatch.setenv("WATTBOOK_URL", url)
    notebook = read()
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    texts = "\n".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in outputs)
    assert len(pictures) == 4
    for told in (
        "44 nodes",
        "prices in EUR/MWh",
        "confirmed",
        "/nodes: nodes must be at least 1",
        "'cancelled'",
        "nemo",
    ):
        assert told in texts, f"{told!r} is not in:\n{texts}"
    assert "finished 10 of 10" in texts
    assert not [output for output in outputs if output.get("name") == "stderr"], texts
