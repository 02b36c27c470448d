"""What registries say of the releases of packages: crates, npm packages and Python packages.

The address of each registry is that of its ordinary client on this machine. Where the registry of crates is out of
reach, what cargo read of it earlier is used.
"""

import concurrent.futures
import dataclasses
import datetime
import http.client
import json
import os
import pathlib
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

AT_ONCE = 8
TIMEOUT_S = 60
# Before what failed is tried again.
PAUSE_S = 1


class OutOfReach(Exception):
    """A registry does not answer, or its client does not say where it is."""


@dataclasses.dataclass
class Release:
    """A version of a package, as its registry has it now."""

    version: str
    date: datetime.date | None = None
    # Said by who takes it back: an empty text where they do not say why.
    taken_back: str | None = None
    vulnerable: str | None = None
    remark: str | None = None


def day(text):
    """The date of a time in RFC 3339."""
    return datetime.date.fromisoformat(text[:10]) if text else None


def fetch(address, accept="application/json"):
    """What is at an address; None where there is nothing."""
    request = urllib.request.Request(address, headers={"Accept": accept, "User-Agent": "wattbook-advisories"})
    for again in (True, True, False):
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            if error.code in (404, 410, 451):
                return None
            if not again or error.code < 429:
                raise OutOfReach(f"{error.code} {error.reason}") from error
        except (OSError, http.client.HTTPException) as error:
            if not again:
                raise OutOfReach(str(error)) from error
        time.sleep(PAUSE_S)


def said(*command):
    """What a program prints, in one line; nothing where it is not there or fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def of_each(names, releases):
    """The releases of each name, several at a time."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(names, pool.map(releases, names)))


# Crates


def cargo_folder():
    """Where cargo keeps what it read of the registry, which is named by the registry's host."""
    home = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
    for folder in sorted(home.glob("registry/index/*")):
        if (folder / "config.json").exists() and (folder / ".cache").is_dir():
            return folder
    return None


def read_json(text):
    """What a registry said; one that answers otherwise, as older ones and portals do, is out of reach."""
    try:
        return json.loads(text)
    except ValueError as error:
        raise OutOfReach("it answers what is no JSON") from error


def index_path(name):
    """Where the index has a crate."""
    name = name.lower()
    folder = {1: "1", 2: "2", 3: f"3/{name[:1]}"}.get(len(name), f"{name[:2]}/{name[2:4]}")
    return f"{folder}/{name}"


def crate_releases(lines):
    """Releases of a crate, from the lines that the index has of it."""
    read = [read_json(line) for line in lines if line.strip()]
    return [Release(one["vers"], day(one.get("pubtime")), "" if one["yanked"] else None) for one in read]


def crates(names):
    """Releases of crates, and since when that is known: None where the registry says it now."""
    folder = cargo_folder()
    address = os.environ.get("WATTBOOK_CRATES_INDEX")
    if not address and folder:
        address = f"https://{folder.name.rpartition('-')[0]}"
    if address:
        try:
            return of_each(
                names,
                lambda name: crate_releases((fetch(f"{address.rstrip('/')}/{index_path(name)}") or b"").decode().split("\n")),
            ), None
        except OutOfReach as error:
            if not folder:
                raise
            print(f"  the registry of crates is out of reach ({error}); what cargo read of it earlier is used")
    if not folder:
        raise OutOfReach("cargo has not read it on this machine")
    return kept_crates(folder, names)


def kept_crates(folder, names):
    """Releases of crates as cargo read them, and when it read the one that it read first."""
    found, oldest = {}, None
    for name in names:
        file = folder / ".cache" / index_path(name)
        if not file.exists():
            continue
        # Versions and their lines, with a byte of zero after each.
        parts = file.read_bytes().split(b"\0")
        found[name] = crate_releases(part.decode() for part in parts if part.startswith(b"{"))
        read = datetime.date.fromtimestamp(file.stat().st_mtime)
        oldest = min(oldest or read, read)
    return found, oldest


# npm packages


def npm_releases(document):
    """Releases of an npm package. One that is vulnerable is deprecated with a word of it; one that harms is removed."""
    times = document.get("time", {})
    releases = []
    for version, one in document.get("versions", {}).items():
        remark = one.get("deprecated") or None
        vulnerable = remark if re.search(r"vulnerab|CVE-|GHSA-|malicious|malware", str(remark), re.I) else None
        releases.append(Release(version, day(times.get(version)), vulnerable=vulnerable, remark=remark))
    return releases


def npm(names):
    """Releases of npm packages."""
    address = said("npm", "config", "get", "registry")
    if not address.startswith("http"):
        raise OutOfReach("npm is not there")

    def releases(name):
        answer = fetch(f"{address.rstrip('/')}/{urllib.parse.quote(name, safe='@')}")
        return npm_releases(read_json(answer)) if answer else []

    return of_each(names, releases)


def npm_audit(folder):
    """Vulnerable packages as npm's registry tells them, and what it says of each; None where it answers no audits."""
    try:
        done = subprocess.run(
            ["npm", "audit", "--package-lock-only", "--json"], cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S
        )
        answer = read_json(done.stdout)
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return None
    if "vulnerabilities" not in answer:
        return None
    found = {}
    for name, one in answer["vulnerabilities"].items():
        titles = [via["title"] for via in one["via"] if isinstance(via, dict)]
        if titles:
            found[name] = f"{one['severity']}: {'; '.join(titles)}"
    return found


# Python packages


def python_index():
    """The address of the index that pip reads."""
    address = os.environ.get("PIP_INDEX_URL") or said("python3", "-m", "pip", "config", "get", "global.index-url")
    return address or said("python3", "-c", "from pip._internal.models.index import PyPI; print(PyPI.simple_url)")


def python_releases(document, known):
    """Releases of a Python package, from the index and from what it says of vulnerabilities."""
    releases = []
    for version in document.get("versions", []):
        named = re.compile(rf"-{re.escape(version)}(-|\.tar|\.zip|\.whl)")
        there = [file for file in document.get("files", []) if named.search(file["filename"])]
        reasons = [file.get("yanked") for file in there]
        taken_back = None
        if there and all(reason not in (None, False) for reason in reasons):
            taken_back = reasons[0] if isinstance(reasons[0], str) else ""
        dates = [day(file.get("upload-time")) for file in there if file.get("upload-time")]
        releases.append(Release(version, min(dates, default=None), taken_back, known.get(version)))
    return releases


def python(locked):
    """Releases of Python packages, by the version that is locked of each, and of which nothing is said about vulnerabilities."""
    address = python_index()
    if not address.startswith("http"):
        raise OutOfReach("pip is not there")
    simple = address.rstrip("/")
    api = f"{simple.removesuffix('/simple')}/pypi"
    silent = set()

    def vulnerabilities(name, version):
        """Said of the version that is locked, or of the newest where that is the same."""
        for path in (f"{name}/{version}", name):
            answer = fetch(f"{api}/{path}/json")
            document = read_json(answer) if answer else {}
            if document.get("info", {}).get("version") == version and "vulnerabilities" in document:
                ids = [one["id"] for one in document["vulnerabilities"] if not one.get("withdrawn")]
                return {version: ", ".join(ids)} if ids else {}
        silent.add(name)
        return {}

    def releases(name):
        answer = fetch(f"{simple}/{name}/", "application/vnd.pypi.simple.v1+json")
        return python_releases(read_json(answer), vulnerabilities(name, locked[name])) if answer else []

    return of_each(list(locked), releases), silent
