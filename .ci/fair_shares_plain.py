#!/usr/bin/env python3
"""A plain simulation of EnergyFairShare (Georgiou, Glesser, Rzadca and Trystram 2015), written from the paper's sections III-B,
III-C and IV-A alone, with nothing of wattbook's: to compare starts with.

    .ci/fair_shares_plain.py TRACE --machines N --order fs|efs|fs+efs [--half-life S] [--factor USER=F ...] > starts.csv

TRACE is in the Standard Workload Format, compressed or not. The rules, and where they are from:

- The queue is by priority: fs puts first whose user used the fewest CPU-seconds, efs the fewest joules, fs+efs the
  least sum of both, each divided by the largest value that any user has now (IV-A). Ties go by arrival.
- A job counts when it has ended (III-B), with run time times CPUs, its joules being as many (IV-A), times the user's factor.
- Usage counts half after each half-life: a week, Slurm's default. Shares are equal.
- EASY backfilling: the first waiting job has a promise of when it starts if all that runs lasts as long as was requested, and
  another may start now if it ends by then or uses CPUs that are not needed then.

Not told by the paper, and chosen: at one instant jobs end, then jobs arrive, then one decision is made. Of a trace
CPUs are those requested, else those allocated; a job without a requested time requests its run time; who runs longer
is killed then. Jobs without a run time or CPUs, and those larger than the machine, are left out.
"""

import argparse
import gzip
import heapq
import sys


def read(path, machines):
    """Jobs as (submission, number, run, requested, cpus, user), by submission and number, from 0 s on."""
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    jobs = []
    with (gzip.open if packed else open)(path, "rt") as lines:
        for line in lines:
            if line.startswith(";") or not line.strip():
                continue
            field = line.split() + ["-1"] * 18
            number, submission = int(field[0]), int(field[1])
            run, requested = float(field[3]), float(field[8])
            cpus = int(field[7]) if int(field[7]) > 0 else int(field[4])
            requested = requested if requested > 0 else run
            if run <= 0 or cpus <= 0 or cpus > machines or submission < 0:
                continue
            user = field[11] if float(field[11]) >= 0 else ""
            jobs.append((submission, number, min(run, requested), requested, cpus, user))
    jobs.sort()
    first = jobs[0][0] if jobs else 0
    return [(submission - first, *rest) for submission, *rest in jobs]


class Usage:
    """What users used, of which half counts after each half-life."""

    def __init__(self, half_life):
        self.half_life = half_life
        self.last = {}

    def of(self, user, now):
        amount, since = self.last.get(user, (0.0, now))
        return amount * 2.0 ** (-(now - since) / self.half_life)

    def add(self, user, now, amount):
        self.last[user] = (self.of(user, now) + amount, now)


def simulate(jobs, machines, order, half_life, factors):
    """The start of each job by number."""
    cpu_seconds, joules = Usage(half_life), Usage(half_life)
    starts, running, waiting = {}, [], []
    free, arrived = machines, 0
    while arrived < len(jobs) or running:
        now = min(([running[0][0]] if running else []) + ([jobs[arrived][0]] if arrived < len(jobs) else []))
        while running and running[0][0] <= now:
            _, started, place = heapq.heappop(running)
            _, _, run, _, cpus, user = jobs[place]
            free += cpus
            cpu_seconds.add(user, now, run * cpus)
            joules.add(user, now, run * cpus * factors.get(user, 1.0))
        while arrived < len(jobs) and jobs[arrived][0] <= now:
            waiting.append(arrived)
            arrived += 1
        waiting = decide(jobs, waiting, running, free, now, priorities(order, cpu_seconds, joules, now), starts)
        free = machines - sum(jobs[place][4] for _, _, place in running)
    return starts


def priorities(order, cpu_seconds, joules, now):
    """A function of the user: who has the least goes first."""
    if order == "fs":
        return lambda user: cpu_seconds.of(user, now)
    if order == "efs":
        return lambda user: joules.of(user, now)
    users = cpu_seconds.last
    most_seconds = max((cpu_seconds.of(user, now) for user in users), default=0.0) or 1.0
    most_joules = max((joules.of(user, now) for user in users), default=0.0) or 1.0
    return lambda user: cpu_seconds.of(user, now) / most_seconds + joules.of(user, now) / most_joules


def decide(jobs, waiting, running, free, now, priority, starts):
    """Starts what may start now; what waits on."""
    of = {user: priority(user) for user in {jobs[place][5] for place in waiting}}
    waiting.sort(key=lambda place: (of[jobs[place][5]], place))

    def start(place):
        starts[jobs[place][1]] = now
        heapq.heappush(running, (now + jobs[place][2], now, place))

    while waiting and jobs[waiting[0]][4] <= free:
        place = waiting.pop(0)
        free -= jobs[place][4]
        start(place)
    if not waiting or free == 0:
        return waiting
    needed = jobs[waiting[0]][4]
    ends = sorted((started + jobs[place][3], jobs[place][4]) for _, started, place in running)
    then, promised = free, None
    for end, cpus in ends:
        if promised is not None and end > promised:
            break
        then += cpus
        if then >= needed:
            promised = end
    spare = then - needed
    kept = [waiting[0]]
    for place in waiting[1:]:
        _, _, _, requested, cpus, _ = jobs[place]
        in_time = now + requested <= promised
        if cpus <= free and (in_time or cpus <= spare):
            free -= cpus
            spare -= 0 if in_time else cpus
            start(place)
        else:
            kept.append(place)
    return kept


def factor(text):
    """USER=F."""
    user, _, value = text.rpartition("=")
    return user, float(value)


def main():
    """Writes starts as CSV."""
    parser = argparse.ArgumentParser()
    parser.add_argument("trace")
    parser.add_argument("--machines", type=int, required=True)
    parser.add_argument("--order", choices=["fs", "efs", "fs+efs"], required=True)
    parser.add_argument("--half-life", type=float, default=604800.0)
    parser.add_argument("--factor", type=factor, action="append", default=[])
    said = parser.parse_args()
    jobs = read(said.trace, said.machines)
    starts = simulate(jobs, said.machines, said.order, said.half_life, dict(said.factor))
    out = ["job_id,start"] + [f"{number},{start:g}" if start != int(start) else f"{number},{int(start)}" for number, start in starts.items()]
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
