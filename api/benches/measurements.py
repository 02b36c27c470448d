#!/usr/bin/env python3
"""Measures how measurements are taken and accounted for: samples a second by push, bytes on disk, memory, reports.

    api/benches/measurements.py [--nodes 10000] [--hours 24] [--minutes 15] [--values noisy] [--folder /dev/shm]
                                [--every 1] [--reservations 1000]

Starts target/release/wattbook on a new SQLite database, puts nodes, and pushes a sample of each node every so many minutes
as CSV, up to so many minutes of all nodes in a body and at most 600,000 samples. Bodies are made beforehand, so that only the
service is timed. Values: `noisy` (about 400 W with noise of 3 W, to the milliwatt), `whole` (the same, to the watt) or
`counter` (joules of it, to the joule).

With --reservations there are so many, of 64 nodes (a hundredth at the most) for up to twelve hours each. Once all is measured
the service is started at a clock after it; how long it takes to state all hours is told, and how long a report of all of them.
Needs Python 3 whose SQLite has the table dbstat.
"""

import argparse
import datetime
import http.client
import json
import pathlib
import random
import statistics
import sqlite3
import subprocess
import tempfile
import time

BINARY = pathlib.Path(__file__).resolve().parents[2] / "target/release/wattbook"
ADDRESS = "127.0.0.1:18087"
START = datetime.datetime(2026, 1, 1)
SETTINGS = """[[meters]]
id = "bmc"
kind = "push"
period_s = PERIOD

[[meters]]
id = "counter"
kind = "push"
values = "counter"
period_s = PERIOD

[metering]
keep_samples_days = 36500
keep_quarters_days = 36500

[ledger]
market = { g_per_kwh = 12.5, source = "a contract" }
"""


def instant(minutes):
    return (START + datetime.timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def call(connection, method, path, body=None, kind="text/csv"):
    connection.request(method, path, body, {"Content-Type": kind})
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status < 300, (answer.status, text[:500])
    return json.loads(text)


def serve(arguments, folder, minute):
    """Starts the service when its clock says that minute."""
    (folder / "wattbook.toml").write_text(SETTINGS.replace("PERIOD", str(60 * arguments.every)))
    database = f"sqlite://{folder / 'book.db'}"
    command = [BINARY, "serve", "--listen", ADDRESS, "--database", database, "--config", folder / "wattbook.toml"]
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    command += ["--clock", f"{now}={instant(minute)}@1"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            connection = http.client.HTTPConnection(ADDRESS, timeout=300)
            call(connection, "GET", "/health/ready")
            return process, connection
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the service does not answer")


def bodies(arguments, counted):
    """Tables of so many minutes of all nodes each, in time order."""
    column = "energy_j" if arguments.values == "counter" else "power_w"
    meter = "counter" if arguments.values == "counter" else "bmc"
    for first in range(0, arguments.hours * 60, arguments.minutes):
        rows = [f"meter,node,at,{column}"]
        for minute in range(first, first + arguments.minutes, arguments.every):
            at = instant(minute)
            for node in range(arguments.nodes):
                power = random.gauss(400, 3)
                if arguments.values == "noisy":
                    value = f"{power:.3f}"
                elif arguments.values == "whole":
                    value = f"{power:.0f}"
                else:
                    counted[node] += power * 60 * arguments.every
                    value = f"{counted[node]:.0f}"
                rows.append(f"{meter},n{node},{at},{value}")
                if len(rows) > 600_000:
                    yield "\n".join(rows).encode(), len(rows) - 1
                    rows = rows[:1]
        yield "\n".join(rows).encode(), len(rows) - 1


def peak_mb(process):
    lines = pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def pages(path):
    """Bytes of the pages of each table and its indexes."""
    connection = sqlite3.connect(path)
    query = "SELECT m.tbl_name, SUM(d.pgsize) FROM dbstat AS d JOIN sqlite_schema AS m ON m.name = d.name GROUP BY 1"
    return dict(connection.execute(query))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--hours", type=int, default=24)
    parser.add_argument("--minutes", type=int, default=15)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--values", choices=["noisy", "whole", "counter"], default="noisy")
    parser.add_argument("--folder", default="/dev/shm")
    parser.add_argument("--reservations", type=int, default=0)
    arguments = parser.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        folder = pathlib.Path(folder)
        measure(arguments, folder)


def book(arguments, connection):
    """Prices, intensities, and reservations all over the time, of twenty projects."""
    hours = arguments.hours + 24
    for quantity, name in [("price", "price_per_mwh"), ("co2", "intensity_g_per_kwh")]:
        pieces = [{"start": instant(60 * hour), "end": instant(60 * hour + 60), name: random.randint(20, 200)} for hour in range(hours)]
        call(connection, "PUT", f"/api/v1/agendas/{quantity}", json.dumps(pieces), "application/json")
    booked = 0
    for number in range(arguments.reservations):
        earliest = random.randrange(5, arguments.hours * 60)
        request = {"nodes": max(1, min(64, arguments.nodes // 100)), "duration_s": 3600 * random.randint(1, 12),
                   "earliest_start": instant(earliest), "latest_start": instant(earliest + 360),
                   "labels": {"project": f"project-{number % 20}"}}
        held = call(connection, "POST", "/api/v1/reservations", json.dumps(request), "application/json")
        choice = json.dumps({"ranking": "cost_co2_energy"})
        call(connection, "POST", f"/api/v1/reservations/{held['id']}/choose", choice, "application/json")
        booked += 1
    print(f"{booked} reservations", flush=True)


def hold_ledger(folder, held):
    """Keeps the service from stating hours while samples are timed, or lets it."""
    tables = sqlite3.connect(folder / "book.db")
    tables.execute("DELETE FROM leases WHERE name = 'ledger'")
    if held:
        tables.execute("INSERT INTO leases (name, holder, beat, lasts_ms) VALUES ('ledger', 'bench', 1, 1000000000000)")
    tables.commit()
    tables.close()


def stop(process):
    process.terminate()
    process.wait()


def measure(arguments, folder):
    process, connection = serve(arguments, folder, 0)
    try:
        nodes = "".join(f"n{node},100,500\n" for node in range(arguments.nodes))
        call(connection, "PUT", "/api/v1/nodes", f"name,idle_power_w,max_power_w\n{nodes}")
        if arguments.reservations:
            book(arguments, connection)
    finally:
        stop(process)
    hold_ledger(folder, True)
    process, connection = serve(arguments, folder, 60 * arguments.hours)
    try:
        sent, seconds, slowest = 0, 0.0, 0.0
        counted = [random.randrange(10**9) for _ in range(arguments.nodes)]
        for body, samples in bodies(arguments, counted):
            began = time.monotonic()
            taken = call(connection, "POST", "/api/v1/measurements", body)
            took = time.monotonic() - began
            assert taken["taken"] == samples, taken
            sent, seconds, slowest = sent + samples, seconds + took, max(slowest, took)
        print(f"{sent} samples in {seconds:.1f} s: {sent / seconds:,.0f} a second; the slowest body {slowest:.2f} s")
        print(f"memory at its peak: {peak_mb(process):.0f} MB", flush=True)
    finally:
        stop(process)
    tables = pages(folder / "book.db")
    quarters = arguments.nodes * arguments.hours * 4
    print(f"{tables['sample_blocks'] / sent:.2f} bytes a sample")
    print(f"{tables['quarter_blocks'] / quarters:.2f} bytes a node and quarter-hour")
    print(f"{sum(tables.values()) / 2**20:.0f} MiB of database in all", flush=True)
    if arguments.reservations:
        account(arguments, folder)


def account(arguments, folder):
    hold_ledger(folder, False)
    process, connection = serve(arguments, folder, 60 * arguments.hours + 60)
    try:
        began, end = time.monotonic(), instant(60 * arguments.hours)
        window = f"from={instant(0)}&to={end}"
        while (stated := call(connection, "GET", f"/api/v1/ledger/totals?{window}")["stated_to"]) is None or stated < end:
            assert time.monotonic() - began < 3600, stated
            time.sleep(0.2)
        took = time.monotonic() - began
        print(f"{arguments.hours} hours stated in {took:.1f} s, {took / arguments.hours:.3f} s each")
        for by in ["month", "user,project,partition,application,month"]:
            times = []
            for _ in range(5):
                began = time.monotonic()
                lines = call(connection, "GET", f"/api/v1/reports?{window}&by={by}")["rows"]
                times.append(time.monotonic() - began)
            print(f"report by {by}: {statistics.median(times):.3f} s, {len(lines)} lines")
        print(f"memory at its peak: {peak_mb(process):.0f} MB", flush=True)
    finally:
        stop(process)


if __name__ == "__main__":
    main()
