#!/usr/bin/env python3
"""Measures what one client can take from another: how long a polite user waits beside a greedy one.

    api/benches/overload.py --database sqlite:///dev/shm/overload.db [--nodes 10000] [--bookings 5000] [--only quote ...] [--limit reads_per_client=100000]

Starts target/release/wattbook on a new database, with nodes, agendas of a month and bookings of half of the nodes. A greedy user
then asks for one kind of request over and over by 200 connections (wrk), while a polite user asks who they are, for a quote and for
their reservations, one after another. For each kind: what one costs alone, how many the greedy user got and was refused, how long
the polite user waits, and the most memory of the service. Afterwards connections that send or take nothing. Needs Python 3 and wrk.
"""

import argparse
import contextlib
import http.client
import json
import pathlib
import re
import socket
import statistics
import subprocess
import tempfile
import time

import load

HOST, PORT = load.ADDRESS.split(":")
CONNECTIONS = 200
LUA = """
wrk.method = "%s"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Authorization"] = "Bearer %s"
wrk.body = %s
local answered, refused, failed = 0, 0, 0
response = function(status)
  if status == 429 or status == 503 then refused = refused + 1
  elseif status >= 500 then failed = failed + 1
  else answered = answered + 1 end
  wrk.thread:set("answered", answered)
  wrk.thread:set("refused", refused)
  wrk.thread:set("failed", failed)
end
local threads = {}
setup = function(thread) table.insert(threads, thread) end
done = function(summary)
  for _, thread in ipairs(threads) do
    print(string.format("answered %%d refused %%d failed %%d seconds %%.3f", thread:get("answered") or 0,
      thread:get("refused") or 0, thread:get("failed") or 0, summary.duration / 1e6))
  end
end
"""


def kinds(nodes):
    """Each kind of request that costs something: its method, path and body."""
    at = lambda days: load.instant(load.START + days * load.DAY)
    wish = lambda count, hours, days: {
        "nodes": count, "duration_s": hours * 3600, "earliest_start": at(0), "latest_start": at(days)}
    span = f"from={at(0)}&to={at(30)}"
    reads = {
        "me": "me", "agenda": f"agendas/price?{span}", "reservations": "reservations?limit=1000", "nodes": "nodes?limit=10000",
        "powers": "nodes/powers", "schedule": f"schedule?{span}", "occupancy": f"occupancy?{span}&rows=500&columns=500",
        "power-profile": f"power-profile?{span}&columns=500", "consumption": f"consumption?{span}", "power": "power",
        "ledger": f"ledger?from={at(-300)}&limit=1000", "reports": f"reports?from={at(-300)}&by=user,month",
        "unknown": "nothing", "page": "/",
    }
    writes = {
        "quote": wish(64, 1, 1), "quote of a month": wish(nodes // 4, 12, 29),
        "quote with alternatives": {**wish(64, 1, 29), "alternatives": [
            {"nodes": 64 + more, "duration_s": 3600 + 60 * more} for more in range(1, 8)]},
    }
    address = lambda path: path if path.startswith("/") else "/api/v1/" + path
    found = {name: ("GET", address(path), None) for name, path in reads.items()}
    found |= {name: ("POST", "/api/v1/quotes", json.dumps(body)) for name, body in writes.items()}
    found["proposal"] = ("POST", "/api/v1/reservations", json.dumps(wish(1, 1, 1)))
    found["unreadable"] = ("POST", "/api/v1/quotes", "{" + " " * 15_000)
    return found


class Caller:
    """A user, by one connection."""

    def __init__(self, token):
        self.connection = http.client.HTTPConnection(HOST, int(PORT), timeout=60)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, method, path, body):
        """The status, how many bytes, and milliseconds."""
        began = time.monotonic()
        try:
            self.connection.request(method, path, body, self.headers)
            answer = self.connection.getresponse()
            size = len(answer.read())
        except (http.client.HTTPException, OSError):
            self.connection.close()
            return 0, 0, 1000 * (time.monotonic() - began)
        return answer.status, size, 1000 * (time.monotonic() - began)


def worst(times):
    """The middle and the 99th of a hundred."""
    ordered = sorted(times)
    return f"{statistics.median(ordered):.1f} / {ordered[len(ordered) * 99 // 100]:.1f}"


def polite(token, asked, seconds):
    """How long each of these takes, asked in turns, and how many of all failed."""
    caller = Caller(token)
    times, failed, until = {name: [] for name in asked}, 0, time.monotonic() + seconds
    while time.monotonic() < until:
        for name, request in asked.items():
            status, _, took = caller.ask(*request)
            times[name].append(took)
            failed += not 200 <= status < 300
        time.sleep(0.005)
    return " | ".join(worst(it) for it in times.values()), failed


@contextlib.contextmanager
def greedy(token, request, seconds):
    """Asks by many connections meanwhile; gives what became of it, once it has ended."""
    method, path, body = request
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "ask.lua")
        script.write_text(LUA % (method, token, json.dumps(body) if body else "nil"))
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "30s", "-s", script, f"http://{load.ADDRESS}{path}"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        found = {}
        yield found
        text = process.communicate()[0]
    answered, refused, failed, took = re.search(r"answered (\d+) refused (\d+) failed (\d+) seconds (\S+)", text).groups()
    found.update(answered=int(answered) / float(took), refused=int(refused) / float(took), failed=int(failed))


def memory(process):
    """The most megabytes since the last look."""
    most = re.search(r"VmHWM:\s+(\d+)", pathlib.Path(f"/proc/{process.pid}/status").read_text())[1]
    pathlib.Path(f"/proc/{process.pid}/clear_refs").write_text("5")
    return int(most) // 1024


def alone(token, request):
    """What one costs with nobody else."""
    caller = Caller(token)
    answers = [caller.ask(*request) for _ in range(5)]
    return answers[-1][0], answers[-1][1], statistics.median(took for _, _, took in answers)


def idle_sockets(count, sent, last):
    """Connections of another address on which this was sent, and nothing is taken."""
    made = []
    for _ in range(count):
        it = socket.socket()
        it.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        it.bind((f"127.0.0.{last}", 0))
        it.connect((HOST, int(PORT)))
        it.sendall(sent)
        made.append(it)
    return made


def slow_clients(process, tokens, asked):
    """What connections cost on which hardly anything happens."""
    head = b"GET /api/v1/nodes?limit=10000 HTTP/1.1\r\nHost: x\r\n"
    whole = head + f"Authorization: Bearer {tokens['greedy']}\r\n\r\n".encode()
    body = (head.replace(b"GET /api/v1/nodes?limit=10000", b"POST /api/v1/quotes")
            + f"Authorization: Bearer {tokens['greedy']}\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{{".encode())
    for name, sent in [("half a head", head), ("a body that does not come", body), ("answers that nobody takes", whole)]:
        memory(process)
        # As many addresses as it takes, each with what one client may have.
        made = [it for last in range(2, 10) for it in idle_sockets(250, sent, last)]
        waits, failed = polite(tokens["polite"], asked, 3)
        print(f"| {len(made)} connections: {name} | | | | {waits} | {failed} | {memory(process)} |", flush=True)
        for it in made:
            it.close()


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--database", required=True)
    arguments.add_argument("--binary", default=load.BINARY)
    arguments.add_argument("--nodes", type=int, default=10_000)
    arguments.add_argument("--bookings", type=int, default=5_000)
    arguments.add_argument("--seconds", type=int, default=5)
    arguments.add_argument("--limit", nargs="+", default=[], help="settings of [limits]")
    arguments.add_argument("--only", nargs="+", help="kinds of requests")
    given = arguments.parse_args()
    process, _ = load.serve(given.database, given.binary)
    load.furnish(given.nodes)
    process.terminate()
    process.wait()
    load.fill(given.database, given.bookings, given.nodes)
    token = lambda owner: subprocess.run(
        [given.binary, "token", "create", "--owner", owner, "--role", "user", "--database", given.database],
        capture_output=True, text=True, check=True).stdout.strip()
    tokens = {owner: token(owner) for owner in ["polite", "greedy"]}
    settings = pathlib.Path(tempfile.mkdtemp(), "wattbook.toml")
    settings.write_text("\n".join(["[limits]", *given.limit]))
    process, _ = load.serve(given.database, given.binary, ["--config", settings])
    requests = kinds(given.nodes)
    asked = {name: requests[name] for name in ["me", "quote", "reservations"]}
    print("| the greedy user asks for | alone ms, kB | answered/s | refused/s | polite: me p50 / p99 ms | quote | reservations | polite: failed | most MB |")
    print("|---|---|---|---|---|---|---|---|---|")
    waits, failed = polite(tokens["polite"], asked, given.seconds)
    print(f"| nothing | | | | {waits} | {failed} | {memory(process)} |", flush=True)
    for name, request in requests.items():
        if given.only and name not in given.only:
            continue
        status, size, took = alone(tokens["greedy"], request)
        memory(process)
        with greedy(tokens["greedy"], request, given.seconds + 1) as found:
            time.sleep(0.5)
            waits, failed = polite(tokens["polite"], asked, given.seconds)
        print(f"| {name} ({status}) | {took:.1f}, {size / 1000:.0f} | {found['answered']:.0f} | {found['refused']:.0f}"
              f"{', FAILED ' + str(found['failed']) if found['failed'] else ''} | {waits} | {failed} | {memory(process)} |", flush=True)
    if not given.only:
        slow_clients(process, tokens, asked)
    process.terminate()
    process.wait()


main()
