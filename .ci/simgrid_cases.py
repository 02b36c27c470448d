#!/usr/bin/python3
"""Drawn platforms and parallel tasks, each played by SimGrid's model ptask_L07: a line of JSON a case.

    .ci/simgrid_cases.py COUNT SEED
"""

import ctypes
import ctypes.util
import json
import os
import random
import sys
import tempfile

# Zones of hosts, in which SimGrid 3.32 lets a host send to itself in no time, and 4 over a link of its own.
TABLES = ("Full", "Floyd", "Dijkstra")


def bandwidth(draw):
    return f"{draw.choice([10, 100, 125, 1000])}{draw.choice(['MBps', 'Mbps', 'MiBps'])}"


def latency(draw):
    return draw.choice(["0", "10us", "50us", "1ms", "0.02"])


def sharing(draw):
    return draw.choice(["SHARED", "SPLITDUPLEX"])


def cluster(draw, name, topology):
    shape, count = "", draw.randint(2, 12)
    if topology == "FAT_TREE":
        levels = draw.randint(1, 3)
        down = [draw.randint(1, 4) for _ in range(levels)]
        up = [draw.randint(1, 3) for _ in range(levels)]
        # Several cables below others: there releases differ in which they take.
        cables = [1] * (levels - 1) + [draw.randint(1, 2)]
        count = 1
        for one in down:
            count *= one
        lists = ";".join(",".join(map(str, part)) for part in (down, up, cables))
        shape = f' topology="FAT_TREE" topo_parameters="{levels};{lists}"'
    elif topology == "TORUS":
        # One alone along a dimension has links of one name, at which SimGrid ends itself.
        sizes = [draw.randint(2, 5) for _ in range(draw.randint(1, 3))]
        count = 1
        for one in sizes:
            count *= one
        shape = f' topology="TORUS" topo_parameters="{",".join(map(str, sizes))}"'
    elif topology == "DRAGONFLY":
        groups = draw.randint(1, 3)
        chassis, blades, hosts = draw.randint(1, 3), draw.randint(groups, groups + 2), draw.randint(1, 3)
        links = [draw.randint(1, 3) for _ in range(3)]
        count = groups * chassis * blades * hosts
        shape = (
            f' topology="DRAGONFLY" topo_parameters="{groups},{links[0]};{chassis},{links[1]};'
            f'{blades},{links[2]};{hosts}"'
        )
    more = ""
    if draw.random() < 0.5 and topology == "FLAT":
        policy = draw.choice(["SHARED", "FATPIPE"])
        more += f' bb_bw="{bandwidth(draw)}" bb_lat="{latency(draw)}" bb_sharing_policy="{policy}"'
    if draw.random() < 0.3:
        more += f' loopback_bw="{bandwidth(draw)}" loopback_lat="{latency(draw)}"'
    if draw.random() < 0.3 and topology in ("FLAT", "TORUS"):
        more += f' limiter_link="{bandwidth(draw)}"'
    speed, core = draw.choice(["1Gf", "100Mf", "2Gf"]), draw.choice([1, 1, 4])
    xml = (
        f'<cluster id="{name}" prefix="{name}-" suffix="" radical="0-{count - 1}" speed="{speed}" core="{core}" '
        f'bw="{bandwidth(draw)}" lat="{latency(draw)}" sharing_policy="{sharing(draw)}"{more}{shape}>'
        f'<prop id="wattage_per_state" value="{draw.randint(50, 99)}:{draw.randint(100, 120)}:{draw.randint(150, 250)}"/>'
        "</cluster>"
    )
    return xml, [f"{name}-{number}" for number in range(count)]


def hosts_of(draw, count):
    names = [f"h{number}" for number in range(count)]
    xml = ""
    for name in names:
        xml += f'<host id="{name}" speed="{draw.choice(["1Gf", "500Mf"])}" core="{draw.choice([1, 2])}">'
        xml += f'<prop id="wattage_per_state" value="{draw.randint(50, 99)}:{draw.randint(100, 120)}:{draw.randint(150, 250)}"/>'
        xml += "</host>"
    return xml, names


def links_of(draw, count):
    xml, used = "", []
    for number in range(count):
        policy = draw.choice(["SHARED", "SPLITDUPLEX", "FATPIPE"])
        xml += f'<link id="l{number}" bandwidth="{bandwidth(draw)}" latency="{latency(draw)}" sharing_policy="{policy}"/>'
        used.append((f"l{number}", policy))
    return xml, used


def link_ctn(draw, link):
    name, policy = link
    direction = f' direction="{draw.choice(["UP", "DOWN"])}"' if policy == "SPLITDUPLEX" else ""
    return f'<link_ctn id="{name}"{direction}/>'


def written(draw, routing):
    hosts, names = hosts_of(draw, draw.randint(2, 6))
    links, all_links = links_of(draw, draw.randint(3, 8))
    routes = ""
    for first in range(len(names)):
        for second in range(first + 1, len(names)):
            # A chain at least, so that every host is reached.
            if routing != "Full" and second != first + 1 and draw.random() < 0.6:
                continue
            some = draw.sample(all_links, draw.randint(1, 3))
            some = "".join(link_ctn(draw, link) for link in some)
            routes += f'<route src="{names[first]}" dst="{names[second]}">{some}</route>'
    if draw.random() < 0.3:
        first, second = draw.sample(names, 2)
        some = "".join(link_ctn(draw, link) for link in draw.sample(all_links, draw.randint(1, 3)))
        routes += f'<bypassRoute src="{first}" dst="{second}">{some}</bypassRoute>'
    return f'<zone id="z" routing="{routing}">{hosts}{links}{routes}</zone>', names


def joined(draw):
    routing = draw.choice(TABLES)
    zones = draw.randint(2, 4)
    xml, names, gateways = "", [], []
    for number in range(zones):
        topology = draw.choice(["FLAT", "FLAT", "FAT_TREE", "TORUS", "DRAGONFLY"])
        own, own_names = cluster(draw, f"c{number}", topology)
        xml, names = xml + own, names + own_names
        # Only flat clusters have routers; of others a host is the gateway.
        gateways.append(f"c{number}-c{number}_router" if topology == "FLAT" else f"c{number}-0")
    # One host that is its own gateway.
    xml += '<zone id="c9" routing="Full"><host id="lone" speed="1Gf">'
    xml += '<prop id="wattage_per_state" value="50:100:200"/></host></zone>'
    names.append("lone")
    links, all_links = links_of(draw, 5)
    xml += links
    for first in range(zones):
        for second in range(first + 1, zones):
            if routing != "Full" and second != first + 1:
                continue
            ends = gateways[first], gateways[second]
            some = "".join(link_ctn(draw, link) for link in draw.sample(all_links, draw.randint(1, 2)))
            xml += (
                f'<zoneRoute src="c{first}" dst="c{second}" gw_src="{ends[0]}" gw_dst="{ends[1]}">{some}</zoneRoute>'
            )
    for first in range(zones if routing == "Full" else 1):
        some = link_ctn(draw, draw.choice(all_links))
        xml += f'<zoneRoute src="c{first}" dst="c9" gw_src="{gateways[first]}" gw_dst="lone">{some}</zoneRoute>'
    if draw.random() < 0.4:
        first, second = draw.sample(range(zones), 2)
        some = "".join(link_ctn(draw, link) for link in draw.sample(all_links, draw.randint(1, 2)))
        xml += (
            f'<bypassZoneRoute src="c{first}" dst="c{second}" gw_src="{gateways[first]}" gw_dst="{gateways[second]}">'
            f"{some}</bypassZoneRoute>"
        )
    return f'<zone id="w" routing="{routing}">{xml}</zone>', names


def platform(draw):
    kind = draw.choice(["FLAT", "FAT_TREE", "TORUS", "DRAGONFLY", "Full", "Floyd", "Dijkstra", "joined"])
    if kind in TABLES:
        xml, names = written(draw, kind)
    elif kind == "joined":
        xml, names = joined(draw)
    else:
        own, names = cluster(draw, "c", kind)
        xml = f'<zone id="w" routing="Full">{own}</zone>'
    head = '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
    return kind, f'{head}<platform version="4.1">{xml}</platform>', names


def task(draw, names, own):
    count = draw.randint(1, min(8, len(names)))
    hosts = draw.sample(names, count)
    operations = [draw.choice([0, 1e8, 1e9, 3e9]) * draw.random() for _ in hosts]
    if draw.random() < 0.3:
        operations = [0.0] * count
    some = draw.choice([0.0, 0.3, 1.0])
    sent = [draw.random() * 1e8 if draw.random() < some else 0.0 for _ in range(count * count)]
    # What one host alone sends to itself is left out by SimGrid.
    if not own or count == 1 or draw.random() < 0.7:
        for host in range(count):
            sent[host * count + host] = 0.0
    start = draw.choice([0.0, draw.random() * 5])
    return {"start": start, "hosts": hosts, "operations": operations, "bytes": sent}


def play(case):
    """What SimGrid says: the end of each task, and the energy of each host. To be called once in a process."""
    from simgrid import Actor, Engine, Host, this_actor

    library = ctypes.CDLL(ctypes.util.find_library("simgrid"))
    library.sg_host_energy_plugin_init()
    library.sg_host_by_name.restype = ctypes.c_void_p
    library.sg_host_by_name.argtypes = [ctypes.c_char_p]
    library.sg_host_get_consumed_energy.restype = ctypes.c_double
    library.sg_host_get_consumed_energy.argtypes = [ctypes.c_void_p]
    library.sg_host_get_route_latency.restype = ctypes.c_double
    library.sg_host_get_route_latency.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    engine = Engine(["simgrid", "--cfg=host/model:ptask_L07", "--log=root.thres:critical"])
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(case["platform"])
        file.flush()
        engine.load_platform(file.name)
    ends = [None] * len(case["tasks"])

    # SimGrid reckons the energy of a host when a task on it begins or ends, for all the time since by the load of that
    # instant. So that nothing is passed over, all are asked whenever any load can change: with each task, and when
    # its latency is over.
    def run(number, task):
        this_actor.sleep_until(task["start"])
        library.sg_host_energy_update_all()
        hosts = [Host.by_name(name) for name in task["hosts"]]
        activity = this_actor.exec_init(hosts, task["operations"], task["bytes"])
        activity.start()
        activity.wait()
        ends[number] = engine.clock
        library.sg_host_energy_update_all()

    def latency(task):
        ends = [name.encode() for name in task["hosts"]]
        each = [
            library.sg_host_get_route_latency(library.sg_host_by_name(first), library.sg_host_by_name(second))
            for place, (first, second) in enumerate((first, second) for first in ends for second in ends)
            if task["bytes"][place] > 0
        ]
        return max(each, default=0.0)

    def ask(task):
        this_actor.sleep_until(task["start"])
        this_actor.sleep_until(task["start"] + latency(task))
        library.sg_host_energy_update_all()

    for number, task in enumerate(case["tasks"]):
        Actor.create(f"task{number}", Host.by_name(task["hosts"][0]), run, number, task)
        Actor.create(f"latency{number}", Host.by_name(task["hosts"][0]), ask, task)
    engine.run()
    energies = {
        name: library.sg_host_get_consumed_energy(library.sg_host_by_name(name.encode())) for name in case["hosts"]
    }
    return {"ends": ends, "energies": energies, "end": engine.clock}


def in_a_process(play, case):
    """What SimGrid says of a case, in a process of its own; none where it ended that."""
    out, into = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(out)
        with os.fdopen(into, "w") as pipe:
            json.dump(play(case), pipe)
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    return json.loads(text) if status == 0 and text else None


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    for number in range(count):
        draw = random.Random(seed * 1_000_003 + number)
        kind, xml, names = platform(draw)
        tasks = [task(draw, names, kind not in TABLES) for _ in range(draw.choice([1, 2, 3, 8, 20, 40]))]
        case = {"number": number, "kind": kind, "platform": xml, "hosts": names, "tasks": tasks}
        case["simgrid"] = in_a_process(play, case)
        print(json.dumps(case))


if __name__ == "__main__":
    main()
