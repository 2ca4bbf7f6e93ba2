"""Everything compiled beforehand: short calls that together reach all that Cotree compiles.

What is compiled does not depend on the mechanism, so that a four-bar and a chain stand for all others. Each recipe runs in a
process that may run others too; the longest come first.
"""

from __future__ import annotations

import time
import warnings
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

import cotree as ct
from cotree.engine.bar import bar
from cotree.engine.helper import order_for
from cotree.engine.together import Job, cores, run_all
from cotree.errors import ArgumentError
from cotree.formulations.contract import FORMULATIONS
from cotree.integrate.methods.contract import METHODS
from cotree.integrate.settings import STABILIZERS
from cotree.transitions.contacts.cones import cone_table
from cotree.transitions.contacts.solve import solve_cones
from cotree.view.movie.rendering import Renderer
from cotree.view.scene import scene_of
from cotree.view.scene.frames import still

SHORT = 0.002  # seconds simulated


def division() -> None:
    """Formulation "odca": alone, and a large one on threads."""
    for formulation in ("auto", "odca"):
        ct.simulate(ct.gallery.four_bar(), SHORT, formulation=formulation)
    large = ct.gallery.n_four_bar(400).compile()
    ct.forward_dynamics(large, large.q0)
    ct.consistent_velocity(large, ct.assemble(large, large.q0), np.ones(large.nv))
    ct.transition(large, large.q0, np.zeros(large.nv), activate=large.v_names[:1])
    wide = ct.gallery.n_four_bar(10)
    wide.coupling("all cranks", dict.fromkeys(wide.compile().v_names, 1.0))
    ct.forward_dynamics(wide.compile(), wide.compile().q0, formulation="odca")


def first_run() -> None:
    """What the first lines of the README need."""
    mech = ct.gallery.four_bar()
    ct.mobility(mech)
    _ = ct.simulate(mech, SHORT).energy


def choices() -> None:
    """Formulations with matrices, methods, stabilizations."""
    mech = ct.gallery.four_bar()
    for formulation in FORMULATIONS:
        if formulation != "odca":
            ct.simulate(mech, SHORT, formulation=formulation)
            ct.forward_dynamics(mech.compile(), mech.compile().q0, formulation=formulation)
    ct.simulate(mech, SHORT, formulation=ct.Voronets(independent="auto"))
    free = mech.compile(coordinates="absolute", group="SE3")  # for methods that want a constant mass matrix
    for name, method in METHODS.items():
        ct.simulate(mech if method.suits is None else free, SHORT, method=name, step=SHORT / 2)
    for stabilize in STABILIZERS:
        ct.simulate(mech, SHORT, stabilize=stabilize)


def sensors() -> None:
    """What is read of runs by name."""
    mech = ct.gallery.four_bar()
    mech.spring("s", "ground", (1.0, 2.0, 0.0), "coupler", (1.5, 1.1, 0.0), 40.0)
    mech.motor("m", "A", 1.0)
    mech.motor("law", "B", lambda joints: joints["C"].rate)
    mech.motor("over time", "C", ct.Steps([0.0, 0.5 * SHORT], [0.0, 1.0]) + ct.Harmonic(1.0, 5.0))
    mech.force("f", "rocker", (1.0, 0.0, 0.0), (2.4, 0.7, 0.0))
    run = ct.simulate(mech, SHORT)
    _ = run.point("coupler").acceleration, run.reaction("A").force
    for name in ("s", "m", "f"):
        _ = run.element(name).work
    wheel = ct.simulate(ct.gallery.rolling_disk(), SHORT)
    _ = wheel.element(next(iter(wheel.system.constraints))).force
    system = mech.compile()
    ct.reading_derivatives(system, system.q0, lambda s: [*s.reaction("A").force, s.element("m").force])


def stepping() -> None:
    """Steps from Python."""
    stepper = ct.Stepper(ct.gallery.four_bar(), SHORT)
    stepper.set(torque={"A": 1.0})
    stepper.step()
    _ = stepper.v_dot


def elements() -> None:
    """Each kind of force element, and laws that the loop calls as compiled code, holds or switches."""
    import numba

    mech = ct.Mechanism("elements")
    body = mech.body("body", mass=1.0, com=(0.0, 0.0, 0.0), inertia=(1.0, 1.0, 1.0))
    mech.joint("free", mech.ground, body, ct.Free())
    ends = (mech.ground, (0.0, 0.0, 1.0), body, (0.0, 0.0, 0.0))
    mech.nonlinear_spring("nonlinear", *ends, force=[(-1, -1), (0, 0), (1, 2)])
    mech.rope("rope", *ends, stiffness=1.0)
    mech.bump_stop("stop", *ends, stiffness=1.0)
    mech.bushing("bushing", mech.ground, body, (0, 0, 0), [1.0] * 6)
    mech.cable("cable", [(mech.ground, (0, 0, 1)), (body, (0, 0, 0)), (mech.ground, (1, 0, 1))], stiffness=1.0)
    mech.drag("drag", body, 0.1)
    mech.tyre("tyre", body, radius=0.3, stiffness=1.0)
    mech.central_gravity("far", body, mu=1.0, center=(0, 0, -5))
    mech.actuator("jack", *ends, 1.0, kp=1.0, limits=(-1.0, 1.0))
    mech.force("push", body, numba.njit(lambda position, velocity, omega: -0.1 * (position + velocity + omega)))
    mech.force_between("line", *ends, numba.njit(lambda length, rate: 0.1 * length - 0.1 * rate))
    run = ct.simulate(mech, SHORT)
    for name in ("nonlinear", "jack"):
        _ = run.element(name).work
    tyre: Any = run.element("tyre")
    _ = tyre.normal
    held = ct.gallery.four_bar()
    held.belt("belt", "A", "D", 0.1, 0.1, stiffness=1.0)
    for of_kinds in (mech.compile(), held.compile()):  # with laws that kinds read, and without
        ct.inverse_dynamics_derivatives(of_kinds, of_kinds.q0)
    held.motor("held", "A", ct.Law(lambda angle, x: (-angle, x), states={"x": 0.0}, period=SHORT / 4))
    ct.simulate(held, SHORT)


def functions() -> None:
    """The functions of a system, with loops and without."""
    for mech in (ct.gallery.four_bar(), ct.gallery.pendulum_chain(2)):
        system = mech.compile()
        q, v, body = system.q0, np.zeros(system.nv), system.body_names[-1]
        given: dict[Any, tuple[Any, ...]] = dict.fromkeys(
            (
                ct.poses,
                ct.mass_matrix,
                ct.constraint_residual,
                ct.constraint_jacobian,
                ct.theory.constraint_rate,
                ct.theory.christoffel,
            ),
            (q,),
        )
        given |= dict.fromkeys(
            (ct.twists, ct.energy, ct.momentum, ct.center_of_mass, ct.theory.coriolis_matrix, ct.forward_dynamics,
             ct.constraint_bias, ct.theory.coordinate_rates, ct.displace, ct.consistent_velocity,
             ct.forward_dynamics_derivatives), (q, v),
        )  # fmt: skip
        given |= dict.fromkeys((ct.accelerations, ct.inverse_dynamics, ct.inverse_dynamics_derivatives), (q, v, v))
        given |= dict.fromkeys(
            (ct.spatial_jacobian, ct.body_jacobian, ct.theory.jacobian_partials, ct.theory.jacobian_second_partials),
            (q, body),
        )
        given[ct.jacobian_derivative] = (q, v, body)
        for function, arguments in given.items():
            function(system, *arguments)
        ct.linearize(system, v={})
        ct.equilibrium(system)
        ct.inverse_kinematics(system, {body: ct.poses(system, q)[-1]})
        ct.simulate(system, SHORT)
        names = [f"{body}.mass"]
        ct.parameter_derivatives(system, q, v, names)
        ct.sensitivities(system, SHORT, parameters=names)


def batches() -> None:
    """Many states in one call."""
    chain = ct.gallery.pendulum_chain(2).compile()
    q = np.zeros((2, chain.nq))
    for function in (ct.poses, ct.mass_matrix):
        function(chain, q)
    for of_both in (ct.energy, ct.momentum, ct.center_of_mass, ct.twists, ct.forward_dynamics, ct.inverse_dynamics):
        of_both(chain, q, q)
    several = ct.Systems([chain, chain])
    ct.mass_matrix(several, q)
    for of_several in (ct.energy, ct.forward_dynamics, ct.inverse_dynamics):
        of_several(several, q, q)


def lanes() -> None:
    """Many runs at once, of loops, trees and rows of other kinds."""
    four_bar = ct.gallery.four_bar()
    four_bar.distance("d", "ground", (1.0, 2.0, 0.0), "coupler", (1.5, 1.1, 0.0))
    geared = ct.gallery.pendulum_chain(2)
    geared.gear("g", "J1", "J2", 1.0)
    for mech in (four_bar, geared, ct.gallery.pendulum_chain(2)):
        system = mech.compile()
        ct.simulate_many(system, SHORT, np.array([system.q0]), lanes=True, output=2)
    ct.BatchStepper(ct.gallery.four_bar(), SHORT, 1).step()


def switching() -> None:
    """Events, brakes and locks, rows of other kinds."""
    chain = ct.gallery.pendulum_chain(2)
    ct.simulate(chain, SHORT, events=[ct.Event(lambda t, q, v: q[0] - 7.0, "never")])
    system = chain.compile()
    ct.transition(system, system.q0, np.zeros(2), activate=["J2"])
    spinning = ct.gallery.satellite()
    spinning.conserve("spin", "angular momentum", (0, 0, 1), 100.0)
    for mech in (ct.gallery.rolling_disk(), ct.gallery.bicycle(), spinning, ct.gallery.stewart()):
        ct.simulate(mech, SHORT)
    chain.brake("J2", 0.01)
    chain.friction("J1", coefficient=0.1, radius=0.001)
    ct.simulate(chain, SHORT)
    solve_cones(np.eye(3), np.array([-1.0, 0.1, 0.0]), cone_table([1], [2], 0.5))


def contacts() -> None:
    """Bodies that hit, slip and stick on a plane."""
    mech = ct.Mechanism("ball")
    ball = mech.body("ball", shape=ct.Sphere((0, 0, 0.11), 0.1), density=1000)
    mech.joint("free", mech.ground, ball, ct.Free())
    mech.contact("floor", mech.ground, ct.Plane((0, 0, 0), (0, 0, 1)), ball, None, friction=0.2)
    ct.simulate(mech, 0.5, v={"free.vx": 1.0}, output=2)


def pictures() -> None:
    """Pictures and films."""
    system = ct.gallery.four_bar().compile()
    Renderer(scene_of(system, still(system, system.q0)), 16, 16).image(0.0)


RECIPES = (
    division,
    lanes,
    choices,
    first_run,
    functions,
    switching,
    contacts,
    batches,
    sensors,
    stepping,
    elements,
    pictures,
)
ORDER = tuple(recipe.__name__ for recipe in RECIPES)


def named(name: str) -> None:
    """Follow one recipe, by its name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        globals()[name]()


def warm(recipes: Sequence[str] = ORDER, jobs: int | None = None) -> dict[str, Any]:
    """Compile everything; returns the seconds it took, the processes, kernels compiled and recipes that failed."""
    if jobs is not None and jobs < 1:
        raise ArgumentError(f"jobs is {jobs}; give a number of parallel processes, 1 or more")
    before = len(bar.done)
    begun, n = time.perf_counter(), min(jobs or cores(), len(recipes))
    orders = deque(Job(name, order_for(__name__, "named", None, name), lambda: None) for name in recipes)
    with bar.over():
        failed = run_all(orders, n, here=False)
    left = [job.function for job in failed] + [job.function for job in orders]
    return {"seconds": time.perf_counter() - begun, "processes": n, "failed": left, "kernels": len(bar.done) - before}
