"""For all tests: each raise of the package must be reached by one of them."""

from pathlib import Path

from hypothesis import settings

import cotree
from cotree.errors import CotreeError
from tests.raise_log import EveryRaise

TESTS = Path(__file__).parent
settings.register_profile("compiled", deadline=None)  # the first call of a kernel compiles it
settings.load_profile("compiled")


def pytest_configure(config):
    config.pluginmanager.register(EveryRaise(config, Path(cotree.__file__).parent, CotreeError, TESTS), "every-raise")
