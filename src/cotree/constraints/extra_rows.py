"""All compiled rows beside those of the cut joints, in one call each; `others` from `open_rows`, `motions` (slots, 3)."""

from cotree.constraints import contact, coordinate_rows, distance, loops
from cotree.engine.kernel import kernel


@kernel
def first_row(cuts):
    """Number of rows of the cut joints, behind which the others follow."""
    return cuts[cuts.size - 1].row + cuts[cuts.size - 1].kept if cuts.size else 0


@kernel
def behind(others, cuts):
    """Number of the first row behind the compiled ones, where the user's own begin."""
    couplings, _, distances, edges, rollings, closings = others
    rows = first_row(cuts) + couplings.size + distances.size + edges.size + 3 * rollings.size
    for k in range(closings.size):
        rows += closings[k].kept
    return rows


@kernel
def put_residual(others, cuts, work, q, motions, g):
    couplings, terms, distances, _, rollings, closings = others
    first = first_row(cuts)
    coordinate_rows.put_residual(couplings, terms, cuts, work, q, motions, first, g)
    distance.put_residual(distances, work, motions, first, g)
    contact.put_residual(rollings, work, first, g)
    loops.put_residual(closings, work, g[first:])


@kernel
def put_jacobian(others, cuts, links, work, dof_work, J):
    """Add the rows; J must be zero before."""
    couplings, terms, distances, edges, rollings, closings = others
    first = first_row(cuts)
    coordinate_rows.put_jacobian(couplings, terms, cuts, links, work, dof_work, first, J)
    distance.put_jacobian(distances, links, work, dof_work, first, J)
    contact.put_edge_jacobian(edges, links, work, dof_work, first, J)
    contact.put_jacobian(rollings, links, work, dof_work, first, J)
    loops.put_jacobian(closings, links, work, dof_work, J[first:])


@kernel
def put_rate(others, cuts, motions, b):
    """b with J v = b; it is zero but for functions of time."""
    couplings, _, distances, _, _, _ = others
    first = first_row(cuts)
    coordinate_rows.put_rate(couplings, motions, first, b)
    distance.put_rate(distances, motions, first, b)


@kernel
def put_bias(others, cuts, work, motions, eta):
    """eta with J v_dot = eta; `a` of the links must hold their accelerations for v_dot = 0."""
    couplings, terms, distances, edges, rollings, closings = others
    first = first_row(cuts)
    coordinate_rows.put_bias(couplings, terms, cuts, work, motions, first, eta)
    distance.put_bias(distances, work, motions, first, eta)
    contact.put_edge_bias(edges, work, first, eta)
    contact.put_bias(rollings, work, first, eta)
    loops.put_bias(closings, work, eta[first:])
