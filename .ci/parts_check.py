"""Plays sweeps and experiments in parts, and compares what comes of them with what one machine writes.

    parts_check.py BINARY    the program, with the feature s3
"""

import logging
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import boto3
import kubernetes_validate
import yaml
from moto.server import ThreadedMotoServer

BINARY = pathlib.Path(sys.argv[1])
SECRET = "a-secret-that-nobody-may-see"
SWEEP = """
seeds = [1, 2, 3, 4, 5]
tables = true
[[workloads]]
file = "trace.swf"
machines = 3
[[workloads]]
model = "simbatch"
jobs = 3000
machines = 24
[[policies]]
policy = ["easy", "conservative", "sjf"]
options.launch_s = [0, 1, 2, 3]
"""
TRACE = "".join(f"{job} {99 + job} -1 {job % 7 + 1} {job % 3 + 1} -1 -1 {job % 3 + 1} 10 -1 1\n" for job in range(1, 400))
EXPERIMENT = '[parameters]\nnodes = 5000\nrequests = 40\nruns = 12\n[vary]\nslot_s = [900, 3600]\n'
# 1 trace and 5 drawn workloads under 3 * 4 policies.
INSTANCES = 72


class Site:
    """A folder of inputs, and a bucket."""

    def __init__(self, folder, endpoint):
        self.folder = folder
        self.store = {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "eu-west-1",
            "AWS_ACCESS_KEY_ID": "somebody",
            "AWS_SECRET_ACCESS_KEY": SECRET,
        }
        self.client = boto3.client(
            "s3", endpoint_url=endpoint, region_name="eu-west-1", aws_access_key_id="somebody", aws_secret_access_key=SECRET
        )
        self.client.create_bucket(Bucket="sweeps", CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})

    def begin(self, words, environment=None, folder=None):
        """A process of the program; words are those of a command line."""
        environment = {"PATH": str(BINARY.parent), **(self.store if environment is None else environment)}
        words = shlex.split(words) if isinstance(words, str) else words
        where = self.folder if folder is None else folder
        program = shutil.which(words[0], path=environment["PATH"]) or words[0]
        return subprocess.Popen(
            [program, *words[1:]], cwd=where, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def end(self, process, status=0):
        """What it printed and said, which tells no secret."""
        out, said = process.communicate()
        assert process.returncode == status, f"{process.args}: {process.returncode}\n{said}"
        assert SECRET not in out + said, said
        return out, said

    def run(self, words, status=0, **rest):
        return self.end(self.begin(words, **rest), status)

    def keys(self, prefix):
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket="sweeps", Prefix=f"{prefix}/")
        return [item["Key"] for page in pages for item in page.get("Contents", [])]

    def read(self, key):
        return self.client.get_object(Bucket="sweeps", Key=key)["Body"].read()

    def stored(self, prefix):
        """Every file in the store but those that tell of time, by name."""
        names = {key.removeprefix(f"{prefix}/"): key for key in self.keys(prefix)}
        return {name: self.read(key) for name, key in names.items() if not name.startswith("timing")}

    def local(self, name):
        """The same of a folder."""
        root = self.folder / name
        files = [path for path in root.rglob("*") if path.is_file() and not path.name.startswith("timing")]
        return {str(path.relative_to(root)): path.read_bytes() for path in files}


def same(one, other):
    assert one.keys() == other.keys(), one.keys() ^ other.keys()
    differing = [name for name in one if one[name] != other[name]]
    assert not differing, f"differ: {differing}"
    return len(one)


def through_a_store(site):
    sweep = "wattbook batch sweep sweep.toml"
    whole = site.local("whole")
    parts = [f"{sweep} --out s3://sweeps/a/parts --threads 1 --part {part}/4" for part in (1, 2, 3, 4)]
    began = time.monotonic()
    site.run(f"{sweep} --out s3://sweeps/a/alone --threads 1 --part 3/4")
    half = (time.monotonic() - began) / 2
    # Two at a time; the fourth is killed before it has sent anything, and the third is interrupted.
    processes = [site.begin(parts[0]), site.begin(parts[1])]
    killed = site.begin(parts[3])
    time.sleep(0.3)
    killed.kill()
    killed.wait()
    for process in processes:
        site.end(process)
    interrupted = site.begin(parts[2])
    time.sleep(half)
    interrupted.send_signal(signal.SIGTERM)
    said = interrupted.communicate()[1]
    print(f"  the third, interrupted after {half:.1f} s: {said.strip()}")
    finished = site.read("a/parts/unfinished-3-of-4.jsonl").count(b"\n") - 1
    assert interrupted.returncode == 1 and 0 < finished < 18, (interrupted.returncode, finished)
    _, said = site.run(parts[2])
    assert "part 3/4 is played; once all are, the same command without --part" in said, said
    # One that is there is left as it is.
    etag = site.client.head_object(Bucket="sweeps", Key="a/parts/unfinished-1-of-4.jsonl")["ETag"]
    site.run(parts[0])
    assert etag == site.client.head_object(Bucket="sweeps", Key="a/parts/unfinished-1-of-4.jsonl")["ETag"]
    # The second is damaged in the middle: what stands before that is kept, and it is played again alone.
    key = "a/parts/unfinished-2-of-4.jsonl"
    journal = site.read(key)
    half = journal[: len(journal) // 2]
    site.client.put_object(Bucket="sweeps", Key=key, Body=half)
    site.run(parts[1])
    assert sorted(site.read(key).splitlines()) == sorted(journal.splitlines())
    site.client.put_object(Bucket="sweeps", Key=key, Body=half)
    left = 18 - half.count(b"\n") + 1
    _, said = site.run(f"{sweep} --out s3://sweeps/a/parts")
    print("  " + said.strip().replace("\n", "\n  ")[:600])
    assert f"part 2/4 has finished {18 - left} of 18; the others are played now" in said, said
    assert "part 4/4 has finished 0 of 18; the others are played now" in said, said
    timing = site.read("a/parts/timing.json").decode()
    assert f'"instances_played": {18 + left}' in timing, timing
    count = same(whole, site.stored("a/parts"))
    print(f"  {count} files of {INSTANCES} instances in a store equal those in a folder")
    # What is finished stays.
    _, said = site.run(parts[0], status=2)
    assert "--out s3://sweeps/a/parts: there are results in it (results.csv)" in said, said
    site.run(f"{sweep} --out s3://sweeps/a/parts --force")
    same(whole, site.stored("a/parts"))
    _, said = site.run(f"{sweep} --out s3://nobodys/parts", status=1)
    assert "cannot list s3://nobodys/parts" in said or "cannot read s3://nobodys/parts" in said, said
    _, said = site.run(f"{sweep} --out s3://sweeps", status=2)
    assert "must be s3://BUCKET/PREFIX" in said, said


def experiment_through_a_store(site):
    command = "wattbook simulate experiment month.toml"
    site.run(f"{command} --out month")
    for part in ("2/2", "1/2"):
        site.run(f"{command} --out s3://sweeps/month --part {part}")
    site.run(f"{command} --out s3://sweeps/month")
    print(f"  {same(site.local('month'), site.stored('month'))} files of an experiment, too")


def validated(text):
    """The documents of a manifest, which obey the schemas."""
    documents = list(yaml.safe_load_all(text))
    for document in documents:
        for version in ("1.33", kubernetes_validate.latest_version()):
            kubernetes_validate.validate(document, version, strict=True)
    # A check that finds nothing wrong with anything would say nothing.
    documents[-1]["spec"]["completion"] = 1
    try:
        kubernetes_validate.validate(documents[-1], "1.33", strict=True)
    except kubernetes_validate.ValidationError:
        del documents[-1]["spec"]["completion"]
        return documents
    sys.exit("the schemas take a field that there is not")


def expanded(word, environment):
    """A word of a command as Kubernetes puts variables in."""
    return re.sub(
        r"\$\$|\$\((\w+)\)", lambda it: "$" if it.group(0) == "$$" else environment.get(it.group(1), it.group(0)), word
    )


def as_pods(site, documents, secret):
    """Plays the job of a manifest where nothing is but what pods have: from the last index to the first, one of which is killed
    and tried again."""
    job = documents[-1]["spec"]
    pod = job["template"]["spec"]
    (container,) = pod["containers"]
    data = documents[0]["data"] if len(documents) > 1 else {}
    assert ("envFrom" in container) == bool(secret)
    away = site.folder.with_name("away")
    site.folder.rename(away)
    os.makedirs(container["workingDir"], exist_ok=True)
    for mount in container.get("volumeMounts", []):
        if mount["name"] == "files":
            path = pathlib.Path(mount["mountPath"])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(data[mount["subPath"]])
    for index in reversed(range(job["completions"])):
        environment = {"JOB_COMPLETION_INDEX": str(index)}
        command = [expanded(word, environment) for word in container["command"]]
        environment |= secret
        if index == 1:
            killed = site.begin(command, environment=environment, folder=container["workingDir"])
            time.sleep(0.2)
            killed.kill()
            killed.communicate()
            assert killed.returncode == -signal.SIGKILL, "it ended before"
        site.run(command, environment=environment, folder=container["workingDir"])
    shutil.rmtree(site.folder)
    away.rename(site.folder)


def on_kubernetes(site, shared):
    store = "--secret sweep-store --namespace sweeps"
    claim = f"--volume-claim data:{shared} --cpu 1 --memory 1Gi"
    shutil.copy(site.folder / "trace.swf", shared / "trace.swf")
    text = (site.folder / "sweep.toml").read_text()
    (site.folder / "shared.toml").write_text(text.replace('"trace.swf"', f'"{shared}/trace.swf"'))
    sweep, month = "wattbook batch sweep", "wattbook simulate experiment month.toml"
    for command, options, whole, result in [
        (f"{sweep} sweep.toml --out s3://sweeps/pods", store, "whole", lambda: site.stored("pods")),
        (f"{sweep} shared.toml --out {shared}/pods", claim, "whole", lambda: site.local(shared / "pods")),
        (f"{month} --out s3://sweeps/pods-month", store, "month", lambda: site.stored("pods-month")),
    ]:
        text, said = site.run(f"{command} --on kubernetes --parts 3 --image wattbook {options}")
        print("  " + said.splitlines()[0])
        documents = validated(text)
        as_pods(site, documents, site.store if options == store else {})
        results = re.search("^the results, once it has ended: (.*)$", said, flags=re.M).group(1)
        site.run(results)
        print(f"  {same(site.local(whole), result())} files of {len(documents)} documents equal those of one machine")
    _, said = site.run(f"{sweep} sweep.toml --out here --on kubernetes --parts 3 --image i", status=2)
    assert "pods do not have this folder" in said, said
    _, said = site.run(f"{sweep} sweep.toml --out s3://sweeps/x --on kubernetes --parts 3", status=2)
    assert "--image" in said, said


def main():
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with tempfile.TemporaryDirectory() as place:
        folder, shared = pathlib.Path(place, "inputs"), pathlib.Path(place, "shared")
        folder.mkdir()
        shared.mkdir()
        for name, text in [("sweep.toml", SWEEP), ("trace.swf", TRACE), ("month.toml", EXPERIMENT)]:
            (folder / name).write_text(text)
        site = Site(folder, f"http://{host}:{port}")
        site.run("wattbook batch sweep sweep.toml --out whole")
        for step in (through_a_store, experiment_through_a_store):
            print(step.__name__.replace("_", " ") + ":")
            step(site)
        print("on kubernetes:")
        on_kubernetes(site, shared)
    server.stop()


main()
