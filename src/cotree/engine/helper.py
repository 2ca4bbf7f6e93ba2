"""A process that compiles for another one and stores the result: `python -m cotree.engine.helper`.

It reads a line for each order and answers in lines: "+ NAME" for each kernel compiled, then "done" or "failed". It ends when
its input does, and when no order has come for a while.
"""

from __future__ import annotations

import base64
import importlib
import os
import pickle
import select
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, TextIO

IDLE = 60.0  # seconds without an order after which it ends


def order_for(module: str, name: str, types: tuple[Any, ...] | None, *given: Any) -> str:
    """A line that asks for a function to be compiled for types, for an entry (no types), or for a call."""
    return base64.b64encode(pickle.dumps((module, name, types, given))).decode()


def fill(order: str) -> None:
    """Compile what an order asks for."""
    module, name, types, given = pickle.loads(base64.b64decode(order))
    wanted: Any = importlib.import_module(module)
    for part in name.split("."):
        wanted = getattr(wanted, part)
    if types is not None:
        wanted.compile(types)
    elif hasattr(wanted, "address"):
        _ = wanted.address
    else:
        wanted(*given)


def serve(orders: Iterable[str], answers: TextIO) -> None:
    """Fill orders until there are no more."""
    from cotree.engine.bar import listen

    listen(lambda name: print("+", name, file=answers, flush=True))
    for order in orders:
        try:
            fill(order)
            print("done", file=answers, flush=True)
        except Exception as error:
            print("failed", type(error).__name__, str(error).replace("\n", " "), file=answers, flush=True)


def orders_in_time(stream: TextIO) -> Iterator[str]:
    """Orders as they come; none for a while ends them, where that can be told."""
    while True:
        with suppress(OSError):  # pipes cannot be waited for on Windows
            if not select.select([stream], [], [], IDLE)[0]:
                return
        line = stream.readline()
        if not line:
            return
        yield line


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks; it ends this one
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    sys.stdout = sys.stderr  # what compiled functions may print is not an answer
    serve(orders_in_time(sys.stdin), answers)


if __name__ == "__main__":
    main()
