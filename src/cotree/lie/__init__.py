"""Lie groups of rigid motions: tuple kernels (modules so3, se3, ...) and their array faces (names here).

Functions that are compiled are loaded when they are first asked for, so that files and models can use the others without
Numba.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cotree._suggested import missing
from cotree.lie.matrices import Ad, ad, bracket, cross, hat, inverse, pose, vee

if TYPE_CHECKING:
    from cotree.lie.differentials import (
        dcay_spatial,
        dcay_spatial_inv,
        dexp_body,
        dexp_body_inv,
        dexp_spatial,
        dexp_spatial_direct,
        dexp_spatial_inv,
        dexp_spatial_inv_direct,
    )
    from cotree.lie.direct_faces import bracket_direct, compose_direct, exp_direct, inverse_direct, log_direct
    from cotree.lie.maps import cay, exp_se3, exp_so3, log_se3, log_so3, quaternion_of, rotation_of_quaternion
    from cotree.lie.states import (
        bracket_states,
        compose_states,
        dexp_inv_state,
        exp_state,
        inverse_state,
        log_state,
    )

_MAPS = ("cay", "exp_se3", "exp_so3", "log_se3", "log_so3", "quaternion_of", "rotation_of_quaternion")
_STATES = ("bracket_states", "compose_states", "dexp_inv_state", "exp_state", "inverse_state", "log_state")
_DIRECT = ("bracket_direct", "compose_direct", "exp_direct", "inverse_direct", "log_direct")

__all__ = [
    "Ad", "ad", "bracket", "bracket_direct", "bracket_states", "cay", "compose_direct", "compose_states", "cross",
    "dcay_spatial", "dcay_spatial_inv", "dexp_body", "dexp_body_inv", "dexp_inv_state", "dexp_spatial",
    "dexp_spatial_direct", "dexp_spatial_inv", "dexp_spatial_inv_direct", "exp_direct", "exp_se3", "exp_so3", "exp_state",
    "hat", "inverse", "inverse_direct", "inverse_state", "log_direct", "log_se3", "log_so3", "log_state", "pose",
    "quaternion_of", "rotation_of_quaternion", "vee",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise missing(f"module {__name__!r}", name, __all__, {})
    homes = {"maps": _MAPS, "direct_faces": _DIRECT, "states": _STATES}
    home = import_module(f"cotree.lie.{next((h for h, names in homes.items() if name in names), 'differentials')}")
    globals()[name] = found = getattr(home, name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
