"""All that a step needs at the middle of its motion: forces, mass matrix, rows of loops and of candidates, and their rates."""

from cotree.constraints import all_rows
from cotree.dynamics.composite import fill_mass_matrix
from cotree.dynamics.inverse import inverse_dynamics
from cotree.engine.kernel import kernel
from cotree.engine.records import matrix, vector
from cotree.engine.vectors import copy, copy_rows, fill, fill_rows
from cotree.formulations.acceleration import put_element_powers
from cotree.formulations.problem import ASK_BIAS, ASK_MOTIONS, ASK_ROWS, ASK_VALUES, ask, power_of, terms_of
from cotree.integrate.contacts.steps.activity import put_row
from cotree.system.views import open_rows, open_tables


@kernel
def put_forces(p, c, t, q, v):
    """Forces f, and the right-hand sides eta of the constraints, with the rates of all rows; status."""
    tables, rows = open_tables(c.here), open_rows(c.here)
    status = ask(p, ASK_VALUES | ASK_MOTIONS | ASK_ROWS | ASK_BIAS, t, q, v)
    if status < 0:
        return status
    f, motions, given = vector(c.arrays.f), matrix(c.arrays.motions), matrix(p.arrays.motions)
    copy_rows(given, motions[: given.shape[0]])
    inverse_dynamics(tables, matrix(p.arrays.values), q, v, vector(p.arrays.zero), f)
    for j in range(f.size):
        f[j] = -f[j]
    put_element_powers(tables, matrix(p.arrays.values), v, power_of(p))
    all_rows.wrenches_by(rows.kinds, c.here)
    all_rows.rates_by(rows.kinds, c.here)
    put_own_bias(p, c, rows, tables, motions)
    return 0


@kernel
def put_own_bias(p, c, rows, tables, motions):
    """eta of the mechanism's own rows; those of the user come behind the compiled ones."""
    eta, every, of_user = vector(c.arrays.eta), vector(c.arrays.g), terms_of(p).eta
    all_rows.put_bias(rows, tables.work, motions, every)
    for r in range(c.rows):
        eta[r] = every[r]
    for r in range(c.user):
        eta[c.rows + r] = of_user[c.rows + r]


@kernel
def put_places(p, c, q):
    """Mass matrix M, rows J and residuals g of the constraints and gaps of the candidates; the links are placed and wrenches
    measured."""
    tables, rows = open_tables(c.here), open_rows(c.here)
    M, J, g = matrix(c.arrays.M), matrix(c.arrays.J), vector(c.arrays.g)
    fill(g, 0.0)
    all_rows.gaps_by(rows.kinds, c.here, q, matrix(c.arrays.motions), g)
    fill_mass_matrix(tables.links, tables.dofs, tables.work, tables.dof_work, M)
    if J.shape[0] > 0:
        fill_rows(J, 0, J.shape[0], 0.0)
        for r in range(c.rows):
            put_row(rows, r, 1.0, tables, J, r)
        for r in range(c.user):
            copy(terms_of(p).J[c.rows + r], J[c.rows + r])
