"""Whether locked versions of dependencies are known to be vulnerable or were taken back, and how far they are behind.

    .ci/advisories_check.py                   what the repository locks
    .ci/advisories_check.py --lock FILE       another Cargo.lock, and nothing else
    .ci/advisories_check.py --check-itself    shows that it fails where it must

It fails where a version that is built is vulnerable or was taken back. `ignore` of [advisories] in deny.toml names
advisories that are accepted. How far versions are behind never fails: it is told.
"""

import contextlib
import datetime
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

# No folder of compiled modules in the repository.
sys.dont_write_bytecode = True

import advisories_registries as registries
from advisories_registries import OutOfReach, Release

ROOT = pathlib.Path(__file__).resolve().parent.parent
OPERATORS = {
    ">=": lambda one, two: one >= two,
    "<=": lambda one, two: one <= two,
    ">": lambda one, two: one > two,
    "<": lambda one, two: one < two,
    "=": lambda one, two: one == two,
}


# Versions


def key(version):
    """What versions are ordered by: their numbers, and what stands before a release."""
    numbers, _, rest = version.partition("+")[0].partition("-")
    parts = [int(part) if part.isdigit() else 0 for part in numbers.split(".")]
    before = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in rest.split(".")] if rest else []
    return (tuple((parts + [0, 0, 0])[: max(3, len(parts))]), not before, tuple(before))


def final(version):
    """Whether a version is no preview."""
    return re.fullmatch(r"\d+(\.\d+)*(\+.*)?", version) is not None


def line(version):
    """What versions share that may stand for each other: all up to the first number that is not zero."""
    numbers = key(version)[0]
    for at, number in enumerate(numbers):
        if number:
            return numbers[: at + 1]
    return numbers


def fits(version, requirement):
    """Whether a version fits all parts of a requirement of an advisory, such as `>= 1.2, < 2`."""
    for part in requirement.split(","):
        operator, bound = re.fullmatch(r"\s*(>=|<=|>|<|=|\^|~)?\s*(\S+)\s*", part).groups()
        if operator in ("^", "~", None):
            same = line(version) == line(bound) if operator != "~" else key(version)[0][:2] == key(bound)[0][:2]
            if not (same and key(version) >= key(bound)):
                return False
        elif not OPERATORS[operator](key(version), key(bound)):
            return False
    return True


def affected(advisory, version):
    """Whether a version has what an advisory tells."""
    return not any(fits(version, one) for one in [*advisory.get("patched", []), *advisory.get("unaffected", [])])


# Lists of advisories


def kept_list(file):
    """The advisories that the repository keeps, how many crates they are about, and until when they go."""
    document = tomllib.loads(file.read_text())
    return document["advisory"], len(document["looked_up"]), document["newest"]


def whole_list(folder):
    """The advisories of a copy of RustSec's list, and the date of the newest."""
    advisories = []
    for file in sorted(pathlib.Path(folder).glob("crates/*/RUSTSEC-*.md")):
        block = re.match(r"\s*```toml\n(.*?)\n```", file.read_text(), flags=re.S)
        document = tomllib.loads(block.group(1))
        one = document["advisory"]
        # Crates that nobody maintains are no vulnerabilities.
        if "withdrawn" not in one and one.get("informational") in (None, "unsound"):
            advisories.append({**one, **document.get("versions", {})})
    if not advisories:
        raise SystemExit(f"WATTBOOK_ADVISORIES: no advisories are in {folder}/crates")
    return advisories, max(registries.day(str(one["date"])) for one in advisories)


def by_package(advisories, accepted):
    """Advisories of each package, without those that are accepted."""
    found = {}
    for one in advisories:
        if one["id"] not in accepted:
            found.setdefault(one["package"], []).append(one)
    return found


def accepted_ids(file):
    """Advisories that the settings of cargo-deny accept."""
    ignored = tomllib.loads(file.read_text()).get("advisories", {}).get("ignore", [])
    return {one if isinstance(one, str) else one.get("id") for one in ignored}


# What is locked


def locked_crates(file):
    """Name and version of each crate from a registry."""
    packages = tomllib.loads(file.read_text())["package"]
    return sorted((one["name"], one["version"]) for one in packages if one.get("source", "").startswith("registry+"))


def built_crates(file):
    """The crates that some feature on some platform builds; None where cargo cannot say it."""
    if not (file.parent / "Cargo.toml").exists():
        return None
    tree = "tree --locked --workspace --all-features --target all --edges all --prefix none --format".split()
    try:
        done = subprocess.run(["cargo", *tree, "{p}"], cwd=file.parent, capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return set(re.findall(r"^(\S+) v(\S+)", done.stdout, flags=re.M)) if done.returncode == 0 else None


def locked_npm(file):
    """Name and version of each npm package."""
    packages = json.loads(file.read_text())["packages"]
    return sorted({(path.rpartition("node_modules/")[2], one["version"]) for path, one in packages.items() if path})


def locked_python(files, project):
    """Name and version of each Python package that scripts install, and what the project needs that none of them names."""
    text = " ".join(file.read_text() for file in files)
    locked = {name.lower(): version for name, version in re.findall(r"([A-Za-z][\w-]*)==([\w.]+)", text)}
    settings = tomllib.loads(project.read_text())["project"]
    needs = [*settings["dependencies"], *sum(settings.get("optional-dependencies", {}).values(), [])]
    names = {re.match(r"[\w-]+", one).group().lower() for one in needs}
    return locked, sorted(names - set(locked))


# What is told


class Findings:
    """What fails the check, and how each ecosystem's part of it is told."""

    def __init__(self):
        self.failures = []

    def judge(self, kind, locked, known, advisories=None, built=None, removed_fails=False):
        """Compares what is locked with the releases that a registry knows."""
        behind, current, unknown = [], 0, []
        for name, version in locked:
            releases = {key(one.version): one for one in known.get(name, [])}
            here = releases.get(key(version))
            # A registry that knows nothing newer is a copy that is behind.
            removed = removed_fails and any(one > key(version) for one in releases)
            for fault in faults(name, version, here, removed, (advisories or {}).get(name, [])):
                if built is None or (name, version) in built:
                    self.failures.append(f"{kind}: {name} {version} {fault}")
                else:
                    print(f"  not built, so no failure: {name} {version} {fault}")
            if here is None:
                unknown.append(f"{name} {version}")
            elif told := distance(here, list(releases.values())):
                behind.append(f"  {name} {told}")
            else:
                current += 1
        if behind:
            print("\n".join(behind))
        print(f"  the newest and not taken back: {current} of {len(locked)}; behind: {len(behind)}")
        if unknown:
            print(f"  the registry tells nothing of {', '.join(unknown)}")


def faults(name, version, release, removed, advisories):
    """What is wrong with a version."""
    if release is None and removed:
        yield "was removed from its registry"
    if release is not None and release.taken_back is not None:
        yield f"was taken back (yanked){': ' if release.taken_back else ''}{release.taken_back}"
    if release is not None and release.vulnerable:
        yield f"is vulnerable: {release.vulnerable}"
    for one in advisories:
        if affected(one, version):
            yield f"has {one['id']}; patched: {' or '.join(one.get('patched', [])) or 'in no version'}"


def distance(here, releases):
    """How far a version is behind the newest that may take its place, and the newest of all; nothing where it is that."""
    usable = [one for one in releases if final(one.version) and one.taken_back is None]
    newer = sorted((one for one in usable if key(one.version) > key(here.version)), key=lambda one: key(one.version))
    if not newer:
        return ""
    told = [f"{here.version}{f' of {here.date}' if here.date else ''}"]
    compatible = [one for one in newer if line(one.version) == line(here.version)]
    if compatible:
        days = (compatible[-1].date - here.date).days if compatible[-1].date and here.date else None
        later = f", {days} days" if days is not None and days >= 0 else ""
        told.append(f"newest compatible {compatible[-1].version} (releases: {len(compatible)}{later})")
    if newer[-1] not in compatible:
        told.append(f"newest {newer[-1].version}{f' of {newer[-1].date}' if newer[-1].date else ''}")
    return "; ".join(told)


def ages(known):
    """The date of the newest release that was seen, and how old it is."""
    dates = [one.date for releases in known.values() for one in releases if one.date]
    if not dates:
        return "no dates are told"
    return f"the newest release seen is of {max(dates)}, {(datetime.date.today() - max(dates)).days} days ago"


def check_crates(findings, file, whole=False):
    advisories, crates, newest = kept_list(ROOT / ".ci/advisories.toml")
    today = datetime.date.today()
    print(f"\nCrates, and {len(advisories)} advisories of {crates} crates up to {newest}, {(today - newest).days} days ago:")
    if folder := os.environ.get("WATTBOOK_ADVISORIES"):
        advisories, newest = whole_list(folder)
        print(f"  {len(advisories)} advisories of {folder} instead, the newest of {newest}, {(today - newest).days} days ago")
    locked = locked_crates(file)
    built = built_crates(file) if whole else None
    if whole and built is None:
        print("  cargo does not say what is built, so that everything that is locked counts")
    try:
        known, read = registries.crates(sorted({name for name, _ in locked}))
        print(f"  {ages(known)}{f'; read by cargo, some of it on {read}' if read else ''}")
    except OutOfReach as error:
        known = {}
        print(f"  NOT CHECKED with the registry, which is out of reach: {error}")
    findings.judge("crates", locked, known, by_package(advisories, accepted_ids(ROOT / "deny.toml")), built)


def check_npm(findings):
    print("\nnpm packages:")
    locked = locked_npm(ROOT / "frontend/package-lock.json")
    audit = registries.npm_audit(ROOT / "frontend")
    if audit is None:
        print("  NOT CHECKED by npm audit, which this registry does not answer; words of deprecation and removals count instead")
    else:
        print("  npm audit was answered now")
        findings.failures += [f"npm: {name} is vulnerable: {said}" for name, said in sorted(audit.items())]
    try:
        known = registries.npm(sorted({name for name, _ in locked}))
    except OutOfReach as error:
        print(f"  NOT CHECKED with the registry, which is out of reach: {error}")
        return
    print(f"  {ages(known)}")
    for name, version in locked:
        for one in known.get(name, []):
            if one.version == version and one.remark and not one.vulnerable:
                print(f"  deprecated: {name} {version}: {one.remark}")
    findings.judge("npm", locked, known, removed_fails=True)


def check_python(findings):
    print("\nPython packages:")
    locked, missing = locked_python([ROOT / ".ci/python", ROOT / ".ci/peers"], ROOT / "api/python/pyproject.toml")
    if missing:
        print(f"  .ci/python installs none of {', '.join(missing)}, which the package needs")
    try:
        known, silent = registries.python(locked)
    except OutOfReach as error:
        print(f"  NOT CHECKED with the registry, which is out of reach: {error}")
        return
    print(f"  {ages(known)}")
    if silent:
        print(f"  NOT CHECKED for vulnerabilities, of which the registry tells nothing: {', '.join(sorted(silent))}")
    findings.judge("Python", sorted(locked.items()), known)


# The check of the check


def check_itself():
    """What must fail fails, and nothing else, with made-up releases and with one that the registry really took back."""
    assert key("1.2.3") < key("1.2.10") < key("1.3.0-alpha.2") < key("1.3.0-alpha.10") < key("1.3.0") == key("1.3.0+build")
    assert fits("0.103.12", ">= 0.103.12, < 0.104.0-alpha.1") and not fits("0.103.11", ">= 0.103.12")
    assert fits("1.4.0", "^1.2") and not fits("2.0.0", "^1.2") and fits("1.2.9", "~1.2.3") and not fits("1.3.0", "~1.2.3")
    advisory = {"id": "RUSTSEC-0000-0000", "package": "leaky", "patched": [">= 1.2"], "unaffected": ["< 1.1"]}
    assert [affected(advisory, version) for version in ("1.0.9", "1.1.0", "1.1.9", "1.2.0")] == [False, True, True, False]
    date = datetime.date(2026, 1, 1)
    known = {
        "old": [Release("1.0.0", date), Release("1.1.0", date + datetime.timedelta(9)), Release("2.0.0", date)],
        "taken": [Release("1.0.0", date, ""), Release("1.0.1", date)],
        "leaky": [Release("1.1.0", date), Release("1.2.0", date)],
        "removed": [Release("0.9.0", date), Release("1.0.1", date)],
        "lags": [Release("0.9.0", date)],
        "told": [Release("3.0.0", date, vulnerable="CVE-0000-0000")],
    }
    locked = [("lags", "1.0.0"), ("leaky", "1.1.0"), ("old", "1.0.0"), ("removed", "1.0.0"), ("taken", "1.0.0"), ("told", "3.0.0")]
    for built, expected in ((None, ["leaky", "removed", "taken", "told"]), ({("leaky", "1.1.0")}, ["leaky"])):
        findings = Findings()
        findings.judge("made up", locked, known, by_package([advisory], set()), built, removed_fails=True)
        assert [failure.split()[2] for failure in findings.failures] == expected, findings.failures
    findings = Findings()
    findings.judge("made up", locked[:2], known, by_package([advisory], {advisory["id"]}))
    assert not findings.failures, findings.failures
    assert distance(known["old"][0], known["old"]) == (
        "1.0.0 of 2026-01-01; newest compatible 1.1.0 (releases: 1, 9 days); newest 2.0.0 of 2026-01-01"
    )
    kept_list(ROOT / ".ci/advisories.toml")
    deprecated = {"versions": {"1.0.0": {"deprecated": "It has a vulnerability"}, "1.0.1": {"deprecated": "Use another"}}, "time": {}}
    assert [one.vulnerable for one in registries.npm_releases(deprecated)] == ["It has a vulnerability", None]
    files = [{"filename": "a_b-1.0.tar.gz", "yanked": "broken"}, {"filename": "a_b-1.1-py3-none-any.whl", "yanked": False}]
    taken = registries.python_releases({"versions": ["1.0", "1.1"], "files": files}, {"1.1": "PYSEC-0000"})
    assert [(one.taken_back, one.vulnerable) for one in taken] == [("broken", None), (None, "PYSEC-0000")]
    with tempfile.TemporaryDirectory() as folder:
        lists = pathlib.Path(folder, "crates/leaky")
        lists.mkdir(parents=True)
        text = '```toml\n[advisory]\nid = "RUSTSEC-0000-0000"\npackage = "leaky"\ndate = "2026-01-02"\n[versions]\npatched = [">= 1.2"]\n```\n'
        (lists / "RUSTSEC-0000-0000.md").write_text(text)
        advisories, newest = whole_list(folder)
        assert affected(advisories[0], "1.1.0") and newest == datetime.date(2026, 1, 2)
    return check_with_registry()


def check_with_registry():
    """A folder with a lock of a version that was really taken back, and one of a vulnerable version, fail the whole script."""
    lock = '[[package]]\nname = "{}"\nversion = "{}"\nsource = "registry+made up"\n'
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "Cargo.lock")

        def outcome(name, version):
            file.write_text(lock.format(name, version))
            done = subprocess.run([sys.executable, __file__, "--lock", file], capture_output=True, text=True)
            return done.returncode, done.stdout

        code, text = outcome("rustls", "0.23.44")
        assert code == 1 and "rustls 0.23.44 has RUSTSEC-2026-0285" in text, text
        for name in ("futures-util", "crossbeam-epoch", "tokio", "rustls"):
            try:
                known, _ = registries.crates([name])
            except OutOfReach as error:
                return f"the check fails where it must; left out: a version that was really taken back ({error})"
            taken = next((one.version for one in known.get(name, []) if one.taken_back is not None), None)
            if taken:
                code, text = outcome(name, taken)
                assert code == 1 and f"{name} {taken} was taken back" in text, text
                return f"the check fails where it must, also for {name} {taken}, which was taken back"
    return "the check fails where it must; left out: no version was found that was really taken back"


def main(arguments):
    if arguments == ["--check-itself"]:
        with contextlib.redirect_stdout(io.StringIO()):
            told = check_itself()
        print(told)
        return 0
    findings = Findings()
    if arguments[:1] == ["--lock"]:
        check_crates(findings, pathlib.Path(arguments[1]))
    else:
        check_crates(findings, ROOT / "Cargo.lock", whole=True)
        check_npm(findings)
        check_python(findings)
    print()
    for failure in findings.failures:
        print(f"FAILED {failure}")
    if not findings.failures:
        print("no locked version that is built is known to be vulnerable or was taken back")
    return 1 if findings.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
