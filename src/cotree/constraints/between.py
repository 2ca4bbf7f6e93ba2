"""A row between two links: a wrench W that does no work on admissible motions, W . (V_b - V_a) = b.

Jacobian W . S_j along both ways to ground; acceleration W . (dV_b/dt - dV_a/dt) + dW/dt . (V_b - V_a). What the kinds of
constraints have to say is their W and how it changes.
"""

from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.storage import twist
from cotree.lie.vec3 import add, cross


@kernel
def add_row(J, row, factor, W, link_a, link_b, links, dof_work):
    """J[row] += factor W . (J_b - J_a)."""
    _add_path(J, row, factor, W, link_b, links, dof_work)
    _add_path(J, row, -factor, W, link_a, links, dof_work)


@kernel
def _add_path(J, row, factor, W, link, links, dof_work):
    while link > 0:
        for j in range(links[link].iv, links[link].iv + links[link].nv):
            J[row, j] += factor * se3.pair(twist(dof_work[j].S), W)
        link = links[link].parent


@kernel
def rate_between(W, W_dot, a, b):
    """d/dt of W . (V_b - V_a) for v_dot = 0; a, b: workspace rows with twists and bias accelerations."""
    return se3.pair(se3.minus(twist(b.a), twist(a.a)), W) + se3.pair(se3.minus(twist(b.V), twist(a.V)), W_dot)


@kernel
def force_at(x, n):
    """Wrench of the unit force n at x."""
    return (cross(x, n), n)


@kernel
def force_rate(x, n, x_dot, n_dot):
    """Its rate when point and direction move."""
    return (add(cross(x_dot, n), cross(x, n_dot)), n_dot)


@kernel
def velocity_at(V, x):
    """Velocity of the material point at x."""
    return add(V[1], cross(V[0], x))
