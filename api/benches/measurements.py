#!/usr/bin/env python3
"""Measures how measurements are taken: samples a second by push, bytes on disk, memory.

    api/benches/measurements.py [--nodes 10000] [--hours 24] [--minutes 15] [--values noisy] [--folder /dev/shm]

Starts target/release/wattbook on a new SQLite database, puts nodes, and pushes a sample a minute of each node as CSV, so
many minutes of all nodes in a body. Bodies are made beforehand, so that only the service is timed. Values: `noisy` (about
400 W with noise of 3 W, to the milliwatt), `whole` (the same, to the watt) or `counter` (joules of it, to the joule).
Needs Python 3 whose SQLite has the table dbstat.
"""

import argparse
import datetime
import http.client
import json
import pathlib
import random
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

[[meters]]
id = "counter"
kind = "push"
values = "counter"

[metering]
keep_samples_days = 36500
keep_quarters_days = 36500
"""


def call(connection, method, path, body=None, kind="text/csv"):
    connection.request(method, path, body, {"Content-Type": kind})
    answer = connection.getresponse()
    text = answer.read()
    assert answer.status < 300, (answer.status, text[:500])
    return json.loads(text)


def serve(folder):
    (folder / "wattbook.toml").write_text(SETTINGS)
    database = f"sqlite://{folder / 'book.db'}"
    command = [BINARY, "serve", "--listen", ADDRESS, "--database", database, "--config", folder / "wattbook.toml"]
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
        for minute in range(first, first + arguments.minutes):
            at = (START + datetime.timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:%SZ")
            for node in range(arguments.nodes):
                power = random.gauss(400, 3)
                if arguments.values == "noisy":
                    value = f"{power:.3f}"
                elif arguments.values == "whole":
                    value = f"{power:.0f}"
                else:
                    counted[node] += power * 60
                    value = f"{counted[node]:.0f}"
                rows.append(f"{meter},n{node},{at},{value}")
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
    parser.add_argument("--values", choices=["noisy", "whole", "counter"], default="noisy")
    parser.add_argument("--folder", default="/dev/shm")
    arguments = parser.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        folder = pathlib.Path(folder)
        process, connection = serve(folder)
        try:
            measure(arguments, folder, process, connection)
        finally:
            process.terminate()
            process.wait()


def measure(arguments, folder, process, connection):
    nodes = "".join(f"n{node},100,500\n" for node in range(arguments.nodes))
    call(connection, "PUT", "/api/v1/nodes", f"name,idle_power_w,max_power_w\n{nodes}")
    sent, seconds, slowest = 0, 0.0, 0.0
    counted = [random.randrange(10**9) for _ in range(arguments.nodes)]
    for body, samples in bodies(arguments, counted):
        began = time.monotonic()
        taken = call(connection, "POST", "/api/v1/measurements", body)
        took = time.monotonic() - began
        assert taken["taken"] == samples, taken
        sent, seconds, slowest = sent + samples, seconds + took, max(slowest, took)
    print(f"{sent} samples in {seconds:.1f} s: {sent / seconds:,.0f} a second; the slowest body {slowest:.2f} s")
    print(f"memory at its peak: {peak_mb(process):.0f} MB")
    process.terminate()
    process.wait()
    tables = pages(folder / "book.db")
    quarters = arguments.nodes * arguments.hours * 4
    print(f"{tables['sample_blocks'] / sent:.2f} bytes a sample")
    print(f"{tables['quarter_blocks'] / quarters:.2f} bytes a node and quarter-hour")
    print(f"{sum(tables.values()) / 2**20:.0f} MiB of database in all")


if __name__ == "__main__":
    main()
