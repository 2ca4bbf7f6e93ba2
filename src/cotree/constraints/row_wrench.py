"""A row between two links: a wrench W that does no work on admissible motions, W . (V_b - V_a) = b.

Jacobian W . S_j along both ways to ground; acceleration W . (dV_b/dt - dV_a/dt) + dW/dt . (V_b - V_a). What the kinds of
constraints have to say is their W and how it changes.
"""

from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.storage import twist
from cotree.lie.vec3 import add, cross, dot

NULL = 1e-10  # work on all motions, relative to the sizes of its terms, at which a row says nothing


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
def put_row(J, row, W, link_a, link_b, links, dof_work):
    """J[row] = W . (J_b - J_a), which was zero before; zero it stays where that is no more than rounding errors."""
    add_row(J, row, 1.0, W, link_a, link_b, links, dof_work)
    clear_null_row(J, row, W, link_a, link_b, links, dof_work)


@kernel
def clear_null_row(J, row, W, link_a, link_b, links, dof_work):
    """Zero in a row of rounding errors, as of a wrench out of the plane in which all bodies move.

    Solvers compare rows with each other: where there are no others, rounding errors would count as rows.
    """
    if not (_does_work(J, row, W, link_b, links, dof_work) or _does_work(J, row, W, link_a, links, dof_work)):
        _clear_path(J, row, link_b, links)
        _clear_path(J, row, link_a, links)


@kernel
def _does_work(J, row, W, link, links, dof_work):
    """Whether some entry of the row is more than rounding errors of W . S_j."""
    moment, force = NULL * NULL * dot(W[0], W[0]), NULL * NULL * dot(W[1], W[1])
    while link > 0:
        for j in range(links[link].iv, links[link].iv + links[link].nv):
            w, v = twist(dof_work[j].S)
            if not J[row, j] * J[row, j] <= moment * dot(w, w) + force * dot(v, v):  # what is not finite stays
                return True
        link = links[link].parent
    return False


@kernel
def _clear_path(J, row, link, links):
    while link > 0:
        for j in range(links[link].iv, links[link].iv + links[link].nv):
            J[row, j] = 0.0
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
