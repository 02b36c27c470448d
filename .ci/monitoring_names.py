"""Rules, dashboard and docs/MONITORING.md name metrics, labels and alerts that there are, and all of them.

Every name in an expression must be a metric that the source records, one of Prometheus's own, or one that a rule records; every
label that it matches, groups by or shows must be one that is left there. What the service records must be on the dashboard.
"""

import json
import re
import sys

import promql_parser
import yaml
from monitoring_metrics import OF_PROMETHEUS, ROOT, of_source, words

FOLDER = ROOT / "api/packaging/monitoring"
# What Prometheus and the blackbox exporter have by themselves.
FOREIGN = {
    "up": set(),
    "scrape_duration_seconds": set(),
    "scrape_samples_scraped": set(),
    "probe_success": set(),
    "ALERTS": {"alertname", "alertstate", "severity"},
}
# Metrics that the dashboard does without, and why.
LEFT_OUT = {}
# Labels whose values are names that a site gives.
NAMED_BY_SITES = {"job", "instance", "feed", "site", "webhook", "meter", "reservation", "partition", "le", "quantile", "alertname", "alertstate"}
# Labels whose values no text of the source is: statuses are numbers, and routes templates of paths.
OF_REQUESTS = {"status", "route"}
VARIABLES = {"$__rate_interval": "1m", "$__range": "1d", "$job": "wattbook"}

problems = []


def problem(place, text):
    problems.append(f"{place}: {text}")


class Expression:
    """A PromQL expression: what it names, and which labels its result has."""

    def __init__(self, text, place, known, texts):
        self.place, self.known, self.texts, self.used = place, known, texts, set()
        for variable, value in VARIABLES.items():
            text = text.replace(variable, value)
        try:
            self.labels = self.of(promql_parser.parse(text))
        except ValueError as error:
            problem(place, f"cannot be read: {error}")
            self.labels = set()

    def of(self, node):
        """The labels of what a part of the expression comes to."""
        return getattr(self, f"of_{type(node).__name__}", self.of_inner)(node)

    def of_inner(self, node):
        inner = getattr(node, "expr", None) or getattr(node, "vector_selector", None)
        return self.of(inner) if inner is not None else set()

    def of_VectorSelector(self, node):
        self.used.add(node.name)
        if node.name not in self.known:
            problem(self.place, f"there is no metric {node.name}")
            return set(OF_PROMETHEUS)
        labels = self.known[node.name] | OF_PROMETHEUS
        for matcher in node.matchers.matchers:
            self.check_matcher(node.name, matcher, labels)
        return labels

    def check_matcher(self, name, matcher, labels):
        if matcher.name not in labels:
            problem(self.place, f"{name} has no label {matcher.name}; it has {sorted(labels)}")
        for value in matcher.value.split("|"):
            if matcher.name not in NAMED_BY_SITES | OF_REQUESTS and value not in self.texts:
                problem(self.place, f"the source has no {value!r}, which {matcher.name} of {name} is matched with")

    def of_Call(self, node):
        labels = set().union(*(self.of(argument) for argument in node.args))
        if node.func.name == "histogram_quantile":
            self.check_there({"le"}, labels)
            labels -= {"le"}
        return labels

    def of_AggregateExpr(self, node):
        labels = self.of(node.expr)
        keeps = str(node.op) in ("topk", "bottomk")
        if node.modifier is None:
            return labels if keeps else set()
        named = set(node.modifier.labels)
        self.check_there(named, labels)
        if str(node.modifier.type).endswith("Without"):
            return labels - named
        return labels if keeps else named

    def of_BinaryExpr(self, node):
        left, right = self.of(node.lhs), self.of(node.rhs)
        matching = node.modifier.matching if node.modifier else None
        if type(node.lhs).__name__ == "NumberLiteral":
            return right
        if matching is not None:
            for side in (left, right):
                self.check_there(set(matching.labels), side)
        return left | right if str(node.op) == "or" else left

    def check_there(self, named, labels):
        for label in sorted(named - labels):
            problem(self.place, f"the label {label} is not there; there are {sorted(labels)}")


def check_rules(known, texts):
    """Every rule; the alerts by name."""
    alerts, used = {}, set()
    groups = yaml.safe_load((FOLDER / "wattbook.rules.yml").read_text())["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    for rule in rules:
        name = rule.get("record") or rule["alert"]
        expression = Expression(rule["expr"], name, known, texts)
        used |= expression.used
        if "record" in rule:
            known[name] = expression.labels
        else:
            alerts[name] = rule
            check_alert(name, rule, expression.labels)
    for name in sorted({rule["record"] for rule in rules if "record" in rule} - used):
        problem(name, "is recorded, and no alert needs it")
    return alerts


def check_alert(name, rule, labels):
    if not rule.get("for") or rule.get("labels", {}).get("severity") not in ("critical", "warning"):
        problem(name, "has no time (for), or no severity")
    text = " ".join(rule["annotations"].get(key, "") for key in ("summary", "description"))
    if set(rule["annotations"]) != {"summary", "description"}:
        problem(name, "must have a summary and a description")
    for label in sorted(set(re.findall(r"\$labels\.(\w+)", text)) - labels):
        problem(name, f"tells the label {label}, which is not there")
    documents = re.findall(r"docs/[\w./-]+\.md", text)
    if not documents:
        problem(name, "names no document")
    for document in documents:
        if not (ROOT / document).exists():
            problem(name, f"there is no {document}")


def check_tests(alerts):
    """Each alert fires in a test and has something by which it stays quiet."""
    tests = yaml.safe_load((FOLDER / "wattbook.rules.test.yml").read_text())["tests"]
    for name in alerts:
        mine = [test for test in tests if re.match(rf"{name} (fires|stays quiet|says)", test["name"])]
        fires = any(f'alertname="{name}"' in sample["labels"] for test in mine for it in test.get("promql_expr_test", []) for sample in it["exp_samples"])
        quiet = any("stays quiet" in test["name"] or "; quiet: " in test["name"] for test in mine)
        if not (fires and quiet):
            problem(name, "has no test in which it fires, or none in which it stays quiet")


def check_dashboard(known, texts, metrics):
    """Every panel; what the service records is used, or left out with a reason."""
    dashboard = json.loads((FOLDER / "wattbook-dashboard.json").read_text())
    used, places, ids = set(), {}, [panel["id"] for panel in dashboard["panels"]]
    if len(ids) != len(set(ids)):
        problem("dashboard", "panels share an id")
    for panel in dashboard["panels"]:
        if panel["type"] == "row":
            continue
        place = f"panel {panel['title']!r}"
        check_place(panel["gridPos"], place, places)
        for target in panel["targets"]:
            expression = Expression(target["expr"], place, known, texts)
            used |= expression.used
            for label in sorted(set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) - expression.labels):
                problem(place, f"its legend has the label {label}, which is not there")
    for variable in dashboard["templating"]["list"]:
        queried = re.fullmatch(r"label_values\((\w+), (\w+)\)", (variable.get("query") or {}).get("query", "")) if variable["type"] == "query" else None
        if queried and (queried[1] not in known or queried[2] not in known[queried[1]] | OF_PROMETHEUS):
            problem(f"variable {variable['name']}", f"there is no {queried[1]} by {queried[2]}")
        if variable["type"] == "query" and not queried:
            problem(f"variable {variable['name']}", "is not a query of this kind: label_values(METRIC, LABEL)")
    for metric in metrics.values():
        if metric.name not in LEFT_OUT and not used & metric.series().keys():
            problem(metric.name, "is recorded, and neither on the dashboard nor left out with a reason")
    for name in LEFT_OUT:
        if name not in metrics:
            problem(name, "is left out of the dashboard, and not recorded")
    return used


def check_place(grid, place, places):
    if grid["x"] + grid["w"] > 24:
        problem(place, "is wider than the page")
    for x in range(grid["x"], grid["x"] + grid["w"]):
        for y in range(grid["y"], grid["y"] + grid["h"]):
            if places.setdefault((x, y), place) != place:
                problem(place, f"lies over {places[x, y]}")
                return


def check_document(metrics, alerts):
    """The document has a row for each metric, with its type and labels, and one for each alert with its severity."""
    lines = (ROOT / "docs/MONITORING.md").read_text().splitlines()
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines if line.startswith("| `")]
    told = {row[0].strip("` "): row for row in rows if row[0].strip("` ").startswith("wattbook_")}
    for name in sorted(metrics.keys() | told.keys()):
        if name not in told or name not in metrics:
            problem("docs/MONITORING.md", f"{name} is told or recorded, and not both")
            continue
        labels = set(re.findall(r"`(\w+)`", told[name][2]))
        if told[name][1] != metrics[name].kind or labels != metrics[name].labels:
            problem("docs/MONITORING.md", f"{name} is a {metrics[name].kind} by {sorted(metrics[name].labels)}, and told as {told[name][1:3]}")
    told = {row[0].strip("` "): row[1] for row in rows if row[0].strip("` ").startswith("Wattbook")}
    severities = {name: rule["labels"]["severity"] for name, rule in alerts.items()}
    for name in sorted(severities.keys() | told.keys()):
        if severities.get(name) != told.get(name):
            problem("docs/MONITORING.md", f"{name} is {severities.get(name)}, and told as {told.get(name)}")


def check_itself(known, texts):
    """What is misspelled is found, and nothing else."""
    for text, expected in [
        ('max by (job, feed) (wattbook_feed_up{quantity="price"}) == 0', None),
        ("60 * sum by (outcome) (rate(wattbook_mails_total[$__rate_interval]))", None),
        ("max(wattbook_feed_upp)", "there is no metric wattbook_feed_upp"),
        ("max by (job, feeds) (wattbook_feed_up)", "the label feeds is not there"),
        ('wattbook_feed_up{quantitty="price"}', "has no label quantitty"),
        ('wattbook_mails_total{outcome="gave_up"}', "the source has no 'gave_up'"),
        ("histogram_quantile(0.9, sum(rate(wattbook_plan_duration_seconds_bucket[5m])))", "the label le is not there"),
        ("max(wattbook_mails_waiting", "cannot be read"),
    ]:
        Expression(text, "check_itself", known, texts)
        found = [it for it in problems if expected is not None and expected in it]
        assert len(problems) == len(found) == (expected is not None), (text, problems)
        problems.clear()


def main():
    metrics, _ = of_source()
    texts = words()
    known = {name: labels for metric in metrics.values() for name, labels in metric.series().items()} | FOREIGN
    check_itself(known, texts)
    if len(metrics) < 50:
        problem("api/src", f"only {len(metrics)} metrics were found")
    on_dashboard = dict(known)
    alerts = check_rules(known, texts)
    check_tests(alerts)
    # The dashboard works without the rules.
    used = check_dashboard(on_dashboard, texts, metrics)
    check_document(metrics, alerts)
    if problems:
        print("\n".join(problems))
        sys.exit(1)
    print(f"{len(alerts)} alerts, and {len(used)} series on the dashboard, are of the {len(metrics)} metrics that the source records; all of these are used and told")


if __name__ == "__main__":
    main()
