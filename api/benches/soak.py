#!/usr/bin/env python3
"""Asks a service for ten minutes, and tells how its memory grows and where.

    api/benches/soak.py [--seconds 600] [--rate 100] [--clients 8] [--arenas default 1] [--binary BINARY]

Starts the binary on a new SQLite database, at 127.0.0.1 alone, with 1,000 nodes and agendas over a month. The clients keep
connections of their own and ask at the rate together, one request after another: quotes, bookings that are proposed, chosen, read
and cancelled, lists, the book's pictures, agendas, metrics and the page. What is booked is cancelled, so that the book stays small.
Every ten seconds it reads from /proc what is resident: in all, of anonymous memory, in the main heap, in the further arenas of glibc's
malloc (mappings at multiples of 64 MiB), and in other anonymous mappings, such as stacks and large blocks. At the end it tells by
how much the second half grew, as a straight line through its points. With several `--arenas` each is a run of its own, with that
MALLOC_ARENA_MAX: where growth goes with the arenas, it is what malloc keeps and not what the service holds.
Needs Python 3 and Linux. Fails where a request fails.
"""

import argparse
import collections
import http.client
import os
import pathlib
import random
import re
import tempfile
import threading
import time

import load

ADDRESS = "127.0.0.1:18087"
ARENA = 64 << 20
MAPPING = re.compile(r"([0-9a-f]+)-[0-9a-f]+ \S+ \S+ \S+ \d+\s*(.*)")
COLUMNS = ("all", "anonymous", "heap", "arenas", "others")


def resident(pid):
    """Kibibytes by column, and how many arenas there are beside the main heap."""
    found, arenas, kind = collections.Counter(), 0, ""
    for line in pathlib.Path(f"/proc/{pid}/smaps").read_text().splitlines():
        mapping = MAPPING.fullmatch(line)
        if mapping:
            # Newer kernels name anonymous mappings.
            name, is_arena = re.sub(r"^\[anon:.*", "", mapping[2]), int(mapping[1], 16) % ARENA == 0
            kind = "heap" if name == "[heap]" else "" if name else "arenas" if is_arena else "others"
            arenas += kind == "arenas"
        elif line.startswith("Rss:"):
            size = int(line.split()[1])
            found["all"] += size
            if kind:
                found[kind] += size
        elif line.startswith("Anonymous:"):
            found["anonymous"] += int(line.split()[1])
    return [found[name] for name in COLUMNS], arenas


def book(chance):
    """Proposes, chooses, reads and cancels, each a request."""
    status, text = load.call("POST", "/api/v1/reservations", load.request(chance, chance.randint(1, 64), 2, 24, 20))
    yield status, text
    if status >= 300:
        return
    path = f"/api/v1/reservations/{load.json.loads(text)['id']}"
    yield load.call("POST", f"{path}/choose", {"ranking": "cost_co2_energy"})
    yield load.call("GET", path)
    yield load.call("DELETE", path)


def ask(chance):
    """What a client asks next, as a series of requests."""
    span = f"from={load.instant(load.START)}&to={load.instant(load.START + 2 * load.DAY)}"
    reads = ["/api/v1/reservations?limit=50&newest=true", f"/api/v1/occupancy?{span}", f"/api/v1/power-profile?{span}",
             f"/api/v1/agendas/price?{span}", f"/api/v1/agendas/co2?{span}", "/api/v1/nodes?limit=200", "/api/v1/site",
             "/api/v1/feeds", "/metrics", "/health/ready", "/"]
    choice = chance.random()
    if choice < 0.3:
        yield load.call("POST", "/api/v1/quotes", load.request(chance, chance.randint(1, 500), 3, 72, 20))
    elif choice < 0.5:
        yield from book(chance)
    else:
        yield load.call("GET", chance.choice(reads))


class Soak:
    """Clients that ask at a rate together until a time."""

    def __init__(self, rate, clients, seconds):
        self.until = time.monotonic() + seconds
        self.pause = clients / rate
        self.asked, self.failed, self.lock = 0, [], threading.Lock()
        self.threads = [threading.Thread(target=self.client, args=(number,)) for number in range(clients)]
        for thread in self.threads:
            thread.start()

    def client(self, number):
        chance, due = random.Random(number), time.monotonic()
        while time.monotonic() < self.until and not self.failed:
            try:
                for status, text in ask(chance):
                    self.note(None if 200 <= status < 300 else (status, text[:300]))
                    due += self.pause
                    time.sleep(max(0, due - time.monotonic()))
            except (OSError, http.client.HTTPException) as error:
                # No answer: the connection was reset, or it took too long.
                self.note(repr(error))

    def note(self, failure):
        with self.lock:
            self.asked += 1
            if failure is not None:
                self.failed.append(failure)


def slope(points):
    """What a straight line through points grows by a minute, by least squares."""
    middle_x = sum(x for x, _ in points) / len(points)
    middle_y = sum(y for _, y in points) / len(points)
    spread = sum((x - middle_x) ** 2 for x, _ in points)
    return 60 * sum((x - middle_x) * (y - middle_y) for x, y in points) / spread


def run(given, arenas):
    """One run; tells what is resident as it goes."""
    if arenas == "default":
        os.environ.pop("MALLOC_ARENA_MAX", None)
    else:
        os.environ["MALLOC_ARENA_MAX"] = arenas
    print(f"\nMALLOC_ARENA_MAX {arenas}")
    print(f"{'seconds':>8} {'requests':>9}" + "".join(f" {name + ', MiB':>15}" for name in COLUMNS) + f" {'arenas':>7}")
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        process, _ = load.serve(f"sqlite://{folder}/soak.db", given.binary, address=ADDRESS)
        soak = None
        try:
            load.furnish(1000)
            soak, began, seen = Soak(given.rate, given.clients, given.seconds), time.monotonic(), []
            while True:
                at = time.monotonic() - began
                sizes, count = resident(process.pid)
                seen.append((at, [size / 1024 for size in sizes]))
                print(f"{at:8.0f} {soak.asked:9}" + "".join(f" {size:15.1f}" for size in seen[-1][1]) + f" {count:7}", flush=True)
                if soak.failed or at >= given.seconds:
                    break
                time.sleep(max(0, min(10, given.seconds - at)))
            for thread in soak.threads:
                thread.join()
        finally:
            # Where the service died, or this is broken off, the clients end, too.
            if soak:
                soak.until = 0
            process.terminate()
            process.wait()
            for thread in soak.threads if soak else ():
                thread.join()
    assert not soak.failed, soak.failed[:3]
    half = [(at, sizes) for at, sizes in seen if at >= given.seconds / 2]
    if len(half) > 2:
        lines = (f"{name} {slope([(at, sizes[column]) for at, sizes in half]):+.2f}" for column, name in enumerate(COLUMNS))
        print("growth in the second half, MiB a minute: " + ", ".join(lines), flush=True)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--binary", default=load.BINARY)
    arguments.add_argument("--folder", type=pathlib.Path, help="where the database is made")
    arguments.add_argument("--seconds", type=int, default=600)
    arguments.add_argument("--rate", type=float, default=100, help="requests a second, of all clients together")
    arguments.add_argument("--clients", type=int, default=8)
    arguments.add_argument("--arenas", nargs="+", default=["default", "1"], help="values of MALLOC_ARENA_MAX, or default")
    given = arguments.parse_args()
    load.ADDRESS = ADDRESS
    for arenas in given.arenas:
        run(given, arenas)


main()
