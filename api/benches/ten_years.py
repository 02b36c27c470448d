#!/usr/bin/env python3
"""Fills a SQLite database with ten years of use, and compares the service on it with one that has a month.

    api/benches/ten_years.py [--folder FOLDER] [--binary target/release/wattbook] [--days 3650] [--repeats 30]

Makes two databases of one site: one with the last 31 days of use, the other with ten years, which end with the same 31 days.
The use of a day: 200 bookings of 20 of 1,000 nodes for 3 hours, by 40 users, each with the offer that was chosen and three that
were not; 100 proposals that nobody chose from, of two offers; a day-ahead price of two days and a CO2 forecast of two days each hour,
by quarter-hours; 27 rows of the ledger an hour; a feed's revision an hour; 300 audit records. Then it measures on both, in turn:
start to ready, quotes, bookings, lists, a report and a bill of the last full month. Then it prunes ten years by rules while bookings go
on, and measures again. Tells medians, their ratios, and what the tables take. Needs Python 3 with SQLite's dbstat.
"""

import argparse
import concurrent.futures
import datetime
import hashlib
import http.client
import json
import os
import pathlib
import random
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADDRESS = "127.0.0.1:18086"
HOUR, DAY = 3600, 86_400
NOW = int(time.time())
TODAY = NOW // DAY * DAY
NODES, LANES, WIDTH, LENGTH, USERS = 1000, 25, 20, 3 * HOUR, 40
KEEP_ALL = "[ledger]\nlook_again_s = 3600\n[retention]\noffers_days = 36525\nrevisions_days = 36525\n"
BY_RULES = "[ledger]\nlook_again_s = 3600\n[retention]\nreservations_days = 1826\naudit_days = 1826\n"
local = threading.local()


def instant(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def call(method, path, body=None, kind="application/json"):
    if not hasattr(local, "connection"):
        local.connection = http.client.HTTPConnection(ADDRESS, timeout=300)
    text = body if isinstance(body, (str, type(None))) else json.dumps(body)
    local.connection.request(method, path, text, {"Content-Type": kind})
    answer = local.connection.getresponse()
    return answer.status, answer.read()


def must(method, path, body=None, kind="application/json"):
    status, text = call(method, path, body, kind)
    assert status < 300, (method, path, status, text[:500])
    return json.loads(text)


def serve(binary, database, settings):
    """Starts the service; the process, and the seconds until it is ready."""
    local.__dict__.pop("connection", None)
    began = time.monotonic()
    command = [binary, "serve", "--listen", ADDRESS, "--database", f"sqlite://{database}", "--config", settings]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    while True:
        assert process.poll() is None, "the service did not start"
        try:
            connection = http.client.HTTPConnection(ADDRESS)
            connection.request("GET", "/health/ready")
            if connection.getresponse().status == 200:
                return process, time.monotonic() - began
        except OSError:
            time.sleep(0.005)


def stop(process):
    process.terminate()
    process.wait()


def identity(chance, at):
    """A UUID of version 7: its order is that of time."""
    return int(at * 1000).to_bytes(6, "big") + b"\x70\x00\x80\x00" + chance.getrandbits(48).to_bytes(6, "big")


OFFER = ("INSERT INTO offers (id, reservation_id, start_s, end_s, position, rankings, node_ranges, energy_uj, cost_exact,"
         " co2_exact, peak_power_uw, saved_cost_exact) VALUES (?, ?, ?, ?, ?, 'cost_co2_energy', ?,"
         " '38880000000000', '2800000000000000000000', '9000000000000000000000', 3800000000, '300000000000000000000')")
RESERVATION = ("INSERT INTO reservations (id, owner, state, request, created_s, expires_s, chosen_offer_id, start_s, end_s,"
               " document, confirmed_s, project) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '{}', ?, ?)")


def fill_bookings(tables, chance, epoch, day):
    """The bookings of a day, and proposals that nobody chose from."""
    reservations, offers, allocations = [], [], []
    for lane in range(LANES):
        for slot in range(DAY // LENGTH):
            start = day + slot * LENGTH
            end, made = start + LENGTH, start - DAY + lane * 60
            owner, key, chosen = f"user{(lane + slot) % USERS}", identity(chance, made), identity(chance, made)
            first = lane * WIDTH
            state = "completed" if end <= NOW else "active" if start <= NOW else "confirmed"
            request = json.dumps({"nodes": WIDTH, "duration_s": LENGTH, "earliest_start": instant(made),
                                  "latest_start": instant(start + DAY), "labels": {"application": "wrf"}})
            reservations.append((key, owner, state, request, made, made + 900, chosen, start, end, made + 60, "ocean"))
            for position in range(4):
                shift = position * 900
                offers.append((chosen if position == 0 else identity(chance, made), key, start + shift, end + shift,
                               position, f"{first}-{first + WIDTH - 1}"))
            allocations.append((key, chosen, epoch, first, first + WIDTH, start, end))
    for number in range(100):
        made = day + number * 800
        if made + 900 > NOW:
            continue
        key = identity(chance, made)
        reservations.append((key, f"user{number % USERS}", "expired", '{"nodes":20,"duration_s":10800}', made, made + 900,
                             None, None, None, None, ""))
        for position in range(2):
            offers.append((identity(chance, made), key, made + DAY, made + DAY + LENGTH, position, "600-619"))
    tables.executemany(RESERVATION, reservations)
    tables.executemany(OFFER, offers)
    tables.executemany("INSERT INTO allocations (reservation_id, offer_id, epoch, first_rank, end_rank, start_s, end_s)"
                       " VALUES (?, ?, ?, ?, ?, ?, ?)", allocations)
    return [(row[0], row[1], row[7], row[8]) for row in reservations if row[6]]


def fill_agendas(tables, chance, day, in_force):
    """What was announced in a day: prices once, CO2 each hour, each of two days by quarter-hours."""
    for hour in range(24):
        at = day + hour * HOUR
        if at > NOW:
            return
        for quantity in ["price", "co2"] if hour == 0 else ["co2"]:
            revision = tables.execute(
                "INSERT INTO agenda_revisions (quantity, source, kind, quality, issued_s, received_s, span_start_s, span_end_s)"
                " VALUES (?, 'api', 'average', 'forecast', ?, ?, ?, ?)", (quantity, at, at, at, at + 2 * DAY)).lastrowid
            values = [(revision, start, start + 900, chance.randrange(20_000_000, 200_000_000))
                      for start in range(at, at + 2 * DAY, 900)]
            tables.executemany("INSERT INTO agenda_pieces VALUES (?, ?, ?, ?)", values)
            for _, start, end, value in values:
                in_force[quantity, start] = (end, value, revision)
        tables.execute(
            "INSERT INTO feed_revisions (feed, quantity, zone, kind, quality, issued_s, received_s, span_start_s, span_end_s,"
            " piece_count, notes, pieces) VALUES ('co2', 'co2', 'FR', 'average', 'forecast', ?, ?, ?, ?, 192, '[]', ?)",
            (at, at, at, at + 2 * DAY, chance.randbytes(400)))


def put_in_force(tables, in_force, before):
    """Writes what no later revision replaces."""
    done = [key for key in in_force if key[1] < before]
    tables.executemany("INSERT INTO agenda_current VALUES (?, ?, ?, ?, ?)",
                       [(quantity, start, *in_force.pop((quantity, start))) for quantity, start in done])


ROW = ("INSERT INTO ledger_rows (hour_s, number, counted_s, holder, reservation_id, job_id, user_name, owner, project,"
       " application, partition_name, nodes, node_s, missing_s, measured_j, estimated_j, cost_millionths, unpriced_j, currency,"
       " co2_location_mg, unrated_j, quarter1_j, quarter2_j, quarter3_j, quarter4_j)"
       " VALUES (?, 0, ?, ?, ?, '', ?, ?, ?, 'wrf', '', ?, ?, 0, 9000000, 0, 250000, 0, 'EUR', 800000, 0,"
       " 2250000, 2250000, 2250000, 2250000)")


def fill_ledger(tables, day, booked, serial):
    """The hours of a day that are over."""
    by_hour = {}
    for key, owner, start, end in booked:
        for hour in range(start, end, HOUR):
            by_hour.setdefault(hour, []).append((key, owner))
    for hour in range(day, day + DAY, HOUR):
        if hour + HOUR + 900 > NOW:
            break
        serial += 1
        tables.execute("INSERT INTO ledger_statements VALUES (?, 0, ?, ?, ?)", (hour, hour, hour + HOUR + 900, serial))
        rows = [(hour, hour, "reservation", key, owner, owner, "ocean", WIDTH, WIDTH * HOUR) for key, owner in by_hour[hour]]
        rows += [(hour, hour, holder, None, "", "", "", NODES, NODES * HOUR) for holder in ("idle", "facility")]
        tables.executemany(ROW, rows)
    return serial


def fill_audit(tables, day, head):
    """A chain of records; the hashes are not those that the service would reckon."""
    number, before = head
    rows = []
    for index in range(300):
        number, digest = number + 1, hashlib.sha256(before.encode()).hexdigest()
        rows.append((number, (day + index * 288) * 1_000_000, f"user{index % USERS}", "", "", "192.0.2.7",
                     "propose_reservation", "reservations", None, '{"state":"proposed"}', "201", digest, before))
        before = digest
    tables.executemany("INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    return number, before


def fill(database, days):
    tables = sqlite3.connect(database)
    tables.execute("PRAGMA synchronous = OFF")
    tables.execute("PRAGMA cache_size = -2000000")
    chance = random.Random(days)
    epoch = tables.execute("SELECT MAX(id) FROM calibration_epochs").fetchone()[0]
    tables.execute("UPDATE calibration_epochs SET created_s = ?", (TODAY - (days + 1) * DAY,))
    in_force, serial = {}, 0
    head = tables.execute("SELECT head_id, head_hash FROM audit_chain").fetchone()
    for day in range(TODAY - days * DAY, TODAY + 3 * DAY, DAY):
        booked = fill_bookings(tables, chance, epoch, day)
        if day <= TODAY:
            fill_agendas(tables, chance, day, in_force)
            put_in_force(tables, in_force, day)
            serial = fill_ledger(tables, day, booked, serial)
        if day < TODAY:
            head = fill_audit(tables, day, head)
    put_in_force(tables, in_force, 1 << 60)
    tables.execute("UPDATE ledger_marks SET statements = ?, revision_id = (SELECT MAX(id) FROM agenda_revisions)", (serial,))
    tables.execute("UPDATE judged_agendas SET revision_id = (SELECT MAX(id) FROM agenda_revisions)")
    tables.execute("UPDATE audit_chain SET head_id = ?, head_hash = ?", head)
    tables.execute("UPDATE book SET version = version + 1, changes = changes + 1, agendas_changed = changes + 1")
    tables.commit()
    tables.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    tables.close()


def sizes(database):
    """Bytes of tables with their indexes."""
    tables = sqlite3.connect(database)
    found = tables.execute(
        "SELECT s.tbl_name, SUM(d.pgsize) FROM dbstat AS d JOIN sqlite_schema AS s ON s.name = d.name"
        " WHERE d.aggregate = 1 GROUP BY s.tbl_name").fetchall()
    rows = {name: tables.execute(f"SELECT COUNT(*) FROM {name}").fetchone()[0] for name, _ in found}
    tables.close()
    return {name: (size, rows[name]) for name, size in found}


def quote(chance):
    earliest = TODAY + 3 * DAY + chance.randrange(12) * HOUR - 2 * DAY
    return {"nodes": 64, "duration_s": 2 * HOUR, "earliest_start": instant(max(earliest, NOW // 900 * 900 + 1800)),
            "latest_start": instant(earliest + DAY)}


def book(chance):
    held = must("POST", "/api/v1/reservations", quote(chance) | {"nodes": 2})
    must("POST", f"/api/v1/reservations/{held['id']}/choose", {"ranking": "cost_co2_energy"})
    return held["id"]


def month():
    first = datetime.datetime.fromtimestamp(TODAY, datetime.timezone.utc).replace(day=1)
    last = (first - datetime.timedelta(days=1)).replace(day=1)
    return int(last.timestamp()), int(first.timestamp()), last.strftime("%Y-%m")


def operations(chance):
    """What is measured, by name; each has an answer of the same size on both databases."""
    since = instant(TODAY - 20 * DAY)
    week = f"from={instant(TODAY - 2 * DAY)}&to={instant(TODAY + 2 * DAY)}"
    days = f"from={since}&to={instant(TODAY - 10 * DAY)}"
    listed = "/api/v1/reservations?limit=50"
    newest = must("GET", f"{listed}&newest=true")["items"][0]["id"]
    get = lambda path: lambda: must("GET", path)
    return {
        "a quote of 64 nodes": lambda: must("POST", "/api/v1/quotes", quote(chance)),
        "a booking of 2 nodes": lambda: book(chance),
        "list: the newest 50": get(f"{listed}&newest=true"),
        "list: confirmed, the newest 50": get(f"{listed}&newest=true&state=confirmed"),
        "list: of four days": get(f"{listed}&newest=true&{week}"),
        "a reservation": get(f"/api/v1/reservations/{newest}"),
        "the CO2 of a day": get("/api/v1/agendas/co2"),
        "the CO2 of a day as of yesterday": get(f"/api/v1/agendas/co2?as_of={instant(NOW - DAY)}"),
        "a report of ten days by user": get(f"/api/v1/reports?{days}&by=user"),
        "the ledger's totals of ten days": get(f"/api/v1/ledger/totals?{days}"),
        "a page of the ledger": get(f"/api/v1/ledger?{days}"),
        "the power profile of two days": get(f"/api/v1/power-profile?from={instant(NOW)}&to={instant(NOW + 2 * DAY)}"),
        "the newest audit records": get("/api/v1/audit?limit=50"),
    }


def measure(binary, databases, settings, repeats):
    """Medians in milliseconds by operation and database, both in turn."""
    found = {name: {} for name in databases}
    for name in [*databases, *databases]:
        times = []
        for _ in range(3):
            process, ready_s = serve(binary, databases[name], settings)
            times.append(ready_s * 1000)
            stop(process)
        found[name].setdefault("start to ready", []).extend(times)
        process, _ = serve(binary, databases[name], settings)
        time.sleep(2)
        chance = random.Random(5)
        for operation, act in operations(chance).items():
            act()
            for _ in range(repeats):
                began = time.monotonic()
                act()
                found[name].setdefault(operation, []).append((time.monotonic() - began) * 1000)
        stop(process)
    return found


def tell(found, one, other):
    print(f"{'':40} {one:>14} {other:>14} {'ratio':>7}")
    for operation in found[one]:
        first, second = (statistics.median(found[name][operation]) for name in (one, other))
        print(f"{operation:40} {first:11.1f} ms {second:11.1f} ms {second / first:7.2f}", flush=True)


def prune(binary, database, settings):
    """Prunes while bookings go on; how long a booking took before and meanwhile."""
    process, _ = serve(binary, database, settings)
    time.sleep(2)
    took, chance = {"before": [], "meanwhile": []}, random.Random(6)

    def timed(kind, is_over):
        while not is_over():
            began = time.monotonic()
            booked = book(chance)
            took[kind].append((time.monotonic() - began) * 1000)
            # Or all would be booked after some minutes.
            must("DELETE", f"/api/v1/reservations/{booked}")
            time.sleep(0.05)

    until = time.monotonic() + 10
    timed("before", lambda: time.monotonic() > until)
    began = time.monotonic()
    rules = pathlib.Path(settings).with_name("rules.toml")
    rules.write_text(BY_RULES)
    command = [binary, "database", "prune", "--database", f"sqlite://{database}", "--config", rules]
    pruning = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        said = pool.submit(pruning.communicate)
        timed("meanwhile", lambda: pruning.poll() is not None)
        print(said.result()[0])
    print(f"pruned in {time.monotonic() - began:.0f} s")
    for kind, all_of in took.items():
        ordered = sorted(all_of)
        print(f"a booking {kind}: p50 {ordered[len(ordered) // 2]:.1f} ms, p99 {ordered[len(ordered) * 99 // 100]:.1f} ms, "
              f"at most {ordered[-1]:.1f} ms, {len(ordered)} made", flush=True)
    stop(process)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--folder", type=pathlib.Path)
    arguments.add_argument("--binary", default=ROOT / "target/release/wattbook")
    arguments.add_argument("--days", type=int, default=3650)
    arguments.add_argument("--repeats", type=int, default=30)
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as made:
        folder = pathlib.Path(made)
        settings = folder / "wattbook.toml"
        settings.write_text(KEEP_ALL)
        databases = {"a month": folder / "month.db", "ten years": folder / "years.db"}
        for name, days in [("a month", 31), ("ten years", given.days)]:
            process, _ = serve(given.binary, databases[name], settings)
            rows = "\n".join(f"node-{n},95,190" for n in range(NODES))
            must("PUT", "/api/v1/nodes", "name,idle_power_w,max_power_w\n" + rows, "text/csv")
            stop(process)
            began = time.monotonic()
            fill(databases[name], days)
            size = os.path.getsize(databases[name]) / 1e6
            print(f"{name}: {days} days filled in {time.monotonic() - began:.0f} s, {size:.0f} MB", flush=True)
        all_sizes = sizes(databases["ten years"])
        for table, (size, rows) in sorted(all_sizes.items(), key=lambda it: -it[1][0])[:14]:
            print(f"{table:24} {rows:>12} rows {size / 1e6:>9.0f} MB", flush=True)
        tell(measure(given.binary, databases, settings, given.repeats), *databases)
        prune(given.binary, databases["ten years"], settings)
        tell(measure(given.binary, databases, settings, given.repeats), *databases)


main()
