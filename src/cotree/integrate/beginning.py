"""A run before its first step, from where it is made once more: with other tolerances, another step, or another state."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cotree.integrate.driver import Driver
from cotree.integrate.settings import Settings
from cotree.system.system import System

Array = NDArray[np.float64]


class Beginning:
    """Taken of a driver that has not gone yet. To go back there takes a fraction of the time that another driver takes."""

    def __init__(self, driver: Driver) -> None:
        self.driver, self.memory = driver, driver.state.memory()

    def again(self, settings: Settings, t_end: float) -> Driver:
        """The driver where it began, with other settings of the same method; what it has made is no longer in it."""
        driver = self.driver
        driver.settings = settings
        driver.begin()
        driver.state.restore(self.memory)
        driver.put_options(t_end, t_end - float(driver.state.clock.t_now))
        driver.watch_progress()
        return driver

    def serves(self, system: System, settings: Settings) -> bool:
        """Whether the driver is that of a run of this system with these settings."""
        return self.driver.system is system and self.driver.settings == settings

    def elsewhere(self, q: Array, v: Array) -> Driver:
        """The driver at the start of a run from another state; what it has written is overwritten."""
        self.driver.state.restore(self.memory)
        self.driver.start_again(q, v)
        return self.driver
