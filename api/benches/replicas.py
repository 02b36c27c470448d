#!/usr/bin/env python3
"""Measures one, two and three processes of the service on one PostgreSQL: quotes and bookings a second.

    api/benches/replicas.py --database postgres://postgres@127.0.0.1/load [--binary target/release/wattbook] [--cores 0.2]

On a database that is empty puts 10,000 nodes and agendas of a month. Each process may use so much of a core, and no more, so that a machine of two
cores shows what more machines would give: control groups (version 1) keep it to that, which needs root. In each round each number of
processes, in turn, is started and asked for quotes, then for bookings by 64 connections in all, which a proxy would spread so. Tells medians
of the rounds. Needs Python 3 and wrk.
"""

import argparse
import concurrent.futures
import pathlib
import statistics

import load

GROUPS = pathlib.Path("/sys/fs/cgroup/cpu")
PERIOD_US = 20_000
CONNECTIONS = 64


def limit(process, cores):
    """Keeps a process to a part of a core."""
    group = GROUPS / f"wattbook-{process.pid}"
    group.mkdir()
    (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
    (group / "cpu.cfs_quota_us").write_text(str(int(PERIOD_US * cores)))
    (group / "cgroup.procs").write_text(str(process.pid))
    return group


def together(calls):
    """What calls that run at once return."""
    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return [it.result() for it in [pool.submit(*call) for call in calls]]


def measure(given, count, turn):
    """Quotes and bookings of so many processes: both a second, and the slowest p99 of each in ms."""
    addresses = [f"127.0.0.1:{18_090 + number}" for number in range(count)]
    processes = [load.serve(given.database, given.binary, address=address)[0] for address in addresses]
    groups = [limit(process, given.cores) for process in processes]
    quotes = together([(load.quotes, 64, 1, 6, 8, given.seconds, address) for address in addresses])
    each = CONNECTIONS // count
    bookings = together([(load.timed, process, each, given.seconds, turn * 100 + number, address)
                         for number, (process, address) in enumerate(zip(processes, addresses))])
    for process, group in zip(processes, groups):
        process.kill()
        process.wait()
        group.rmdir()
    return {"quotes": sum(float(rate) for rate, _, _, _ in quotes), "bookings": sum(it["rate"] for it in bookings),
            "p99": max(it["p99"] for it in bookings), "refused": sum(it["refused"] for it in bookings)}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--database", required=True)
    arguments.add_argument("--binary", default=load.BINARY)
    arguments.add_argument("--processes", type=int, nargs="+", default=[1, 2, 3])
    arguments.add_argument("--cores", type=float, default=0.2)
    arguments.add_argument("--seconds", type=int, default=4)
    arguments.add_argument("--rounds", type=int, default=3)
    given = arguments.parse_args()
    process, _ = load.serve(given.database, given.binary)
    if load.must("GET", "/api/v1/nodes?limit=1")["count"] == 0:
        load.furnish(10_000)
    process.terminate()
    process.wait()
    found = {count: [] for count in given.processes}
    for turn in range(given.rounds):
        for count in given.processes:
            found[count].append(measure(given, count, turn * 10 + count))
    for count, rounds in found.items():
        middle = {key: statistics.median(it[key] for it in rounds) for key in rounds[0]}
        print(f"{count} processes: {middle['quotes']:.0f} quotes/s, {middle['bookings']:.0f} bookings/s, each of their two "
              f"requests p99 {middle['p99']:.0f} ms, {middle['refused']:.0f} refused", flush=True)


if __name__ == "__main__":
    main()
