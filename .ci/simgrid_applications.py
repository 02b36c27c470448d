#!/usr/bin/python3
"""Drawn applications on drawn platforms, each replayed by SimGrid's SMPI over its model ptask_L07: a line of JSON a case.

    .ci/simgrid_applications.py COUNT SEED
"""

import ctypes
import ctypes.util
import json
import random
import sys
import tempfile

from simgrid_cases import TABLES, in_a_process, platform

# Bytes of datatypes by SMPI's numbers.
DATATYPES = {"0": 8, "1": 4, "2": 1, "3": 2, "6": 1, "14": 16}


def size(draw):
    """What is small, about what leaves its sender at once (64 KiB), or large."""
    return draw.choice([1, 199, 1_000, 3_000, 65_535, 65_536, 100_000, 2_000_000, draw.randint(1, 500_000)])


class Drawn:
    """The traces of an application whose ranks all come to their ends."""

    def __init__(self, draw, ranks, init, by_name):
        self.draw, self.ranks, self.by_name = draw, ranks, by_name
        self.lines = [[f"{rank} {init}"] for rank in range(ranks)]

    def add(self, rank, what):
        self.lines[rank].append(f"{rank} {what}")

    def datatype(self):
        return self.draw.choice(["", *(f" {name}" for name in DATATYPES)])

    def compute(self):
        for rank in range(self.ranks):
            if self.draw.random() < 0.7:
                self.add(rank, f"compute {self.draw.randint(0, 2_000_000_000)}")
            elif self.draw.random() < 0.3:
                self.add(rank, f"sleep {self.draw.randint(1, 100) / 100}")

    def in_turn(self):
        """Messages that hold up both sides, in one order for all, so that none waits for ever."""
        for _ in range(self.draw.randint(1, 2 * self.ranks)):
            one, other = self.draw.sample(range(self.ranks), 2)
            tag, sent, datatype = self.draw.randint(0, 2), size(self.draw), self.datatype()
            self.add(one, f"send {other} {tag} {sent}{datatype}")
            self.add(other, f"recv {one} {tag} {sent}{datatype}")

    def at_once(self):
        """Messages that are waited for later, one by one or together."""
        names = []
        pairs = [(a, b) for a in range(self.ranks) for b in range(self.ranks) if a != b]
        for one, other in self.draw.sample(pairs, self.draw.randint(1, min(len(pairs), 2 * self.ranks))):
            tag, sent, datatype = self.draw.randint(0, 5), size(self.draw), self.datatype()
            names.append((one, other, tag))
            self.add(one, f"isend {other} {tag} {sent}{datatype}")
            self.add(other, f"irecv {one} {tag} {sent}{datatype}")
        if self.draw.random() < 0.5:
            self.compute()
        one_by_one = self.by_name and self.draw.random() < 0.5
        for one, other, tag in names if one_by_one else []:
            self.add(one, f"wait {one} {other} {tag}")
            self.add(other, f"wait {one} {other} {tag}")
        for rank in range(self.ranks if not one_by_one else 0):
            self.add(rank, "waitall")

    def collective(self):
        draw, ranks = self.draw, self.ranks
        root, sent, datatype = draw.randrange(ranks), size(draw), self.datatype()
        operations = draw.choice([0, draw.randint(1, 1_000_000_000)])
        of_each = [size(draw) for _ in range(ranks)]
        joined = " ".join(map(str, of_each))
        kind = draw.choice(
            "barrier bcast reduce allreduce alltoall alltoallv gather gatherv allgather allgatherv scatter scatterv "
            "reducescatter".split()
        )
        # From each to each.
        table = [[size(draw) for _ in range(ranks)] for _ in range(ranks)]
        for rank in range(ranks):
            both = datatype + datatype
            line = {
                "barrier": "",
                "bcast": f" {sent} {root}{datatype}",
                "reduce": f" {sent} {operations} {root}{datatype}",
                "allreduce": f" {sent} {operations}{datatype}",
                "alltoall": f" {sent} {sent}{both}",
                "alltoallv": f" {sum(table[rank])} {' '.join(map(str, table[rank]))}"
                f" {sum(row[rank] for row in table)} {' '.join(str(row[rank]) for row in table)}",
                "gather": f" {sent} {sent} {root}{both}",
                "gatherv": f" {of_each[rank]} {joined} {root}",
                "allgather": f" {sent} {sent}{both}",
                "allgatherv": f" {of_each[rank]} {joined}",
                "scatter": f" {sent} {sent} {root}{both}",
                "scatterv": f" {joined} {of_each[rank]} {root}",
                "reducescatter": f" {' '.join([str(sent)] * ranks)} {operations}{datatype}",
            }[kind]
            self.add(rank, kind + line)

    def traces(self):
        steps = [self.compute, self.collective, self.collective]
        if self.ranks > 1:
            steps += [self.in_turn, self.at_once]
        for _ in range(self.draw.randint(1, 8)):
            self.draw.choice(steps)()
        for rank in range(self.ranks):
            self.add(rank, "finalize")
        return ["\n".join(lines) + "\n" for lines in self.lines]


def application(draw, names, shares_hosts, init, by_name):
    hosts = draw.sample(names, draw.randint(1, min(16, len(names))))
    # The one host of a zone with a written route.
    shares_hosts = shares_hosts and "lone" not in hosts
    ranks = len(hosts) if not shares_hosts or draw.random() < 0.6 else draw.randint(1, 20)
    start = draw.choice([0.0, draw.random() * 2])
    return {"start": start, "hosts": hosts, "traces": Drawn(draw, ranks, init, by_name).traces()}


def play(case):
    """What SimGrid says: when each rank of each application ends. To be called once in a process."""
    from simgrid import Actor, Engine, Host, this_actor

    library = ctypes.CDLL(ctypes.util.find_library("simgrid"))
    library.smpi_replay_run.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_double, ctypes.c_char_p]
    library.SMPI_app_instance_register.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_int]
    engine = Engine(["simgrid", "--cfg=host/model:ptask_L07", "--log=root.thres:critical"])
    ends = [[None] * len(one["traces"]) for one in case["applications"]]

    def run(number, rank, start, file):
        this_actor.sleep_until(start)
        library.smpi_replay_run(f"application{number}".encode(), rank, 0.0, file.encode())
        ends[number][rank] = engine.clock

    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/platform.xml", "w") as file:
            file.write(case["platform"])
        engine.load_platform(f"{folder}/platform.xml")
        for number, one in enumerate(case["applications"]):
            ranks = len(one["traces"])
            library.SMPI_app_instance_register(f"application{number}".encode(), None, ranks)
            for rank, trace in enumerate(one["traces"]):
                name = f"{folder}/{number}-{rank}"
                with open(name, "w") as file:
                    file.write(trace)
        library.SMPI_init()
        # Its options are known from here on; the algorithms of collectives are looked for again.
        library.sg_cfg_set_string(b"smpi/alltoall", b"basic_linear")
        library._ZN7simgrid4smpi5colls15set_collectivesEv()
        for number, one in enumerate(case["applications"]):
            for rank in range(len(one["traces"])):
                host = Host.by_name(one["hosts"][rank % len(one["hosts"])])
                Actor.create(f"rank{number}-{rank}", host, run, number, rank, one["start"], f"{folder}/{number}-{rank}")
        engine.run()
    return ends


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    for number in range(count):
        draw = random.Random(seed * 1_000_003 + number)
        kind, xml, names = platform(draw)
        # What a host sends to itself in a zone with written routes differs between releases.
        shares_hosts = kind not in TABLES
        # In SMPI the datatype that is not said is one for all applications, and requests are found by their names in the
        # first application only.
        init, several = draw.choice(["init", "init", "init 1"]), draw.choice([1, 1, 2, 3])
        applications = [application(draw, names, shares_hosts, init, place == 0) for place in range(several)]
        case = {"number": number, "kind": kind, "platform": xml, "applications": applications}
        case["simgrid"] = in_a_process(play, case)
        print(json.dumps(case), flush=True)


if __name__ == "__main__":
    main()
