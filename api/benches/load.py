#!/usr/bin/env python3
"""Measures the service under load: start-up, memory, quotes and confirmations a second.

    api/benches/load.py --database sqlite:///dev/shm/load.db [--nodes 1000000] [--bookings 10000]

Starts target/release/wattbook on the database. Where that is new, puts nodes with a random alpha
each and quarter-hour agendas over a month, and as many bookings, which take half of the nodes: on
SQLite written straight into the tables, elsewhere through the API, a thousandth of the nodes each.
Then starts the service anew and measures with wrk. Needs Python 3 and wrk.

    api/benches/load.py --database sqlite:///dev/shm/load-{}.db --compare before=BINARY after=BINARY [--rounds 6]

Compares binaries, such as those of two commits, by what bookings cost: in each round each of them, in turn, starts on a database
of its own, whose name has the binary's in place of {} (of PostgreSQL it must be there), and takes the same bookings of 64
nodes. Tells bookings a second and how long a booking (a proposal and a choice) takes, medians of the rounds. Needs Python 3.
"""

import argparse
import concurrent.futures
import datetime
import http.client
import json
import os
import pathlib
import random
import re
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time
import uuid

BINARY = pathlib.Path(__file__).resolve().parents[2] / "target/release/wattbook"
ADDRESS = "127.0.0.1:18085"
DAY = 86_400
START = (int(time.time()) // 3600 + 1) * 3600
local = threading.local()


def instant(seconds):
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def call(method, path, body=None, kind="application/json"):
    if not hasattr(local, "connection"):
        local.connection = http.client.HTTPConnection(ADDRESS, timeout=300)
    text = body if isinstance(body, (str, type(None))) else json.dumps(body)
    local.connection.request(method, path, text, {"Content-Type": kind})
    answer = local.connection.getresponse()
    return answer.status, answer.read()


def must(method, path, body=None, kind="application/json"):
    status, text = call(method, path, body, kind)
    assert status < 300, (status, text[:500])
    return json.loads(text)


def serve(database, binary=BINARY, more=(), address=ADDRESS):
    """Starts the service; the seconds until it is ready."""
    if hasattr(local, "connection"):
        del local.connection
    began = time.monotonic()
    command = [binary, "serve", "--listen", address, "--database", database, "--hold-s", "604800", *more]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while True:
        assert process.poll() is None, "the service did not start"
        try:
            connection = http.client.HTTPConnection(address)
            connection.request("GET", "/health/ready")
            if connection.getresponse().status == 200:
                return process, time.monotonic() - began
        except ConnectionError:
            time.sleep(0.01)


def resident(process):
    """Megabytes now and at most."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    now, most = (int(re.search(rf"{key}:\s+(\d+)", status)[1]) // 1024 for key in ("VmRSS", "VmHWM"))
    return f"resident {now} MB, at most {most} MB"


def furnish(count):
    chance = random.Random(1)
    rows = (f"node-{n},95,190,{chance.uniform(0.5, 1):.6f}" for n in range(count))
    table = "name,idle_power_w,max_power_w,alpha\n" + "\n".join(rows)
    must("PUT", "/api/v1/nodes", table, "text/csv")
    for quantity, name, low, high in [
        ("price", "price_per_mwh", 20, 200),
        ("co2", "intensity_g_per_kwh", 20, 120),
        ("power-cap", "cap_w", count * 190, count * 200),
    ]:
        starts = range(START - 3600, START + 33 * DAY, 900)
        value = lambda: round(chance.uniform(low, high), 2)
        pieces = [{"start": instant(at), "end": instant(at + 900), name: value()} for at in starts]
        must("PUT", f"/api/v1/agendas/{quantity}", pieces)


def request(chance, nodes, hours, window, days):
    earliest = START + int(chance.uniform(0, days * DAY)) // 900 * 900
    latest = earliest + (window - hours) * 3600
    return {
        "nodes": nodes, "duration_s": hours * 3600,
        "earliest_start": instant(earliest), "latest_start": instant(latest),
    }


def book(seed, nodes):
    """One reservation within 30 days: proposed, then confirmed."""
    chance = random.Random(seed)
    wish = request(chance, nodes, chance.randint(1, 12), 24, 29)
    status, text = call("POST", "/api/v1/reservations", wish)
    if status != 201:
        return False
    path = f"/api/v1/reservations/{json.loads(text)['id']}/choose"
    return call("POST", path, {"ranking": "cost_co2_energy"})[0] == 200


def fill(database, bookings, nodes):
    """Confirmed bookings written straight into SQLite: lanes of nodes, half of all, one after another."""
    lanes, length = 100, 30 * DAY * 100 // bookings
    tables = sqlite3.connect(database.removeprefix("sqlite://"))
    epoch = tables.execute("SELECT MAX(id) FROM calibration_epochs").fetchone()[0]
    width = max(1, nodes // (2 * lanes))
    for booking in range(bookings):
        slot, lane = divmod(booking, lanes)
        start = START + slot * length + lane * length // lanes // 60 * 60
        first, span = 2 * lane * width + slot % 2 * (width // 2), (start, start + length)
        reservation, offer = uuid.uuid4().bytes, uuid.uuid4().bytes
        tables.execute(
            "INSERT INTO reservations (id, owner, state, request, created_s, expires_s, chosen_offer_id,"
            " start_s, end_s, document) VALUES (?, 'load', 'confirmed', '{}', 0, 0, ?, ?, ?, '{}')",
            (reservation, offer, *span))
        tables.execute(
            "INSERT INTO offers (id, reservation_id, start_s, end_s, position, rankings)"
            " VALUES (?, ?, ?, ?, 0, 'cost_co2_energy')", (offer, reservation, *span))
        tables.execute(
            "INSERT INTO allocations (reservation_id, offer_id, epoch, first_rank, end_rank, start_s,"
            " end_s) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (reservation, offer, epoch, first, first + width, *span))
    tables.commit()
    tables.close()


def confirm(bookings, nodes, connections, first_seed=0):
    """Confirmations a second, and how many."""
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(connections) as pool:
        seeds = range(first_seed, first_seed + bookings)
        done = sum(pool.map(lambda seed: book(seed, nodes), seeds))
    return done / (time.monotonic() - began), done


BOOKINGS_LUA = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local bodies, proposed = {}, {}
for line in io.lines("%s") do bodies[#bodies + 1] = line end
local at, booked, refused = %d, 0, 0
request = function()
  local id = table.remove(proposed)
  if id then
    return wrk.format(nil, "/api/v1/reservations/" .. id .. "/choose", nil, '{"ranking": "cost_co2_energy"}')
  end
  at = at %% #bodies + 1
  return wrk.format(nil, "/api/v1/reservations", nil, bodies[at])
end
response = function(status, headers, body)
  if status == 201 then table.insert(proposed, body:match('"id":"([^"]+)"'))
  elseif status == 200 then booked = booked + 1
  else refused = refused + 1 end
  wrk.thread:set("booked", booked)
  wrk.thread:set("refused", refused)
end
local threads = {}
setup = function(thread) table.insert(threads, thread) end
done = function(summary, latency)
  for _, thread in ipairs(threads) do
    print(string.format("booked %%d refused %%d seconds %%.3f p50 %%.2f p99 %%.2f", thread:get("booked") or 0,
      thread:get("refused") or 0, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
  end
end
"""


def processor_s(process):
    """Seconds of processor time that a process took."""
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def timed(process, connections, seconds, turn, address=ADDRESS):
    """What a load of bookings came to: made and refused, a second, times in ms, and processor time for each in ms."""
    chance = random.Random(turn)
    with tempfile.TemporaryDirectory() as folder:
        bodies, script = pathlib.Path(folder, "bodies"), pathlib.Path(folder, "book.lua")
        wish = lambda: json.dumps(request(chance, 64, chance.randint(1, 12), 24, 28))
        bodies.write_text("\n".join(wish() for _ in range(20_000)))
        script.write_text(BOOKINGS_LUA % (bodies, 0))
        load = ["-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script]
        before = processor_s(process)
        command = ["wrk", *load, f"http://{address}"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        spent = processor_s(process) - before
    found = re.search(r"booked (\d+) refused (\d+) seconds (\S+) p50 (\S+) p99 (\S+)", text)
    booked, refused, took, p50, p99 = map(float, found.groups())
    return {"booked": booked, "refused": refused, "rate": booked / took, "p50": p50, "p99": p99,
            "cost": 1000 * spent / max(1, booked)}


def compare(given):
    """Bookings of several binaries, round by round in turns, the first of a round another one each time."""
    binaries = dict(it.split("=", 1) for it in given.compare)
    found = {(name, count): [] for name in binaries for count in given.connections}
    for turn in range(given.rounds):
        names = list(binaries)
        for name in names[turn % len(names):] + names[:turn % len(names)]:
            process, _ = serve(given.database.format(name), binaries[name])
            if must("GET", "/api/v1/nodes?limit=1")["count"] == 0:
                furnish(given.nodes)
            timed(process, 4, 1, 1000 + turn)
            for count in given.connections:
                found[name, count].append(timed(process, count, given.seconds, turn * 100 + count))
            process.terminate()
            process.wait()
    for (name, count), rounds in found.items():
        middle = {key: statistics.median(it[key] for it in rounds) for key in rounds[0]}
        rates = [it["rate"] for it in rounds]
        print(f"{name}, {count} connections: {middle['rate']:.0f} bookings/s ({min(rates):.0f} to {max(rates):.0f}), "
              f"each of their two requests p50 {middle['p50']:.1f} ms, p99 {middle['p99']:.1f} ms, processor time of the "
              f"service {middle['cost']:.2f} ms each; {sum(it['booked'] for it in rounds):.0f} made, "
              f"{sum(it['refused'] for it in rounds):.0f} refused", flush=True)


LUA = """
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local bodies = {}
for line in io.lines("%s") do bodies[#bodies + 1] = line end
local at = 0
request = function()
  at = at %% #bodies + 1
  return wrk.format(nil, "/api/v1/quotes", nil, bodies[at])
end
"""


def quotes(nodes, hours, window, connections, seconds, address=ADDRESS):
    """Quotes a second, p50, p99, and whether any failed."""
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        bodies, script = pathlib.Path(folder, "bodies"), pathlib.Path(folder, "quote.lua")
        lines = (json.dumps(request(chance, nodes, hours, window, 28)) for _ in range(500))
        bodies.write_text("\n".join(lines))
        script.write_text(LUA % bodies)
        load = ["-t1", f"-c{connections}", f"-d{seconds}s", "--latency", "-s", script]
        command = ["wrk", *load, f"http://{address}"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    patterns = (r"Requests/sec:\s+(\S+)", r"\n\s+50%\s+(\S+)", r"\n\s+99%\s+(\S+)")
    return *(re.search(pattern, text)[1] for pattern in patterns), "Non-2xx" in text


def main():
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--database", required=True)
    arguments.add_argument("--nodes", type=int, default=1_000_000)
    arguments.add_argument("--bookings", type=int, default=10_000)
    arguments.add_argument("--seconds", type=int, default=5)
    arguments.add_argument("--connections", type=int, nargs="+", default=[1, 8, 64])
    arguments.add_argument("--compare", nargs="+", metavar="NAME=BINARY")
    arguments.add_argument("--rounds", type=int, default=6)
    given = arguments.parse_args()
    if given.compare:
        return compare(given)
    process, _ = serve(given.database)
    if must("GET", "/api/v1/nodes?limit=1")["count"] == 0:
        began = time.monotonic()
        furnish(given.nodes)
        print(f"furnished in {time.monotonic() - began:.1f} s; {resident(process)}", flush=True)
        if not given.database.startswith("sqlite:"):
            rate, done = confirm(given.bookings, max(1, given.nodes // 1000), 8)
            print(f"{done} of {given.bookings} bookings, {rate:.0f}/s", flush=True)
    empty = must("GET", "/api/v1/reservations?limit=1")["items"] == []
    process.terminate()
    process.wait()
    if empty and given.database.startswith("sqlite:"):
        fill(given.database, given.bookings, given.nodes)
    process, ready_s = serve(given.database)
    print(f"ready after {ready_s:.2f} s; {resident(process)}", flush=True)
    for nodes, hours, window in [(64, 12, 24), (64, 1, 6), (1000, 12, 24), (1000, 1, 6)]:
        for connections in given.connections:
            found = quotes(nodes, hours, window, connections, given.seconds)
            rate, p50, p99, failed = found
            print(f"{nodes} nodes {hours} h in {window} h, {connections} connections: {rate}/s, "
                  f"p50 {p50}, p99 {p99}{', WITH FAILURES' if failed else ''}", flush=True)
    print(resident(process), flush=True)
    for connections in given.connections:
        rate, done = confirm(200, 64, connections, 1_000_000 + connections * 1000)
        print(f"{done} confirmations of 64 nodes, {connections} connections: {rate:.0f}/s", flush=True)
    process.terminate()
    process.wait()


if __name__ == "__main__":
    main()
