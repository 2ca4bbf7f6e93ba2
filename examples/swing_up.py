"""Swing-up of a pendulum on a cart by direct collocation: IPOPT with exact derivatives of the dynamics, through CasADi.

The least effort (integral of the squared force) that takes the pendulum from hanging to standing in two seconds, by the method
of Hermite and Simpson. The forces found are then applied in a simulation, which must arrive where the optimum does.

    python examples/swing_up.py [picture.png]
"""

from __future__ import annotations

import sys

import casadi
import numpy as np

import cotree as ct

TIME, STEPS, MOST = 2.0, 40, 20.0  # s, intervals, N


def cart() -> ct.Mechanism:
    mech = ct.Mechanism("pendulum on a cart", gravity=(0, -9.81, 0))
    mech.body("cart", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1), shape=ct.Box((0, 0, 0), (0.3, 0.15, 0.15)))
    mech.body("rod", mass=0.3, com=(0, -0.5, 0), inertia=(0.01, 0, 0.01), shape=ct.Rod((0, 0, 0), (0, -0.5, 0)))
    mech.joint("slide", "ground", "cart", ct.Prismatic(axis=(1, 0, 0)))
    mech.joint("hinge", "cart", "rod", ct.Revolute((0, 0, 0), (0, 0, 1)))
    return mech


def collocate(f: ct.studies.DynamicsFunction, guess: np.ndarray, end: dict[int, float], time: float, most: float):
    """States (steps + 1, n) and inputs at nodes and midpoints of the motion of least effort from guess[0]; end: by state."""
    steps, h, call = len(guess) - 1, time / (len(guess) - 1), f.to_casadi()
    opti = casadi.Opti()
    x, u = opti.variable(len(f.states), steps + 1), opti.variable(len(f.inputs), 2 * steps + 1)
    slopes = [call(0.0, x[:, k], u[:, 2 * k]) for k in range(steps + 1)]
    for k in range(steps):
        middle = (x[:, k] + x[:, k + 1]) / 2 + h / 8 * (slopes[k] - slopes[k + 1])
        between = call(0.0, middle, u[:, 2 * k + 1])
        opti.subject_to(x[:, k + 1] - x[:, k] == h / 6 * (slopes[k] + 4 * between + slopes[k + 1]))
    opti.subject_to(x[:, 0] == guess[0])
    for row, value in end.items():
        opti.subject_to(x[row, steps] == value)
    opti.subject_to(opti.bounded(-most, casadi.vec(u), most))
    weights = h / 6 * np.array([1, *([4, 2] * steps)[:-1], 1])  # Simpson's
    opti.minimize(casadi.sum1(u**2) @ weights)
    opti.set_initial(x, guess.T)
    quiet = {
        "ipopt.hessian_approximation": "limited-memory",
        "ipopt.print_level": 0,
        "ipopt.sb": "yes",
        "print_time": 0,
    }
    opti.solver("ipopt", quiet | {"ipopt.max_iter": 1000, "ipopt.tol": 1e-6})
    found = opti.solve()
    return found.value(x).T.reshape(steps + 1, -1), found.value(u).T.reshape(2 * steps + 1, -1), found.value(opti.f)


def simulated(
    mech: ct.Mechanism, f: ct.studies.DynamicsFunction, u: np.ndarray, start: np.ndarray, time: float
) -> ct.Run:
    """The run under these forces, interpolated by quadratics within each interval."""

    def law(k: int):
        def force(t: float) -> float:
            i = 2 * min(int(t / time * (len(u) // 2)), len(u) // 2 - 1)
            s, (a, b, c) = t / time * (len(u) - 1) - i, u[i : i + 3, k]
            return a * (1 - s) * (2 - s) / 2 + b * s * (2 - s) + c * s * (s - 1) / 2

        return force

    for k, name in enumerate(f.inputs):
        mech.motor(f"motor of {name}", name, law(k))
    nq = f.system.nq
    return ct.simulate(mech, time, start[:nq], start[nq:], max_step=time / len(u), output=201)


def main(picture: str | None = None) -> None:
    mech = cart()
    f = ct.dynamics_function(mech, inputs=["slide"])
    target = np.array([0.0, np.pi, 0.0, 0.0])
    x, u, effort = collocate(f, np.linspace(0.0, 1.0, STEPS + 1)[:, None] * target, dict(enumerate(target)), TIME, MOST)
    run = simulated(mech, f, u, x[0], TIME)
    off = np.abs(np.concatenate([run.q[-1], run.v[-1]]) - target).max()
    print(
        f"effort {effort:.2f} N^2 s, greatest force {np.abs(u).max():.2f} N; the simulation ends {off:.1e} from upright"
    )
    if picture is not None:
        import matplotlib.pyplot as plt

        figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7, 5), layout="constrained")
        above.plot(run.t, run.q, label=["cart [m]", "angle [rad]"])
        above.plot(np.linspace(0.0, TIME, STEPS + 1), x[:, :2], "k.", ms=4)
        above.legend()
        below.plot(np.linspace(0.0, TIME, len(u)), u)
        below.set(xlabel="t [s]", ylabel="force [N]")
        figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
