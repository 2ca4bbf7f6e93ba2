"""Which calls the fuzzer makes, and with what."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tools.calls.bench import Bench, Target
from tools.calls.of_elements import elements
from tools.calls.of_joints import joints
from tools.calls.of_mechanisms import mechanism_methods
from tools.calls.of_runs import run_functions
from tools.calls.of_states import state_functions
from tools.calls.of_studies import studies


def targets(bench: Bench) -> list[Target]:
    return [
        *state_functions(bench),
        *run_functions(bench),
        *joints(bench),
        *mechanism_methods(bench),
        *elements(bench),
        *studies(bench),
    ]


def given(draw: random.Random, target: Target, bad: Callable[[], Any], one: bool) -> tuple[dict[str, Any], list[str]]:
    """(arguments, names of the bad ones): one argument is bad, or about half of them."""
    names = [n for n in target.arguments if n in target.needed or draw.random() < 0.4]
    if not names:
        names = [draw.choice(list(target.arguments))]
    if one:
        spoiled = [draw.choice(list(target.arguments))]
        names += [n for n in spoiled if n not in names]
    else:
        systems = ("system", "mechanism_or_system")
        spoiled = [n for n in names if draw.random() < (0.1 if n in systems else 0.5)]
    kept = {n: target.arguments[n]() for n in names}
    return {**kept, **{n: bad() for n in spoiled if n != "progress"}}, spoiled
