"""For all tests: the same examples every time, each raise of the package reached by one of them, skips explained."""

import os
import signal
import sys
from itertools import count
from pathlib import Path

# before NumPy is loaded: its matrices are small here, and in some files its threads, which wait for each other while other
# processes compute, took nine tenths of the processor time
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hypothesis import HealthCheck, Phase, settings

import cotree
from cotree.errors import CotreeError
from tests.raise_log import EveryRaise
from tests.skip_report import Skips

TESTS = Path(__file__).parent
WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
PORTS = count(8080 + 2_000 * (WORKER % 25), 5)  # of live views; however many workers there are, below 65536
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let commands in the background ignore it
os.environ.setdefault("COTREE_COMPILE_JOBS", "1")  # the test command has processes enough
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # tests start many processes: with stored bytecode in half the time
# the first call of a kernel compiles it, hence no deadline
settings.register_profile("same", deadline=None, derandomize=True, database=None)  # the test command: no fresh draws
settings.register_profile(
    "fuzz", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)  # make fuzz
# make mutants: a test that fails is left at once, without the search for a smaller example; few examples where nothing is
# compiled
AT_ONCE = {"phases": [Phase.explicit, Phase.generate], "suppress_health_check": list(HealthCheck)}
settings.register_profile("mutants", settings.get_profile("same"), **AT_ONCE)
settings.register_profile("mutants-interpreted", settings.get_profile("mutants"), max_examples=10)
settings.load_profile("same")


def pytest_configure(config):
    config.pluginmanager.register(EveryRaise(config, Path(cotree.__file__).parent, CotreeError, TESTS), "every-raise")
    config.pluginmanager.register(Skips(), "skips")


def pytest_runtest_setup(item):
    """Each test has ports of its own: browsers keep connections to servers that have ended, and other tests run beside it."""
    server = sys.modules.get("cotree.view.live.server")
    if server is not None and item.path.parent.name in ("view", "studio"):
        server.FIRST_PORT = next(PORTS)
