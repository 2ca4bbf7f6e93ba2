"""Laws and springs that take the angle of a joint that is cut: they see it between -pi and pi where its turns are not known.

Around planar loops in relative coordinates other joints tell laws the turns; elsewhere a law that does not repeat every turn
jumps where the joint passes half a turn, as springs do, and the run shows nothing of it.
"""

from __future__ import annotations

import contextlib
import warnings
from typing import TYPE_CHECKING

import numpy as np

from cotree.dynamics.cut_springs import REMEDY, CutSpring, cut_springs
from cotree.dynamics.laws import Law, Place, laws_of, turns_of
from cotree.dynamics.user_forces import element_values
from cotree.errors import CotreeError, RowsWarning
from cotree.model.joints import Helical
from cotree.system.system import System

if TYPE_CHECKING:
    from cotree.integrate.results.run import Run

ANGLE = {"angle", "position"}


def turned_unseen(run: Run) -> list[str]:
    """What to say of laws and springs whose joint has passed half a turn, or may have between two rows."""
    found = [(joint, _words(who, joint)) for joint, who in _readers(run).items()]
    found += [(spring.joint, _words_of_spring(spring)) for spring in cut_springs(run.system)]
    return [words for joint, words in found if _passes_half_a_turn(run, joint)]


def _readers(run: Run) -> dict[str, str]:
    """Joints that are cut, of unknown turns, whose angle is read, and by which law."""
    system, found = run.system, dict[str, str]()
    if not system.cut_joints or not system.elements.functions:
        return found
    laws = laws_of(system)
    for law in laws:
        if law.own is not None and ANGLE & _taken(law):
            found |= _unknown(system, law.own, law.whose)
    takers = [law.whose for law in laws if "joints" in _taken(law)]
    if takers and len(run.t):  # phases of a run and other threads have noted elsewhere what was asked for: ask again
        with contextlib.suppress(CotreeError):
            element_values(system, run.q[0], run.v[0], float(run.t[0]))
    named: dict[str, Place] = system.cached("places of coordinates", dict)  # what laws have asked for as joints[...]
    for place in named.values() if takers else ():
        found = _unknown(system, place, takers[0]) | found
    return found


def _taken(law: Law) -> set[str]:
    return set(law.user.arguments).union(*(f.arguments for _, f in law.user.switching))


def _unknown(system: System, place: Place, whose: str) -> dict[str, str]:
    if place.cut < 0 or place.component >= 3 or turns_of(system, place) is not None:
        return {}
    joint = system.cut_joints[place.cut]
    return {} if isinstance(system.mechanism.joints[joint].joint, Helical) else {joint: whose}


def _passes_half_a_turn(run: Run, joint: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RowsWarning)  # rows that are too far apart count as doubtful below
        reading = run.joint(joint)
        angle, rate = (np.reshape(x, (len(run.t), -1))[:, 0] for x in (reading.angle, reading.rate))
    reach = np.abs(angle)
    if len(reach) > 1:  # between two rows it may come half the way further that its speed allows
        reach = np.maximum(reach[1:], reach[:-1]) + 0.5 * np.maximum(*np.abs([rate[1:], rate[:-1]])) * np.diff(run.t)
    return bool(reach.max(initial=0.0) > np.pi)


def _words_of_spring(spring: CutSpring) -> str:
    return f"{spring.words}; the joint passes half a turn, or may between two rows, where the spring jumps. {REMEDY}"


def _words(whose: str, joint: str) -> str:
    return (
        f"{whose} takes the angle of joint {joint!r}, which is cut, so that its full turns are not known and the function sees "
        "angles between -pi and pi; the joint passes half a turn, or may between two rows. If the function does not repeat "
        "every turn, compile in relative coordinates, with cut= naming another joint of its loop"
    )
