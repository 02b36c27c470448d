"""A real Prometheus, set up as docs/MONITORING.md says, beside a running demonstration.

    monitoring_prometheus.py settings                     settings for the demonstration, with the document's rules on rights
    monitoring_prometheus.py watch PLACE ADDRESS PROCESS  scrapes what listens at ADDRESS; PLACE has the tokens of alice, an
                                                          operator, and of prometheus; ends PROCESS to see that it is told
"""

import contextlib
import datetime
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import yaml
from monitoring_metrics import ROOT, compare, of_source
from monitoring_names import FOLDER, FOREIGN

SECONDS = int(os.environ.get("WATTBOOK_MONITORING_S", "30"))
DOCUMENT = (ROOT / "docs/MONITORING.md").read_text()
# What Grafana puts in place of its variables.
VARIABLES = {"$__rate_interval": "20s", "$job": "wattbook"}
# A webhook and a mail server that do not answer, and meters: what is counted then is seen too.
SETTINGS = """
[[webhooks]]
id = "pager"
url = "http://127.0.0.1:9/"
secret = { environment = "WATTBOOK_MONITORING_SECRET" }

[mail]
server = "localhost"
port = 9
from = "Wattbook <wattbook@site.example>"

[[meters]]
id = "bmc"
kind = "push"
period_s = 10

[[meters]]
id = "rack"
kind = "prometheus"
url = "http://127.0.0.1:9"
query = "up"
unit = "W"
values = "gauge"
period_s = 10
"""


def block(language, word):
    """The document's block of a language that has a word in it."""
    blocks = re.findall(rf"```{language}\n(.*?)```", DOCUMENT, flags=re.S)
    return next(text for text in blocks if word in text)


def free_port():
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return it.getsockname()[1]


def ask(url, token=None, body=None):
    """The answer to a request, as text."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    data = None
    if body is not None:
        headers["Content-Type"], data = "application/json", json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        error.msg = f"{error.msg}: {error.read().decode()}"
        raise


def status(url, token=None):
    try:
        ask(url, token)
    except urllib.error.HTTPError as error:
        return error.code
    return 200


def until(what, check, seconds=60, otherwise=lambda: ""):
    """Waits until a check has something to say, and gives it; what is there otherwise is told."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            found = check()
            if found:
                return found
        time.sleep(0.2)
    raise SystemExit(f"not within {seconds} s: {what} {otherwise()}")


def configuration(place, address, blackbox):
    """The document's settings of Prometheus, with this demonstration's addresses and every five seconds."""
    text = block("yaml", "scrape_configs")
    for written, here in [
        ("/etc/prometheus/wattbook.rules.yml", str(FOLDER / "wattbook.rules.yml")),
        ("/etc/prometheus/wattbook-token", str(place / "prometheus")),
        ("127.0.0.1:8080", address),
        ("127.0.0.1:9115", f"127.0.0.1:{blackbox}"),
    ]:
        if written not in text:
            raise SystemExit(f"docs/MONITORING.md: the settings of Prometheus have no {written}")
        text = text.replace(written, here)
    whole = yaml.safe_load(text) | {"global": {"scrape_interval": "5s", "scrape_timeout": "5s", "evaluation_interval": "2s"}}
    (place / "prometheus.yml").write_text(yaml.safe_dump(whole))


def book_something(service, token):
    """A reservation that runs soon: within the 20 seconds that a busy computer may need to book it."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    earliest, latest = ((now + datetime.timedelta(seconds=seconds)).isoformat() for seconds in (1, 20))
    window = {"nodes": 2, "duration_s": 3600, "earliest_start": earliest, "latest_start": latest, "search": {"mode": "exact"}}
    ask(f"{service}/api/v1/quotes", token, window)
    held = json.loads(ask(f"{service}/api/v1/reservations", token, window))
    ask(f"{service}/api/v1/reservations/{held['id']}/choose", token, {"offer_id": held["offers"][0]["offer_id"]})


def send_samples(service, token, nodes):
    at = datetime.datetime.now(datetime.timezone.utc).isoformat()
    samples = [{"node": node, "at": at, "power_w": 100} for node in nodes]
    ask(f"{service}/api/v1/measurements", token, {"meter": "bmc", "samples": samples})


class Prometheus:
    """What a running Prometheus says."""

    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}/api/v1"

    def get(self, path, **parameters):
        answer = json.loads(ask(f"{self.base}/{path}?{urllib.parse.urlencode(parameters)}"))
        if answer["status"] != "success" or answer.get("warnings"):
            raise SystemExit(f"Prometheus, asked for {path} {parameters}: {answer}")
        return answer["data"]

    def query(self, text):
        try:
            return self.get("query", query=text)["result"]
        except urllib.error.HTTPError as error:
            raise SystemExit(f"Prometheus refuses {text}: {error}") from error

    def rules(self):
        return [rule for group in self.get("rules")["groups"] for rule in group["rules"]]

    def scrape_errors(self):
        return {target["lastError"] for target in self.get("targets")["activeTargets"]}

    def alerts(self):
        return {alert["labels"]["alertname"] for alert in self.get("alerts")["alerts"]}


def check_rules(prometheus):
    """Every rule of the file was evaluated, without an error."""
    written = sum(len(group["rules"]) for group in yaml.safe_load((FOLDER / "wattbook.rules.yml").read_text())["groups"])
    rules = until("all rules evaluated", lambda: (found := prometheus.rules()) and all(it["health"] != "unknown" for it in found) and found)
    ill = [f"{rule['name']}: {rule.get('lastError')}" for rule in rules if rule["health"] != "ok"]
    if ill or len(rules) != written:
        raise SystemExit("\n".join([f"{len(rules)} of {written} rules are there", *ill]))
    print(f"  {len(rules)} rules evaluated without an error")


def check_panels(prometheus):
    """Every query of the dashboard is answered; at a glance there is always something to see."""
    panels = json.loads((FOLDER / "wattbook-dashboard.json").read_text())["panels"]
    asked, answered, row = 0, 0, None
    for panel in panels:
        if panel["type"] == "row":
            row = panel["title"]
            continue
        for target in panel["targets"]:
            text = target["expr"]
            for variable, value in VARIABLES.items():
                text = text.replace(variable, value)
            result = prometheus.query(text)
            if row == "At a glance" and not result:
                result = until(f"something to see in {panel['title']!r}: {text}", lambda text=text: prometheus.query(text))
            asked, answered = asked + 1, answered + bool(result)
    print(f"  {asked} queries of the dashboard answered, {answered} of them with something")


def with_reservations(text):
    return text if "wattbook_reservation_" in text else None


def check_service(service, place, metrics):
    """What the service serves is what the source records, and to whom it ought to be."""
    tokens = {who: (place / who).read_text().strip() for who in ("alice", "prometheus")}
    until("a token is needed", lambda: status(f"{service}/metrics") == 401)
    book_something(service, tokens["alice"])
    may = [status(f"{service}{path}", tokens["prometheus"]) for path in ("/metrics", "/api/v1/meters", "/api/v1/reservations")]
    if may != [200, 403, 403]:
        raise SystemExit(f"with its token Prometheus gets {may}, and not the metrics alone")
    text = until("the reservation runs", lambda: with_reservations(ask(f"{service}/metrics", tokens["alice"])))
    wrong = list(compare(text, metrics))
    if wrong:
        raise SystemExit("\n".join(wrong))
    return tokens["alice"]


def watch(place, address, process):
    metrics, _ = of_source()
    service = f"http://{address}"
    operator = check_service(service, place, metrics)
    blackbox, port = free_port(), free_port()
    configuration(place, address, blackbox)
    (place / "blackbox.yml").write_text("modules: { http_2xx: { prober: http } }\n")
    commands = [
        ["prometheus-blackbox-exporter", f"--config.file={place}/blackbox.yml", f"--web.listen-address=127.0.0.1:{blackbox}"],
        ["prometheus", f"--config.file={place}/prometheus.yml", f"--web.listen-address=127.0.0.1:{port}", f"--storage.tsdb.path={place}/tsdb"],
    ]
    outputs = [open(place / f"{command[0]}.log", "w") for command in commands]
    running = [subprocess.Popen(command, stdout=log, stderr=log) for command, log in zip(commands, outputs)]
    try:
        look(Prometheus(port), service, operator, metrics, process)
    except SystemExit:
        logs = [place / "log", *(place / f"{command[0]}.log" for command in commands)]
        print("".join(f"\n{log.name}:\n{log.read_text()[-2000:]}" for log in logs))
        raise
    finally:
        for it in running:
            it.terminate()
        for it in running:
            it.wait()


def look(prometheus, service, operator, metrics, process):
    until("Prometheus is ready", lambda: ask(prometheus.base.replace("/api/v1", "/-/ready")))
    until("a first scrape", lambda: prometheus.query('up{job="wattbook"} == 1'), otherwise=prometheus.scrape_errors)
    nodes = [node["name"] for node in json.loads(ask(f"{service}/api/v1/nodes", operator))["nodes"]]
    for _ in range(SECONDS):
        send_samples(service, operator, nodes)
        time.sleep(1)
    check_rules(prometheus)
    check_panels(prometheus)
    for name in FOREIGN:
        if not prometheus.query(f"count({name})"):
            raise SystemExit(f"Prometheus has no {name}")
    served = set(prometheus.get("label/__name__/values"))
    seen = [metric.name for metric in metrics.values() if served & metric.series().keys()]
    scrapes = prometheus.query('count_over_time(up{job="wattbook"}[1h])')[0]["value"][1]
    print(f"  {len(seen)} of the {len(metrics)} metrics seen in {scrapes} scrapes; the others are counted once something happens")
    # The webhook of the settings has no receiver, and a meter does not answer, which is asked less and less; nothing else is wrong.
    expected = {"WattbookWebhookFailing"}

    def only_what_is_wrong():
        # Nodes whose samples are old are no longer measured, which is told too.
        send_samples(service, operator, nodes)
        return prometheus.alerts() - {"WattbookMeterFailing"} == expected

    until("only what is wrong is told", only_what_is_wrong, otherwise=prometheus.alerts)
    os.kill(process, signal.SIGTERM)
    until("the alert for a process that is gone", lambda: {"WattbookDown", "WattbookNotReady"} <= prometheus.alerts(), otherwise=prometheus.alerts)
    print("  a webhook without a receiver is told, and a process that is gone")


def main():
    if sys.argv[1] == "settings":
        print(block("toml", "metrics.read") + SETTINGS)
    else:
        watch(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]))


if __name__ == "__main__":
    main()
