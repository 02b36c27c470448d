"""A receiver of OTLP, and what a service sends to it.

    traces_check.py BINARY [OTHER]    BINARY has the feature otel, OTHER has not
"""

import http.server
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse

TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SECRET = "pa55word"
PATIENCE_S = 60


class Receiver(http.server.ThreadingHTTPServer):
    """A collector: keeps every span that it gets."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Taking)
        self.spans, self.bodies, self.paths, self.resources = [], [], set(), []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class Taking(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        kept = self.server
        kept.paths.add((self.path, self.headers["Content-Type"]))
        kept.bodies.append(body)
        for of_resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            kept.resources.append(attributes(of_resource.resource))
            for of_scope in of_resource.scope_spans:
                kept.spans.extend(of_scope.spans)
        answer = ExportTraceServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def attributes(it):
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in it.attributes}


class Service:
    """`wattbook serve` with some environment, on a database of its own."""

    def __init__(self, binary, place, **environment):
        self.log_path = f"{place}/log-{len(os.listdir(place))}"
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("WATTBOOK_", "OTEL_"))}
        command = [binary, "serve", "--listen", "127.0.0.1:0", "--database", f"sqlite://{place}/book.db"]
        with open(self.log_path, "w") as log:
            self.process = subprocess.Popen(command, stderr=log, env=kept | environment)
        self.url = until("it listens", lambda: self.listens())

    def log(self):
        with open(self.log_path) as log:
            return log.read()

    def listens(self):
        if self.process.poll() is not None:
            raise SystemExit(f"the service ended:\n{self.log()}")
        found = re.search(r"listening on (http://[\d.:]+)", self.log())
        return found and found[1]

    def ask(self, method, path, body=None, **headers):
        """The status of an answer, and how long it took."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, method=method)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            request.add_header(name, value)
        began = time.monotonic()
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                status = answer.status
        except urllib.error.HTTPError as error:
            status = error.code
        return status, time.monotonic() - began

    def stop(self):
        """Ends it, and says how long that took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(PATIENCE_S) != 0:
            raise SystemExit(f"it did not end well:\n{self.log()}")
        return time.monotonic() - began


def until(what, check):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        found = check()
        if found:
            return found
        time.sleep(0.1)
    raise SystemExit(f"not within {PATIENCE_S} s: {what}")


def expect(what, is_so, otherwise=""):
    if not is_so:
        raise SystemExit(f"not so: {what}\n{otherwise}")


def hour(hours):
    return time.strftime("%Y-%m-%dT%H:00:00Z", time.gmtime(time.time() + hours * 3600))


def furnish(service):
    """Nodes and agendas; the request of a quote."""
    nodes = [{"name": f"n{n}", "idle_power_w": 100, "max_power_w": 200} for n in range(4)]
    expect("nodes are put", service.ask("PUT", "/api/v1/nodes", nodes)[0] == 200, service.log())
    for quantity, name in (("price", "price_per_mwh"), ("co2", "intensity_g_per_kwh")):
        agenda = [{"start": hour(-1), "end": hour(30), name: 50}]
        expect("agendas are put", service.ask("PUT", f"/api/v1/agendas/{quantity}", agenda)[0] == 200, service.log())
    return {"nodes": 1, "duration_s": 3600, "earliest_start": hour(2), "latest_start": hour(9)}


def check_a_trace(binary, place):
    receiver = Receiver()
    service = Service(binary, place, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url, OTEL_BSP_SCHEDULE_DELAY="200")
    request = furnish(service)
    parent = {"traceparent": f"00-{TRACE}-{CALLER}-01"}
    expect("a quote", service.ask("POST", f"/api/v1/quotes?token={SECRET}", request, **parent)[0] == 200, service.log())
    of_nothing = "/api/v1/reservations/018f2a10-0000-7000-8000-000000000001"
    expect("nothing", service.ask("GET", of_nothing, Authorization=f"Bearer {SECRET}", **parent)[0] == 401)
    in_trace = lambda: [it for it in receiver.spans if it.trace_id.hex() == TRACE]
    of_caller = lambda: [it for it in in_trace() if it.parent_span_id.hex() == CALLER]
    until("both requests' spans", lambda: len(of_caller()) == 2)
    quote, other = sorted(of_caller(), key=lambda it: it.name, reverse=True)
    told = attributes(quote)
    expect("the quote's span", quote.name == "POST /api/v1/quotes" and quote.kind == quote.SPAN_KIND_SERVER, quote)
    expected = {"http.request.method": "POST", "http.route": "/api/v1/quotes", "http.response.status_code": 200}
    expect(f"{expected}", {name: told.get(name) for name in expected} == expected, told)
    told = attributes(other)
    route = "/api/v1/reservations/{id}"
    expect("a route and no path", (told["http.route"], told["http.response.status_code"]) == (route, 401), told)
    below = {it.name for it in in_trace() if it.parent_span_id == quote.span_id}
    expect("a plan and a call of the database below the quote", "plan" in below and any(name.startswith("database ") for name in below), below)
    # Of a caller without a trace a request begins one of its own.
    expect("others are traces of their own", any(it.name.startswith("PUT") and it.trace_id.hex() != TRACE and not it.parent_span_id for it in receiver.spans))
    expect("where OTLP has it", receiver.paths == {("/v1/traces", "application/x-protobuf")}, receiver.paths)
    expect("the service's name", {it["service.name"] for it in receiver.resources} == {"wattbook"}, receiver.resources)
    for secret in (SECRET, "018f2a10"):
        expect("no secret is sent", not any(secret.encode() in body for body in receiver.bodies))
    service.stop()
    print(f"  a request with a traceparent is a span of that trace, with {len(below)} kinds of spans below it")


def check_the_end(binary, place):
    receiver = Receiver()
    service = Service(binary, place, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url, OTEL_BSP_SCHEDULE_DELAY="3600000", OTEL_SERVICE_NAME="ours")
    service.ask("GET", "/api/v1/site")
    expect("nothing is sent yet", not receiver.spans)
    service.stop()
    expect("the last spans are sent at the end", any(it.name == "GET /api/v1/site" for it in receiver.spans), service.log())
    expect("the name of the environment", {it["service.name"] for it in receiver.resources} == {"ours"}, receiver.resources)
    none = Service(binary, place, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url, OTEL_TRACES_SAMPLER="always_off")
    receiver.spans.clear()
    none.ask("GET", "/api/v1/site")
    none.stop()
    expect("a sampler counts", not receiver.spans)
    print("  the last spans are sent when the service ends")


def check_a_collector_that_fails(binary, place):
    # One takes connections and never answers, at the other nobody listens.
    silent = http.server.socketserver.socket.create_server(("127.0.0.1", 0))
    closed = Receiver()
    closed.shutdown()
    closed.server_close()
    for what, port in (("silent", silent.getsockname()[1]), ("down", closed.server_port)):
        service = Service(binary, place, OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{port}", OTEL_BSP_SCHEDULE_DELAY="50", OTEL_EXPORTER_OTLP_TIMEOUT="1000")
        slowest = max(service.ask("GET", "/api/v1/site")[1] for _ in range(300))
        if what == "down":
            until("a warning", lambda service=service: "did not take traces" in service.log())
        took = service.stop()
        warnings = service.log().count("did not take traces")
        expect("requests wait for no collector", slowest < 1, f"{slowest} s")
        expect("one warning", warnings <= 1, service.log())
        expect("the end is bounded", took < 10, f"{took} s")
        print(f"  a collector that is {what}: 300 requests, the slowest {1000 * slowest:.0f} ms, the end after {took:.1f} s")
    wrong = Service(binary, place, OTEL_EXPORTER_OTLP_ENDPOINT="nonsense")
    expect("a wrong address is told", "no traces are sent" in wrong.log(), wrong.log())
    wrong.stop()


def check_without(binary, place, feature):
    service = Service(binary, place, OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")
    expect("told that the feature is missing", "without the feature otel" in service.log(), service.log())
    service.stop()
    print("  a binary without the feature says so")


def main():
    with tempfile.TemporaryDirectory() as place:
        check_a_trace(sys.argv[1], place)
        check_the_end(sys.argv[1], place)
        check_a_collector_that_fails(sys.argv[1], place)
        if len(sys.argv) > 2 and sys.argv[2]:
            check_without(sys.argv[2], place, None)


if __name__ == "__main__":
    main()
