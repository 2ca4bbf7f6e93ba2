"""A row is a wrench that does no work on admissible motions: Wb . V_b - Wa . V_a = b, with Wa = Wb where the gap is closed.

What the kinds of constraints have to say is this wrench and how it changes; from it follow the Jacobian, W . S_j along both
ways to ground, and the acceleration, W . (dV_b/dt - dV_a/dt) + dW/dt . (V_b - V_a).
"""

from cotree.engine.choosing import every
from cotree.engine.kernel import kernel
from cotree.lie import se3
from cotree.lie.storage import put_twist, twist
from cotree.lie.vec3 import add, cross, dot

NULL = 1e-10  # work on all motions, relative to the sizes of its terms, at which a row says nothing

# -- what kinds of rows write ---------------------------------------------------------------------------------


@kernel
def put_between(s, piece, W):
    """The wrench of a piece: W on body b, its opposite on body a."""
    w = s.wrenches[piece]
    put_twist(w.Wa, W)
    put_twist(w.Wb, W)


@kernel
def put_pair(s, piece, Wa, Wb):
    """The wrenches of a piece where those on its two bodies differ by the gap."""
    w = s.wrenches[piece]
    put_twist(w.Wa, Wa)
    put_twist(w.Wb, Wb)


@kernel
def put_pair_rate(s, piece, Wa_dot, Wb_dot):
    """And their rates."""
    w = s.wrenches[piece]
    put_twist(w.Wa_dot, Wa_dot)
    put_twist(w.Wb_dot, Wb_dot)


@kernel
def put_rate_between(s, piece, W_dot):
    """And its rate."""
    w = s.wrenches[piece]
    put_twist(w.Wa_dot, W_dot)
    put_twist(w.Wb_dot, W_dot)


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


# -- what is made of it ---------------------------------------------------------------------------------------


@kernel
def difference(a, b, Wa, Wb):
    """Wb . b - Wa . a; where the wrenches are the same, of the difference of a and b."""
    return se3.pair(se3.minus(b, a), Wb) + se3.pair(a, se3.minus(Wb, Wa))


@kernel
def add_pair(J, row, p, w, links, dof_work):
    """J[row] += Wb . J_b - Wa . J_a for a piece p with wrenches w."""
    _add_path(J, row, 1.0, twist(w.Wb), p.link_b, links, dof_work)
    _add_path(J, row, -1.0, twist(w.Wa), p.link_a, links, dof_work)


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
def clear_null_row(J, row, p, w, links, dof_work):
    """Zero in a row of rounding errors, as of a wrench out of the plane in which all bodies move.

    Solvers compare rows with each other: where there are no others, rounding errors would count as rows.
    """
    if not (
        _does_work(J, row, twist(w.Wb), p.link_b, links, dof_work)
        or _does_work(J, row, twist(w.Wa), p.link_a, links, dof_work)
    ):
        _clear_path(J, row, p.link_b, links)
        _clear_path(J, row, p.link_a, links)


@kernel
def _does_work(J, row, W, link, links, dof_work):
    """Whether some entry of the row is more than rounding errors of W . S_j."""
    moment, force = NULL * NULL * dot(W[0], W[0]), NULL * NULL * dot(W[1], W[1])
    while link > 0:
        for j in range(links[link].iv, links[link].iv + links[link].nv):
            w, v = twist(dof_work[j].S)
            if not every(J[row, j] * J[row, j] <= moment * dot(w, w) + force * dot(v, v)):  # what is not finite stays
                return True
        link = links[link].parent
    return False


@kernel
def _clear_path(J, row, link, links):
    while link > 0:
        for j in range(links[link].iv, links[link].iv + links[link].nv):
            J[row, j] = 0.0
        link = links[link].parent
