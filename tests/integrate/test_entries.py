"""What is compiled ahead of a run is what the run calls: afterwards nothing of it is missing, and nothing else was compiled."""

import cotree as ct
from cotree.constraints import api
from cotree.dynamics.api import mass_matrix_job
from cotree.formulations.odca.forward import divide_example, division_jobs
from cotree.integrate.entries import first_jobs
from cotree.integrate.loop import advance
from cotree.integrate.settings import Settings
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
