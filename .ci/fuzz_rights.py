"""Checks for schemathesis: a role is refused what docs/RIGHTS.md does not give it, what the document allows is refused
only for what no schema can say, and nothing fails but for want of room or time."""

import os
import re
from pathlib import Path

import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure
from schemathesis.openapi.checks import UseAfterFree
from schemathesis.specs.openapi.checks import positive_data_acceptance, status_code_conformance, use_after_free

ROLE = os.environ["WATTBOOK_FUZZ_ROLE"]

# The document says of each value alone what it may be. What follows is refused for another reason, each with the places and the
# sentences of its errors, and a schema cannot say it: `positive_data_acceptance` would demand that it be accepted. A place is
# a pointer into the body, a parameter, or a line of a table.
REQUEST = "(/request|/requests/[0-9]+)?"
SHAPE = REQUEST + "(/alternatives/[0-9]+)?"
# A member that only others make needed may be null to the document; null is then refused as another type is.
NEEDED = "is missing|is not an? (string|array|number|whole number)"
LIMITS = "/(nodes|reservations|node_hours|energy_kwh|cost|co2_kg)"

BEYOND_SCHEMAS = {
    # Which of the members there are decides which others must be, or cannot be.
    "members that need or exclude each other": {
        # A shape of its own, or alternatives; `duration_s`, or `duration`; `latest_start`, or `latest_end`.
        SHAPE + "/(nodes|duration_s)": ["is missing"],
        SHAPE + "/duration_s": ["must not stand beside duration"],
        REQUEST + "/latest_start": [NEEDED],
        # The action of a decision on power, the grant of a token, the kind of an answer, the operation of an estimate.
        "/(id|until)": ["is missing"],
        "/(id|because|nodes|node_ranges|until)": ["does not go with the action (approve|refuse|off|wake|hold)"],
        "/(code|device_code|refresh_token|code_verifier|redirect_uri|program)": [
            NEEDED,
            "does not go with (code|device_code|refresh_token)",
        ],
        "/power": [NEEDED],
        "/(bytes|bytes_per_process|work_s|node_mtbf_s)": [NEEDED],
        "/lost_s": ["is missing; interval_s may be said instead"],
        "/interval_s": ["cannot be said beside lost_s"],
        "/currency": ["says nothing without price_per_mwh"],
        "/(bytes|segment_bytes|bytes_per_process|work_s|node_mtbf_s|interval_s|lost_s|downtime_s|skew_s|message_bytes_per_s)": [
            "is not a known field; known are operation, calibration, .*",
        ],
        # The quantity in an agenda's path.
        "/[0-9]+/(price_per_mwh|intensity_g_per_kwh|cap_w)": [
            "is missing",
            "is not a known field; known are start, end, (price_per_mwh|intensity_g_per_kwh|cap_w)",
        ],
        # The partitions of a queue, or its nodes.
        "/state/nodes": [NEEDED, "is said of each partition where there are partitions"],
        "/state/jobs/[0-9]+/partition": [NEEDED, "is said, and the state has no partitions"],
        # Budgets and their period.
        LIMITS: ["is a number, or -1; nodes have no part in it"],
        "/with_below": ["is of budgets, energy_kwh, cost or co2_kg, and there are none"],
        "/per": [
            "stands alone, or per_from and per_to in its place",
            "is what node_hours and budgets are added up over, and there are none",
        ],
        # At least one, or one alone, of several members.
        "|/samples/[0-9]+": [
            "says nothing; give nodes, reservations, node_hours, energy_kwh, cost or co2_kg",
            "budgets need per, or from and to",
            "asks for nothing: give shapes, or \"waiting\": true",
            "must have one of code, device_code and refresh_token",
            "must have either (nodes or node_ranges|ranking or offer_id|by_s or until|power_w or energy_j)",
            "must not have both nodes and node_names",
            "must name somebody, in with or in projects",
        ],
        "(/request)?/expected": [
            "must say at least one of an offer's start, end, node_count, energy_j, cost and co2_g",
            "has no meaning in a series, whose offers nobody was shown",
        ],
        "/request/replaces": ["has no meaning in a series: no occurrence takes another reservation's place"],
        "/request/on_cap": ["must be \"refuse\" in a series: the supplier is not asked for each occurrence"],
        REQUEST + "/extra_power_fee_limit": ["needs \"on_cap\": \"negotiate\""],
        REQUEST + "/search/slot_s": ["has no meaning in exact mode"],
        REQUEST + "/project": ["is another than the label \"project\" says; leave one out"],
        "cursor": ["is there, and so is after, as it was called before; leave out one of them"],
        "newest": ["cannot be told after a cursor"],
        # The quantity in an agenda's path.
        "factors": ["only CO2 has factors"],
    },
    "values that bound each other": {
        "(.*/)?(to|end|per_to)": ["must be after (from|start|per_from)"],
        "to": ["must be at most [0-9]+ days after from"],
        "last_node": ["must not be before first_node"],
        REQUEST + "/latest_start": [
            "latest_start must not be before earliest_start",
            "latest_start plus the duration must lie before the year 10000",
        ],
        REQUEST + "/latest_end": ["latest_end must be at least the duration after earliest_start"],
        "/[0-9]+/start|/agendas/(price|co2|power_cap)/[0-9]+/start": ["lies before the end of the piece before it"],
        "": [
            "spans must be in time order and must not overlap",
            "there are more than [0-9]+ nodes",
            "node \".*\" is listed twice .*",
        ],
        "(/nodes)?(/[0-9]+|/classes/[0-9]+)|line [0-9]+": [
            "idle_power_w must not exceed max_power_w",
            r"alpha \* max_power_w must lie between idle_power_w and max_power_w",
        ],
        "(/nodes)?(/classes)?": ["the maximum powers sum to more than 1e11 W", "must be at most [0-9]+ nodes"],
        "(/nodes)?/classes/[0-9]+/count": ["must be at least 1, and all at most [0-9]+"],
        "|line [0-9]+": [
            "node \".*\" has no (idle|max) samples",
            "node \".*\" draws .* idle, more than its maximum of .*",
        ],
        "/processes_per_node": ["is more than calibration.cores_per_node"],
        "/projects/[0-9]+/members": ["has a user twice"],
        # `~5` and `~5.0` are one policy.
        "/policies/[0-9]+": ["is there already"],
        "/state/jobs/[0-9]+/nodes": ["[0-9]+ is not from 1 to [0-9]+, the nodes there are"],
        "/state/jobs/[0-9]+/partition": ["\".*\" is no partition of the state"],
        "/state/jobs/[0-9]+/(submitted|started|ended)": [
            "is after now",
            "is before (submitted|started)",
            "it has not started; leave out jobs that never ran",
        ],
        "/state/partitions/[0-9]+": ["has the name of another"],
        "/expected/.*|/expected": ["is of no shape of the request: say an offer's at_site as it was told"],
        "/requests/[0-9]+": ["request [0-9]+: .*"],
    },
    "what there is at the site, and what its clock says": {
        # Samples of a calibration are told of as a whole.
        "/nodes/[0-9]+|" + REQUEST + "/(only|exclude)/[0-9]+|": ["no node is named \".*\""],
        REQUEST + "/partition": ["no node is in partition \".*\""],
        REQUEST + "/features/[0-9]+": ["no node has feature \".*\""],
        "meter|/samples/[0-9]+|line [0-9]+, meter": ["\".*\" is no meter( of kind push)?[:;] .*"],
        "/node_ranges/[0-9]+": [r"must be a pair \[first, last\] of ordinals below [0-9]+, first <= last"],
        "first_node|last_node|nodes|": ["there are no such nodes: the cluster has [0-9]+, counted from 0"],
        "currency": ["must be the site's currency, [A-Z]{3}", "only prices have a currency"],
        "cursor": ["is not of a page of jobs", "is no next_cursor of a page"],
        "cell": ["of this result there is no cell [0-9]+", "must say which of the [0-9]+ cells"],
        "/nodes": ["the site has no nodes yet"],
        "/agendas": ["the site has no (prices|CO2 intensities) from the start on"],
        REQUEST + "/latest_start": ["latest_start is in the past"],
        REQUEST + "/latest_end": ["latest_end is less than the duration away"],
        "": ["the outage is over already", "what is consumed can be told only after it was"],
    },
    "texts with a grammar of their own": {
        "/recur": [
            "is no recurrence rule of RFC 5545: .*",
            "never ends: say .*",
            "has more than [0-9]+ occurrences, .*",
            "has no occurrence at or after the request's earliest_start",
        ],
        "/time_zone": ["\".*\" is not a time zone; one is \"Europe/Paris\""],
        "/(until|(except|also)/[0-9]+)": ["must be a (day|local time) such as .*"],
        "/(per_from|per_to)": ["the time \".*\" must be such as .*"],
        "/address": ["must be a mail address such as .*"],
        "/webhook_url": ["must be an https:// address on the public internet, without user, password and fragment"],
    },
    # 1000 errors of the kinds that are here are told one by one.
    "what is said of a long list of such errors": {
        "": ["[0-9]+ more errors are not listed"],
    },
    "lengths and times as text, whose bounds are no patterns": {
        SHAPE + "/duration(_s)?": ["duration_s must be between 1 and 100000000 seconds"],
        "/shapes/[0-9]+/walltime_s": ["must lie between 1 s and ten years"],
        "/(work_s|node_mtbf_s|interval_s)": ["must be at least 1 s"],
    },
    "tables: a body of text/csv is any text to a schema": {
        "line 1": ["the header is missing; .*"],
        "line [0-9]+, .*": ["is missing", "is not a column of this table; .*"],
    },
    "steps of numbers: decimal ones are no multiples of 0.000001 as binary numbers": {
        ".*": ["has more than 6 decimals"],
        # Less than half a microwatt is nothing, and so is less than half a microsecond.
        "/power_w|/power/[0-9]+/power_w": ["must be a power above zero in watts"],
        "/state/jobs/[0-9]+/walltime_s": ["is no number of seconds above 0"],
        LIMITS: [r"must be -1 \(unlimited\), a number .*"],
    },
    # Members of an experiment whose own members are those that its policies and tables have (docs/guide/simulating.md).
    "open members of an experiment": {
        "/(parameters|files|vary|tables)(/.*)?": [".*"],
    },
}
BEYOND_SCHEMAS = [
    (re.compile(place, re.DOTALL), re.compile("|".join(details), re.DOTALL))
    for places in BEYOND_SCHEMAS.values()
    for place, details in places.items()
]


def forbidden():
    """Method and path of the routes that the role may not ask."""
    text = (Path(__file__).resolve().parent.parent / "docs/RIGHTS.md").read_text()
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| `")]
    rows = [[cell.strip() for cell in row] for row in rows if len(row) == 5]
    assert len(rows) > 50, rows
    routes = [routes for _, roles, _, _, routes in rows if ROLE not in roles.split(", ")]
    return {route.strip("` ") for cell in routes for route in cell.split(", ")}


FORBIDDEN = forbidden()


# A cluster of ten million nodes is in order, and makes all that is asked after it slow: fewer find the same faults.
MOST_NODES = range(10_000, 10_000_001)


@schemathesis.hook
def before_call(ctx, case, kwargs):
    body = case.body if isinstance(case.body, dict) else {}
    nodes = body.get("nodes") if case.path == "/api/v1/simulations" else body
    classes = nodes.get("classes") if isinstance(nodes, dict) else None
    for one in classes if isinstance(classes, list) else ():
        if isinstance(one, dict) and one.get("count") in MOST_NODES:
            one["count"] = MOST_NODES.start


@schemathesis.check
def rights(ctx, response, case):
    route = f"{case.operation.method.upper()} {case.operation.path}"
    # What generators leave out or make up of the token is refused before its role is known.
    if case.method.upper() == case.operation.method.upper() and route in FORBIDDEN:
        assert response.status_code in (401, 403), f"{ROLE}: {route} answers {response.status_code}"


def is_beyond(error):
    place = error.get("pointer") or error.get("place") or ""
    return any(at.fullmatch(place) and said.fullmatch(error["detail"]) for at, said in BEYOND_SCHEMAS)


def errors_within_schemas(response):
    """The errors of a refusal that a schema could say."""
    try:
        problem = response.json()
    except ValueError:
        return [response.text]
    return [error for error in problem.get("errors") or [problem] if not is_beyond(error)]


@schemathesis.check
def accepted_unless_beyond_schemas(ctx, response, case):
    # The phase `coverage` sends `If-Match: 0` as if the document's pattern allowed it.
    if case.headers and case.headers.get("If-Match") == "0":
        return None
    # 412: changed since it was read. 422: understood, and cannot be carried out as things are.
    if response.status_code in (412, 422):
        return None
    within = errors_within_schemas(response) if response.status_code == 400 else []
    if response.status_code == 400 and not within:
        return None
    try:
        return positive_data_acceptance(ctx, response, case)
    except Failure as failure:
        # The answer itself is cut short where it is printed.
        failure.message += f"\n\nNone of BEYOND_SCHEMAS: {within[:10]}"
        raise


# Answers of a busy machine: the service asks the caller to come again. More are a fault, whatever the machine does.
MOST_BUSY = 20
busy = set()


def is_busy(response, case):
    if response.status_code != 503 or "retry-after" not in response.headers:
        return False
    busy.add(case.id)
    return len(busy) <= MOST_BUSY


@schemathesis.check
def not_a_server_error_unless_busy(ctx, response, case):
    return None if is_busy(response, case) else not_a_server_error(ctx, response, case)


@schemathesis.check
def status_code_conformance_unless_busy(ctx, response, case):
    return None if is_busy(response, case) else status_code_conformance(ctx, response, case)


@schemathesis.check
def use_after_free_unless_kept(ctx, response, case):
    try:
        return use_after_free(ctx, response, case)
    except UseAfterFree as failure:
        # 200 and 202 tell of what is cancelled or ended, and is still there to be read; 204 tells that it is gone.
        if ctx.internals.find_response(case_id=failure.deleted_case_id).status_code not in (200, 202):
            raise
