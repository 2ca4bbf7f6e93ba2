"""Stop runs by real alarms and real Ctrl-C at random instants: `python -m tools.fuzz_alarms --seed 1 --signals 200`.

A run must end with what the handler of the alarm raises, or as "interrupted". Tests do this at chosen places; here the clock
chooses, so that signals also arrive in compiled code and in other libraries. Those may make another error of what a handler
raises inside them: each such ending is printed with its traceback. Ends with 1 if any run did not hear its signal.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

import cotree as ct

LONGEST = 60.0  # seconds after which a run that does not hear ends by itself


class TimeIsUp(Exception):
    pass


def _ring(*_: Any) -> None:
    raise TimeIsUp


def driven() -> ct.System:
    """A pendulum with a motor that is a function in Python."""
    mech = ct.Mechanism("pendulum")
    rod = mech.body("rod", mass=1.0, com=(0.5, 0.0, 0.0), inertia=(0.01, 0.1, 0.1))
    mech.joint("hinge", mech.ground, rod, ct.Revolute(point=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    mech.motor("muscle", "hinge", lambda t: np.sin(5.0 * t))
    return mech.compile()


def ending(system: ct.System, start: Callable[[], Any]) -> str:
    """How a run ends that is told to stop on the way: the name of an error, or its status."""
    begun = time.monotonic()
    late = ct.Event(lambda t: time.monotonic() - begun - LONGEST, "late", terminal=True)
    start()
    try:
        return ct.simulate(system, 1e9, [0.5], events=[late], output=2).status
    except (TimeIsUp, KeyboardInterrupt) as error:
        return type(error).__name__
    except Exception as error:
        traceback.print_exc()
        return type(error).__name__


def endings(system: ct.System, seed: int, count: int) -> tuple[Counter[str], Counter[str]]:
    """Of `count` runs each by alarms and by Ctrl-C, after 5 to 60 ms."""
    rng, alarms, presses = random.Random(seed), Counter[str](), Counter[str]()
    timers: list[threading.Timer] = []  # kept: Python drops what a handler raises while it forgets one that was deleted
    for _ in range(count):
        alarms[ending(system, lambda: signal.setitimer(signal.ITIMER_REAL, rng.uniform(0.005, 0.06)))] += 1
        timers.append(threading.Timer(rng.uniform(0.005, 0.06), os.kill, (os.getpid(), signal.SIGINT)))
        presses[ending(system, timers[-1].start)] += 1
        timers[-1].join()
    return alarms, presses


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--signals", type=int, default=200, help="of each of the two kinds")
    asked = parser.parse_args()
    signal.signal(signal.SIGALRM, _ring)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    system = driven()
    ct.simulate(system, 0.01, [0.5], events=[lambda t: 1.0], output=2)  # compile everything
    alarms, presses = endings(system, asked.seed, asked.signals)
    print(f"seed {asked.seed}: alarms {dict(alarms)}, Ctrl-C {dict(presses)}")
    return int(set(alarms) != {"TimeIsUp"} or set(presses) != {"interrupted"})


if __name__ == "__main__":
    sys.exit(main())
