"""What is compiled ahead of a run is what the run calls: afterwards nothing of it is missing, and nothing else was compiled."""

import pytest

import cotree as ct
from cotree.constraints import api
from cotree.dynamics.api import mass_matrix_job
from cotree.engine.dependencies import reached_by
from cotree.formulations.contract import FORMULATIONS
from cotree.formulations.odca import solve
from cotree.formulations.odca.forward import divide_example, division_jobs
from cotree.integrate import jumps, locating, output
from cotree.integrate.entries import first_jobs
from cotree.integrate.loop import advance
from cotree.integrate.methods.contract import METHODS
from cotree.integrate.settings import Settings
from cotree.integrate.stabilization import divided, projection
from cotree.topology.contraction import contract


def test_first_jobs_are_what_a_run_needs():
    system = ct.gallery.four_bar().compile()
    settings = Settings().resolved(system)
    ct.simulate(system, 0.01, v={"A": 1.0}, progress=False)
    assert not any(first_jobs(system, settings, moving=True))
    assert not any([mass_matrix_job(), *api.first_jobs()])
    assert len(advance.overloads) == len(api._residual.overloads) == len(api._jacobian.overloads) == 1


def test_first_jobs_of_a_division():
    divide_example()
    system = ct.gallery.four_bar().compile()
    ct.simulate(system, 0.01, formulation="odca", progress=False)
    assert not any(division_jobs())
    assert len(contract.overloads) == 1


def of_a_run(formulation: str) -> set:
    """All functions that a plain run has compiled."""
    settings = Settings(formulation=formulation).resolved(ct.gallery.four_bar().compile())
    method, chosen = METHODS[settings.method], FORMULATIONS[settings.formulation]
    entries = [method.step, method.errors, chosen.terms, chosen.solve]
    if chosen.dense:
        entries += [chosen.positions, projection.onto_constraints, projection.along_constraints]
    else:
        entries += [solve.put_rows_alone, solve.solve_alone, divided.onto_constraints, divided.along_constraints]
    return set().union(reached_by(advance.py_func), *(reached_by(entry.function) for entry in entries))


# what only some systems have: friction under load, kinds of forces, laws that jump, events, other scalars, other methods
FOR_SOME = (
    "formulations.loading", "formulations.reactions", "dynamics.forces", "integrate.locating", "integrate.events.sampling",
    "integrate.events.conditions", "engine.lane", "engine.dual", "integrate.lanes", "integrate.methods.implicit",
    "integrate.methods.rattlie", "integrate.methods.generalized_alpha", "derivatives", "sensors", "transitions",
)  # fmt: skip


@pytest.mark.parametrize(("formulation", "most"), [("auto", 350), ("odca", 431)])
def test_a_plain_run_has_nothing_compiled_that_only_some_systems_need(formulation, most):
    """Each function costs about 0.06 s of a first run; raise the bounds only with a reason."""
    found = of_a_run(formulation)
    assert not [f.__qualname__ for f in found if f.__module__.removeprefix("cotree.").startswith(FOR_SOME)]
    rare = {jumps.flip, jumps.sample, jumps.keep_states, output.sampled, output.looked_at}
    assert not found & {f.py_func for f in rare}
    assert 200 < len(found) <= most


def test_what_only_some_systems_need_is_reached_by_its_entries():
    assert {jumps.flip.py_func, jumps.sample.py_func} <= set(reached_by(jumps.jump.function))
    assert jumps.margin_now.py_func in reached_by(locating.locate.function)
    assert output.looked_at.py_func in reached_by(output.look_for_events.function)
