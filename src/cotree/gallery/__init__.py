"""Ready mechanisms: `ct.gallery.four_bar()` and so on; `q_start`, `v_start` of each hold the start that its source states."""

from cotree.errors import UnknownNameError
from cotree.gallery.loops import (
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
from cotree.gallery.nonholonomic import snakeboard
from cotree.gallery.parallel import five_bar, spherical_five_bar, stewart
from cotree.gallery.spacecraft import satellite
from cotree.gallery.switching import planar_3r, rx130
from cotree.gallery.tops import floating_bodies, heavy_top, spherical_double_pendulum, three_bar
from cotree.model.mechanism import Mechanism, nearest

__all__ = [
    "bennett", "bricard", "double_parallelogram", "five_bar", "floating_bodies", "four_bar", "heavy_top", "n_four_bar",
    "parallelogram", "planar_3r", "rx130", "sarrus", "satellite", "snakeboard", "spherical_double_pendulum",
    "spherical_five_bar", "spherical_four_bar", "stewart", "three_bar", "three_prrr",
]  # fmt: skip


def named(name: str) -> Mechanism:
    """A mechanism of the gallery by its name."""
    if name not in __all__:
        raise UnknownNameError(f"no mechanism {name!r} in the gallery{nearest(name, __all__)}")
    made: Mechanism = globals()[name]()
    return made
