"""A check for schemathesis: a role is refused what docs/RIGHTS.md does not give it."""

import os
from pathlib import Path

import schemathesis

ROLE = os.environ["WATTBOOK_FUZZ_ROLE"]


def forbidden():
    """Method and path of the routes that the role may not ask."""
    text = (Path(__file__).resolve().parent.parent / "docs/RIGHTS.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    rows = [[cell.strip() for cell in row] for row in rows if len(row) == 5]
    assert len(rows) > 50, rows
    routes = [routes for _, roles, _, _, routes in rows if ROLE not in roles.split(", ")]
    return {route.strip("` ") for cell in routes for route in cell.split(", ")}


FORBIDDEN = forbidden()


@schemathesis.check
def rights(ctx, response, case):
    route = f"{case.operation.method.upper()} {case.operation.path}"
    # What generators leave out or make up of the token is refused before its role is known.
    if case.method.upper() == case.operation.method.upper() and route in FORBIDDEN:
        assert response.status_code in (401, 403), f"{ROLE}: {route} answers {response.status_code}"
