"""Which process compiles what: a function is compiled by one process at a time, and the others find it stored.

A claim is a lock on one byte of a file in the temporary directory, which the operating system releases when the process
ends, in whatever way. Where there are no such locks, each process compiles what it needs.
"""

from __future__ import annotations

import errno
import os
import tempfile
import time
from collections.abc import Callable
from functools import cache
from hashlib import blake2b
from pathlib import Path

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

PATIENCE = 300.0  # seconds; a process that compiles for longer has been stopped
PAUSE = 0.05  # seconds between looks


def take(name: str) -> bool:
    """Claim a name for this process, unless another one has; True also where nothing can be locked."""
    return fcntl is None or _locked(name, fcntl.LOCK_EX | fcntl.LOCK_NB)


def give_back(name: str) -> None:
    """Release a claim."""
    if fcntl is not None:
        _locked(name, fcntl.LOCK_UN)


def taken(name: str) -> bool:
    """Whether another process has claimed a name."""
    if not take(name):
        return True
    give_back(name)
    return False


def wait_for(name: str, between: Callable[[], object]) -> bool:
    """Claim a name when others have released it, and tell whether that took a while; `between` is called on the way."""
    end = time.monotonic() + PATIENCE
    waited = False
    while not take(name) and time.monotonic() < end:
        waited = True
        time.sleep(PAUSE)
        between()
    return waited


def _locked(name: str, how: int) -> bool:
    place = int.from_bytes(blake2b(name.encode(), digest_size=7).digest(), "big") >> 1
    file = _file(os.getpid())
    if file is None:
        return True
    try:
        fcntl.lockf(file, how, 1, place)
    except OSError as error:  # another process has it; anything else: a file system without locks
        return error.errno not in (errno.EAGAIN, errno.EACCES)
    return True


@cache
def _file(_process: int) -> int | None:
    """The file of this user, open as long as the process lives: to close it would release all claims."""
    try:
        path = Path(tempfile.gettempdir()) / f"cotree-{os.getuid()}.lock"
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
