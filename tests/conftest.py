"""For all tests: each raise of the package must be reached by one of them."""

from pathlib import Path

import cotree
from cotree.errors import CotreeError
from tests.raise_log import EveryRaise

TESTS = Path(__file__).parent


def pytest_configure(config):
    config.pluginmanager.register(EveryRaise(config, Path(cotree.__file__).parent, CotreeError, TESTS), "every-raise")
