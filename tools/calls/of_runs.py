"""Valid calls around simulations, runs and files."""

from __future__ import annotations

import numpy as np

import cotree as ct
from tools.calls.bench import T_END, Bench, Target, const, target


def stepped(stepper: ct.Stepper, n: int = 1) -> object:
    """The state after some steps."""
    stepper.step(n)
    return stepper.q


def sensor_functions(bench: Bench) -> list[Target]:
    """What is read of runs and states by name."""
    run, ground = bench.run, lambda: (0.1, 0.2, 0.3)
    return [
        target("Run.joint", lambda **k: run.joint(**k).columns(), "name", name="C"),
        target("Run.point", lambda **k: run.point(**k).columns(), "body", body="crank", point=ground, name="P"),
        target("Run.orientation", lambda **k: run.orientation(**k).columns(), "body", body="rocker"),
        target(
            "Run.distance",
            lambda **k: run.distance(**k).columns(),
            "body_a point_a body_b point_b",
            body_a="ground",
            point_a=ground,
            body_b="crank",
            point_b=ground,
            name="d",
        ),
        target("Run.reaction", lambda **k: run.reaction(**k).columns(), "joint", joint="B", point=ground, axes="joint"),
        target("Run.element", lambda **k: bench.loaded.element(**k).columns(), "name", name="m"),
        target("Run.body_energy", lambda **k: run.body_energy(**k).columns(), "body", body="crank"),
        target("degrees", ct.degrees, "angles", angles=lambda: {"A": 30.0}),
        target(
            "Stepper",
            lambda **k: stepped(ct.Stepper(**k)),
            "mechanism_or_system step",
            mechanism_or_system=bench.system,
            step=0.005,
            method="rk4",
            q=lambda: bench.q.copy(),
            v=lambda: bench.v.copy(),
            t_start=0.0,
            formulation="auto",
            stabilize="auto",
            record=True,
        ),
        target("Stepper.step", lambda **k: stepped(bench.stepper, **k), "n", n=2),
        target("Stepper.set", bench.stepper.set, "torque", torque=lambda: {"A": 0.1}, force=lambda: {"B": 0.1}),
        target("Stepper.reset", bench.stepper.reset, "q v", q=lambda: bench.q.copy(), v=lambda: bench.v.copy(), t=0.0),
        target(
            "measure",
            lambda **k: ct.measure(**k).reaction("A").columns(),
            "system q",
            system=bench.system,
            q=lambda: bench.q.copy(),
            v=lambda: bench.v.copy(),
            t=0.0,
        ),
    ]


def run_functions(bench: Bench) -> list[Target]:
    """Simulation, runs and files."""
    simulate = target(
        "simulate",
        ct.simulate,
        "mechanism_or_system t_end",
        mechanism_or_system=bench.system,
        t_end=T_END,
        q=lambda: bench.q.copy(),
        v=lambda: bench.v.copy(),
        step=0.005,
        method="auto",
        formulation="auto",
        stabilize="auto",
        rtol=1e-6,
        atol=1e-6,
        output=5,
        events=lambda: [ct.Event(lambda t: t - 0.01)],
        progress=False,
    )
    alpha = {**simulate.arguments, "method": const("generalized-alpha")}
    parts = {**simulate.arguments, "stabilize": lambda: ct.Partition(position=["B", "D"], velocity=["B", "D"])}
    run = bench.run
    return [
        simulate,
        Target("simulate", ct.simulate, alpha, (*simulate.needed, "method", "step")),
        Target("simulate", ct.simulate, parts, (*simulate.needed, "stabilize", "step")),
        target(
            "simulate_many",
            ct.simulate_many,
            "system t_end q",
            system=bench.system,
            t_end=T_END,
            q=lambda: np.tile(bench.q, (2, 1)),
            v=lambda: bench.v.copy(),
            parameters=None,
            step=0.01,
            method="auto",
            formulation="auto",
            stabilize="auto",
            rtol=1e-6,
            atol=1e-6,
            output=3,
            threads=1,
        ),
        target(
            "Event",
            lambda **k: ct.simulate(bench.system, T_END, output=3, progress=False, events=[ct.Event(**k)]),
            "function",
            function=lambda: lambda t: t - 0.01,
            name="e",
            terminal=False,
            direction=0,
        ),
        target("Run.resume", run.resume, "t_end", t_end=0.06, output=3, events=(), progress=False),
        target("Run.reactions", run.reactions, "joint", joint="A"),
        *sensor_functions(bench),
        target("Run.topology", run.topology, "t", t=0.01),
        target("Run.plot", run.plot, "path", path="p.png"),
        target("Run.html", run.html, "path", path="p.html"),
        target("Run.save", run.save, "path", path="r.h5"),
        target(
            "Run.view",
            lambda **k: run.view(**{**k, "open": False, "wait": False}).close(),
            "",
            port=None,
            host="127.0.0.1",
        ),
        target("System.row_of", bench.system.row_of, "body", body="crank"),
        target("System.velocity_index", bench.system.velocity_index, "coordinate", coordinate="A"),
        target(
            "System.view",
            lambda **k: bench.system.view(**{**k, "open": False, "wait": False}).close(),
            "",
            q=lambda: bench.q.copy(),
        ),
        target("save", ct.save, "mech path", mech=bench.mech, path="m.json"),
        target(
            "load",
            ct.load,
            "path",
            path="good.json",
            functions=None,
            missing="raise",
            floating=None,
            loops=None,
            limits=False,
        ),
        target("load_run", ct.load_run, "path", path="good.h5", functions=None),
        target(
            "read_step", ct.read_step, "path", path="good.json", density=1000.0, omit=(), tolerance=1e-5, meshes=None
        ),
        target(
            "sweep",
            lambda **k: ct.sweep(**k, workers=1),
            "build parameters measure",
            build=lambda: lambda mass: bench.mech,
            parameters=lambda: {"mass": [1.0, 2.0]},
            measure=lambda: lambda mech: len(mech.bodies),
            path=None,
            t_end=None,
            sampling="grid",
            samples=None,
            seed=0,
            batch=1,
            progress=False,
        ),
        target("load_sweep", ct.load_sweep, "path", path="good.sweep"),
        target(
            "tolerances",
            lambda **k: str(ct.tolerances(**k, workers=1)),
            "build dimensions measure samples",
            build=lambda: lambda mass: bench.mech,
            dimensions=lambda: {"mass": (1.0, 0.1)},
            measure=lambda: lambda mech: len(mech.bodies),
            limits=lambda: {"value": (1.0, 5.0)},
            distribution="normal",
            samples=4,
            seed=0,
            t_end=None,
            path=None,
            progress=False,
        ),
        target(
            "emergency_stop",
            ct.emergency_stop,
            "mechanism at brakes t_end",
            mechanism=lambda: ct.gallery.four_bar(),
            at=0.01,
            brakes=lambda: {"A": 5.0},
            locks=None,
            watch=None,
            t_end=T_END,
            static_ratio=1.0,
        ),
    ]
