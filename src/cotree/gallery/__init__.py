"""Ready mechanisms: `ct.gallery.four_bar()` and so on."""

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

__all__ = [
    "bennett", "bricard", "double_parallelogram", "four_bar", "n_four_bar", "parallelogram", "sarrus", "spherical_four_bar",
    "three_prrr",
]  # fmt: skip
