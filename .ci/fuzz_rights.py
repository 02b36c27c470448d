"""Checks for schemathesis: a role is refused what docs/RIGHTS.md does not give it, and what the document allows is refused
only for what no schema can say."""

import os
import re
from pathlib import Path

import schemathesis
from schemathesis.specs.openapi.checks import positive_data_acceptance

ROLE = os.environ["WATTBOOK_FUZZ_ROLE"]

# The document says of each value alone what it may be. What follows is refused for another reason, each with a place and a
# sentence, and a schema cannot say it: `positive_data_acceptance` would demand that it be accepted.
BEYOND_SCHEMAS = {
    "members and parameters that need, bound or exclude each other": [
        "must be after (from|start|per_from)",
        r"must be at most \d+ days after from",
        "must not be before first_node",
        "cannot be told after a cursor",
        "must have (either|one of) .* (or|and) .*",
        "must not have both .* and .*",
        "must not stand beside .*",
        "is missing(; .*)?",
        "says nothing(;| without) .*",
        "asks for nothing: .*",
        "latest_(start|end) is (before earliest_start|less than the duration away)",
        "latest_end must be at least the duration after earliest_start",
        r"alpha \* max_power_w must lie between idle_power_w and max_power_w",
        "(min|max|idle)_power_w .*",
        'node ".*" has no (idle|max) samples',
        "is more than calibration.cores_per_node",
        "does not go with .*",
        r"must say which of the \d+ cells",
        "is there, and so is after, .*",
        "must say at least one of .*",
        "must name somebody, in with or in projects",
        "the maximum powers sum to more than .*",
        r"must be at most \d+ nodes",
        r"must be at least 1, and all at most \d+",
        "is said of each partition where there are partitions",
        "stands alone, or per_from and per_to in its place",
        "is what node_hours and budgets are added up over, and there are none",
        "has no meaning in exact mode",
        'is another than the label "project" says; leave one out',
        "is of no shape of the request: .*",
        "has no meaning in a series.*",
        'must be "refuse" in a series: .*',
        'needs "on_cap": "negotiate"',
        "is a number, or -1; nodes have no part in it",
        # Which members there are depends on the operation of an estimate, and on the quantity of an agenda's path.
        "is not a known field; known are (operation, calibration|start, end), .*",
    ],
    "what there is at the site, and what its clock says": [
        "no node is named .*",
        "no node (is in partition|has feature) .*",
        ".* is no meter: .*",
        "must be the site's currency, .*",
        "only prices have a currency",
        "is not of a page of jobs",
        "is no next_cursor of a page",
        "of this result there is no cell .*",
        "latest_start is in the past",
        "there are no such nodes: .*",
        "the site has no nodes yet",
        "the outage is over already",
        "must be a pair .* of ordinals below .*",
        "what is consumed can be told only after it was",
    ],
    "texts with a grammar of their own": [
        "is no recurrence rule of RFC 5545: .*",
        "never ends: .*",
        "has more than .* occurrences.*",
        "has no occurrence at or after .*",
        '".*" is not a time zone; .*',
    ],
    "what is said of a long list of such errors": [
        r"\d+ more errors are not listed",
    ],
    "lengths and times as text, whose bounds are no patterns": [
        "duration_s must be between 1 and 100000000 seconds",
        "must lie between 1 s and ten years",
        "must be at least 1 s",
        "the time .* must be such as .*",
        "must be a day such as .*",
    ],
    "tables: a body of text/csv is any text to a schema": [
        "the header is missing; .*",
        "is not a column of this table; .*",
    ],
    "steps of numbers: decimal ones are no multiples of 0.000001 as binary numbers": [
        "has more than 6 decimals",
        "must be a power above zero in watts",
        r"must be -1 \(unlimited\), a number .*",
    ],
}
BEYOND_SCHEMAS = re.compile("|".join(text for texts in BEYOND_SCHEMAS.values() for text in texts), re.DOTALL)


# Members of an experiment whose own members are those that its policies and tables have (docs/guide/simulating.md).
OPEN_MEMBERS = re.compile("/(parameters|files|vary|tables)(/.*)?", re.DOTALL)


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


def is_beyond(error):
    pointer, detail = error.get("pointer") or "", error["detail"]
    # `latest_start` may be null beside a `latest_end` only.
    is_null_start = pointer.endswith("/latest_start") and detail == "is not a string"
    return is_null_start or BEYOND_SCHEMAS.fullmatch(detail) or OPEN_MEMBERS.fullmatch(pointer)


def is_beyond_schemas(response):
    """Whether each error of a refusal is one that no schema can say."""
    try:
        problem = response.json()
    except ValueError:
        return False
    return all(is_beyond(error) for error in problem.get("errors") or [problem])


@schemathesis.check
def accepted_unless_beyond_schemas(ctx, response, case):
    # The phase `coverage` sends `If-Match: 0` as if the document's pattern allowed it.
    if case.headers and case.headers.get("If-Match") == "0":
        return None
    # 412: changed since it was read. 422: understood, and cannot be carried out as things are.
    if response.status_code in (412, 422) or (response.status_code == 400 and is_beyond_schemas(response)):
        return None
    return positive_data_acceptance(ctx, response, case)
