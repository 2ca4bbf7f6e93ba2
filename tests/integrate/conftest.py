"""Systems that several files look at."""

import pytest

from tests.integrate.furnished import damped_four_bar, turned_crank


@pytest.fixture(scope="session")
def system():
    return damped_four_bar()


@pytest.fixture(scope="session")
def turning():
    return turned_crank()
