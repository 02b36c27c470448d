"""Which metrics the service has: as the source records them, and as a running service serves them."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "api/src"
# Prometheus adds these to everything that it reads.
OF_PROMETHEUS = {"job", "instance"}


class Metric:
    """A metric: its name, its type as Prometheus has it, and its labels."""

    def __init__(self, name, kind, labels):
        self.name, self.kind, self.labels = name, kind, frozenset(labels)

    def series(self):
        """The names of its series, and the labels of each."""
        if self.kind == "histogram":
            return {f"{self.name}_bucket": self.labels | {"le"}, f"{self.name}_sum": self.labels, f"{self.name}_count": self.labels}
        if self.kind == "summary":
            return {self.name: self.labels | {"quantile"}, f"{self.name}_sum": self.labels, f"{self.name}_count": self.labels}
        return {self.name: self.labels}


def balanced(text, start):
    """What stands between the parenthesis at `start` and its end."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start + 1 : at]
    raise ValueError(f"no end of {text[start : start + 80]!r}")


def recorded_labels(arguments, before, place):
    """The labels of a call of counter!, gauge! or histogram!, from its arguments after the name."""
    found = re.findall(r'"(\w+)"\s*=>', arguments) or re.findall(r'\(\s*"(\w+)",', arguments)
    named = re.search(r"&(\w+)", arguments)
    if not found and named:
        bound = list(re.finditer(rf"let\s+{named[1]}\s*=\s*(?:\|\|\s*)?\[(.*?)\];", before, flags=re.S))
        found = re.findall(r'\(\s*"(\w+)",', bound[-1][1]) if bound else []
    if not found and arguments.strip(" ,\n"):
        raise SystemExit(f"{place}: cannot tell the labels of {arguments.strip()!r}")
    return set(found)


def of_source():
    """Every metric that the source records or writes, by name; and the names that it describes."""
    metrics, described = {}, set()
    with_buckets = set(re.findall(r'Matcher::Full\(\s*"(\w+)"', (SOURCE / "recorder.rs").read_text()))

    def add(name, kind, labels, place):
        metric = Metric(name, kind, labels)
        before = metrics.setdefault(name, metric)
        if (before.kind, before.labels) != (metric.kind, metric.labels):
            raise SystemExit(f"{place}: {name} has another type or other labels elsewhere")

    for path in sorted(SOURCE.rglob("*.rs")):
        text = re.sub(r"(?m)^\s*//.*$", "", path.read_text())
        place = path.relative_to(ROOT)
        described |= set(re.findall(r'describe_\w+!\(\s*"(\w+)"', text))
        for call in re.finditer(r"(?<!\w)(counter|gauge|histogram)!\(", text):
            arguments = balanced(text, call.end() - 1)
            name = re.match(r'\s*"(\w+)"', arguments)
            if not name:
                raise SystemExit(f"{place}: the name of a metric is no text: {arguments!r}")
            kind = call[1]
            if kind == "histogram" and name[1] not in with_buckets:
                kind = "summary"
            add(name[1], kind, recorded_labels(arguments[name.end() :], text[: call.start()], place), place)
    for metric in written():
        add(metric.name, metric.kind, metric.labels, "api/src/http/metrics/gauges.rs")
        described.add(metric.name)
    if described - metrics.keys():
        raise SystemExit(f"described, and never recorded: {sorted(described - metrics.keys())}")
    if metrics.keys() - described:
        raise SystemExit(f"recorded, and never described: {sorted(metrics.keys() - described)}")
    return metrics, described


def written():
    """The gauges that are read when somebody asks, which are written as text beside the recorder."""
    path = SOURCE / "http/metrics/gauges.rs"
    text = re.sub(r"(?m)^\s*//.*$", "", path.read_text())
    gauges = re.findall(r'Gauge::new\(\s*"(\w+)",\s*\[(.*?)\],\s*"[^"]+"', text, flags=re.S)
    if not gauges or len(gauges) != text.count("Gauge::new("):
        raise SystemExit(f"{path.relative_to(ROOT)}: the gauges are not written as this program knows it")
    return [Metric(name, "gauge", re.findall(r'"(\w+)"', labels)) for name, labels in gauges]


def words():
    """Every text of the source that may be a label's value."""
    texts = [path.read_text() for folder in ("api/src", "planner/src", "api/storage/src") for path in (ROOT / folder).rglob("*.rs")]
    return {word for text in texts for word in re.findall(r'"([\w-]+)"', text)}


def of_text(text):
    """What a service serves: type by name, and by series its labels."""
    types = dict(re.findall(r"(?m)^# TYPE (\w+) (\w+)$", text))
    series = {}
    for name, labels in re.findall(r"(?m)^(\w+)(?:\{(.*)\})? \S+$", text):
        series.setdefault(name, set()).update(re.findall(r'(\w+)="', labels))
    return types, series


def compare(text, metrics):
    """What of a service's answer is not as the source has it."""
    types, series = of_text(text)
    known = {name: labels for metric in metrics.values() for name, labels in metric.series().items()}
    for name, kind in types.items():
        if name not in metrics:
            yield f"/metrics has {name}, which the source does not record"
        elif metrics[name].kind != kind:
            yield f"/metrics has {name} as a {kind}; by the source it is a {metrics[name].kind}"
    for name, labels in series.items():
        if name in known and labels != known[name]:
            yield f"/metrics has {name} by {sorted(labels)}; by the source it is by {sorted(known[name])}"
        if name not in known and name not in types:
            yield f"/metrics has the series {name}, which the source does not record"
