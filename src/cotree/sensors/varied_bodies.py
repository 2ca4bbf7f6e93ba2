"""All bodies of a state with their derivatives: mass, mass centre and its velocity, spin and tensor, ground first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from cotree.derivatives.link_changes import LinkChanges
from cotree.lie import cross
from cotree.sensors.varied_state import VariedState
from cotree.system.switched import places_of


class Bodies(NamedTuple):
    """mass (n,); centre, velocity and spin (n, 3), about the sweep's origin; tensor (n, 3, 3) about the mass centre, in world
    axes."""

    mass: Any
    centre: Any
    velocity: Any
    spin: Any
    tensor: Any


def moving_bodies(state: VariedState, found: LinkChanges) -> Bodies:
    """As the links carry them."""
    links = np.ascontiguousarray(state.system.bodies["link"])
    mass, com, tensor = _masses(state)
    R, V = state.rotations(found, links), state.twists(found, links)
    centre = (R @ com[:, :, None])[:, :, 0] + state.places(found, links)
    velocity = V[:, 3:] + cross(V[:, :3], centre)
    return Bodies(mass, centre, velocity, V[:, :3], R @ tensor @ np.swapaxes(R, 1, 2))


def _masses(state: VariedState) -> tuple[Any, Any, Any]:
    """Mass, mass centre and tensor in world axes of the reference assembly."""
    place, zero = places_of(state.system), state.constant
    mass, com, tensor = [zero(0.0)], [zero(np.zeros(3))], [zero(np.zeros((3, 3)))]
    for name in state.system.body_names:
        m, _, I = state.properties(name)
        R = place.axes(name)
        mass.append(m)
        com.append(state.mass_centre(name))
        tensor.append(R @ I @ R.T)
    return np.stack(mass), np.stack(com), np.stack(tensor)
