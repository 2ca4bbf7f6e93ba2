"""Power of the force elements: what loads and motors supply, what dampers take."""

import numpy as np

from cotree.dynamics.curves import value
from cotree.dynamics.elements import add_powers, joint_rate, load_wrench, rubbed, spring_state
from cotree.engine.choosing import every
from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.storage import twist, vec


@kernel
def element_powers(elements, work, values, v):
    """(supplied, dissipated) [W] at a state whose links are placed and moved; `values` as in `apply_elements`."""
    springs, loads, joint_forces, cuts, others = elements
    supplied, dissipated = 0.0, 0.0
    for k in range(springs.size):
        s = springs[k]
        if not every(s.damping == 0.0):
            _, _, _, rate = spring_state(s, work)
            dissipated += s.damping * rate * rate
    for k in range(loads.size):
        V = twist(work[loads[k].link].V)
        supplied += se3.pair(V, load_wrench(loads[k], work, vec(values[k])))
    for k in range(joint_forces.size):
        f = joint_forces[k]
        rate = joint_rate(f, cuts, work, v)
        dissipated += f.damping * rate * rate + value(f.resisting, rate) * rate
        supplied += value(f.driving, rate) * rate
        if f.slot >= 0:
            power = rubbed(f, values[f.slot, 0], rate) * rate
            if f.friction:
                dissipated -= power
            else:
                supplied += power
    more = _other_powers(others, values, v)
    return supplied + more[0], dissipated + more[1]


@kernel
def _other_powers(others, values, v):
    """Those of elements of registered kinds; None: there are none."""
    if others is None or others.kinds.size == 0:
        return 0.0, 0.0
    more = np.zeros(2)
    add_powers(others, values, v, more)
    return more[0], more[1]
