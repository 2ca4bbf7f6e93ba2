"""Ready mechanisms: `ct.gallery.four_bar()` and so on; `q_start`, `v_start` of each hold the start that its source states."""

from cotree.errors import UnknownNameError
from cotree.gallery.benchmark_top import spinning_top
from cotree.gallery.bicycles import bicycle
from cotree.gallery.dca_linkages import dca_four_bar, folding_four_bar, seven_bar, toggle_four_bar
from cotree.gallery.delta_robot import delta
from cotree.gallery.lie_examples import floating_bodies, heavy_top, spherical_double_pendulum, three_bar
from cotree.gallery.linkages import (
    bennett,
    bricard,
    double_parallelogram,
    four_bar,
    n_four_bar,
    parallelogram,
    sarrus,
    spherical_four_bar,
    three_prrr,
)
from cotree.gallery.locking_arms import planar_3r, rx130
from cotree.gallery.parallel_robots import five_bar, spherical_five_bar, stewart
from cotree.gallery.pendulums import pendulum_chain
from cotree.gallery.reg_spherical_four_bar import reg_four_bar
from cotree.gallery.rolling_disks import rolling_disk
from cotree.gallery.satellites import satellite
from cotree.gallery.sleighs import chaplygin_sleigh
from cotree.gallery.slider_cranks import slider_crank
from cotree.gallery.snakeboards import snakeboard
from cotree.model.mechanism import Mechanism, nearest

__all__ = [
    "bennett", "bicycle", "bricard", "chaplygin_sleigh", "dca_four_bar", "delta", "double_parallelogram", "five_bar",
    "floating_bodies", "folding_four_bar", "four_bar", "heavy_top", "n_four_bar", "parallelogram", "pendulum_chain",
    "planar_3r", "reg_four_bar", "rolling_disk", "rx130", "sarrus", "satellite", "seven_bar", "slider_crank",
    "snakeboard", "spherical_double_pendulum", "spherical_five_bar", "spherical_four_bar", "spinning_top", "stewart",
    "three_bar", "three_prrr", "toggle_four_bar",
]  # fmt: skip


def __dir__() -> list[str]:
    """The mechanisms, without the modules that have them."""
    return [*__all__, "named"]


def named(name: str) -> Mechanism:
    """A mechanism of the gallery by its name."""
    if name not in __all__:
        raise UnknownNameError(f"there is no mechanism {name!r} in the gallery{nearest(name, __all__)}")
    made: Mechanism = globals()[name]()
    return made
