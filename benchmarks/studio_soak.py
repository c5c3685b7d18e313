"""Whether the studio stays steady over half an hour of use: memory, updates a second, processes.

    python benchmarks/studio_soak.py --minutes 31

Two pages watch, one of them leaves and comes back every minute. Every ten seconds something is
asked: speeds and turns, pushes, sizes, grounds, obstacles, other bodies, scenarios, physics, a
recording. Each line tells the memory of the server and of the processes that plan for it [MB].
"""

from __future__ import annotations

import argparse
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import viser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from amble.characters.reshape import Scale
from amble.studio.overlays import NAMES
from amble.studio.studio import Studio

BETWEEN = 10.0  # [s] from one thing asked to the next
STAYS = 60.0  # [s] that the second page stays


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--minutes", type=float, default=31.0)
    minutes = parser.parse_args().minutes
    studio = Studio(port=0)
    end = time.monotonic() + 60 * minutes
    for stays in (np.inf, STAYS):
        threading.Thread(target=watch, args=(studio, end, stays), daemon=True).start()
    threading.Thread(target=use, args=(studio, end), daemon=True).start()
    studio.run(seconds=60 * minutes)
    studio.stop()


def watch(studio: Studio, end: float, stays: float) -> None:
    """A page that takes all that it is sent, and comes back when its time is over."""
    address = f"ws://127.0.0.1:{studio.server.get_port()}"
    version = [Subprotocol(f"viser-v{viser.__version__}")]
    while time.monotonic() < end:
        leaves = time.monotonic() + stays
        try:
            with connect(address, subprotocols=version, max_size=None) as page:
                while time.monotonic() < min(end, leaves):
                    page.recv(timeout=10)
        except (ConnectionClosed, TimeoutError, OSError):
            time.sleep(1.0)


def use(studio: Studio, end: float) -> None:
    """Ask for something, and tell how it is, again and again."""
    asked, updates, last = requests(random.Random(0)), 0, time.monotonic()
    for name in NAMES:
        studio._put("overlay", key=name, value=True)
    print("minutes  server MB  others MB  processes  updates/s  body, way", flush=True)
    while time.monotonic() < end:
        time.sleep(BETWEEN)
        now = time.monotonic()
        rate, updates, last = (studio.updates - updates) / (now - last), studio.updates, now
        walker = studio.walker
        for what, values in next(asked):
            studio._put(what, **values)
        server, others, count = memory()
        minutes = f"{walker_minutes(end):7.1f}"
        where = f"{walker.character.name}, {walker.setting.scenario or walker.setting.way}"
        print(
            f"{minutes}  {server:9.0f}  {others:9.0f}  {count:9d}  {rate:9.1f}  {where}"
            + (f"  ({walker.message})" if walker.message else ""),
            flush=True,
        )


BEGUN = time.monotonic()


def walker_minutes(end: float) -> float:
    return (min(time.monotonic(), end) - BEGUN) / 60


def requests(rng: random.Random) -> Iterator[list[tuple[str, dict[str, Any]]]]:
    """What people ask, without end."""
    push = {"part": "thorax", "point": np.zeros(3), "pull": np.array([0.0, 0.3, 0.0])}
    while True:
        for style in ("natural", "proud", "sad"):
            yield [("wish", {"speed": rng.uniform(0.5, 3.0), "style": style})]
            yield [("wish", {"key": "heading", "value": rng.uniform(-180, 180)})]
        yield [("drag", push)]
        yield [("release", {})]
        yield [("wish", {"speed": 1.0}), ("obstacle", {"kind": rng.choice(("kerb", "beam"))})]
        yield [("ground", {"key": "terrain", "value": rng.choice(("hills", "stairs", "flat"))})]
        sizes = {"left_thigh": Scale(rng.uniform(0.9, 1.2))}
        yield [("setting", {"sizes": sizes})]
        yield [("record", {})]
        yield [("record", {})]
        yield [("setting", {"key": "character", "value": rng.choice(("anymal", "luxo", "cassie"))})]
        yield [("setting", {"character": "humanoid", "terrain": "flat", "way": "walk in physics"})]
        yield [("wish", {"key": "heading", "value": rng.uniform(-60, 60)})]
        yield [("setting", {"key": "scenario", "value": "humanoid-push"})]
        yield [("reset", {})]
        yield [("setting", {"key": "way", "value": "planned"})]


def memory() -> tuple[float, float, int]:
    """Resident memory [MB] of this process and of its descendants, and how many these are."""
    parents, sizes = {}, {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words = dict(
                    line.split(":", 1) for line in (folder / "status").read_text().splitlines()
                )
            except (OSError, ValueError):
                continue
            parents[int(folder.name)] = int(words["PPid"])
            sizes[int(folder.name)] = int(words.get("VmRSS", "0 kB").split()[0]) / 1024
    me = int(Path("/proc/self").resolve().name)
    family, found = {me}, True
    while found:
        found = {child for child, parent in parents.items() if parent in family} - family
        family |= found
    return sizes[me], sum(sizes[pid] for pid in family - {me}), len(family) - 1


if __name__ == "__main__":
    main()
