"""Numbers of a mechanism from measurements, and best numbers."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import ArgumentError, ChoiceError, ShapeError, StudyError, UnknownNameError


def rubbed_pendulum():
    mech = ct.gallery.pendulum_chain(2)
    mech.joint_damper("oil", "J1", damping=0.4)
    mech.brake("J2", torque=0.6, name="shoe")
    return mech


BODY = next(iter(ct.gallery.pendulum_chain(2).bodies))
START = {"J1": 1.0, "J2": 0.4}


def test_friction_and_damping_are_found():
    """From exact data to many digits, through the sticking of the brake; with an unknown start."""
    mech = rubbed_pendulum()
    t = np.linspace(0.1, 2.0, 20)
    run = ct.simulate(mech, 2.0, START, output=t, rtol=1e-10, atol=1e-10)
    guess = ct.with_parameters(mech, {"oil.damping": 0.1, "shoe.torque": 0.3})
    found = ct.fit(
        guess, t, run.q, ["J1", "J2"], ["oil.damping", "shoe.torque"], q={"J1": 0.95, "J2": 0.4}, start=["J1"],
        rtol=1e-10, atol=1e-10,
    )  # fmt: skip
    assert abs(found.values["oil.damping"] - 0.4) < 1e-6
    assert abs(found.values["shoe.torque"] - 0.6) < 1e-6
    assert abs(found.values["J1"] - 1.0) < 1e-6
    assert found.q["J1"] == found.values["J1"]
    assert found.rms < 1e-7
    assert ct.parameters(found.mechanism)["oil.damping"] == found.values["oil.damping"]
    assert "oil.damping = 0.4" in str(found)


def test_covariance_is_the_spread_of_repeated_fits():
    """Standard deviations against those of fits to data with errors that are drawn anew, from fixed seeds."""
    mech = ct.gallery.pendulum_chain(1)
    mech.joint_damper("oil", "J1", damping=0.4)
    names, t, sigma = ["oil.damping", "gravity.y"], np.linspace(0.1, 2.0, 30), 0.01
    run = ct.simulate(mech, 2.0, {"J1": 1.0}, output=t)
    fits = []
    for seed in range(25):
        noisy = run.q + sigma * np.random.default_rng(seed).normal(size=run.q.shape)
        fits.append(ct.fit(mech, t, noisy, ["J1"], names, q={"J1": 1.0}))
    values = np.array([list(f.values.values()) for f in fits])
    std = np.array([list(f.std.values()) for f in fits]).mean(axis=0)
    assert (np.abs(values.std(axis=0, ddof=1) / std - 1.0) < 0.45).all()
    off = np.abs(values.mean(axis=0) - [ct.parameters(mech)[n] for n in names])
    assert (off < 4.0 * std / np.sqrt(len(fits))).all()
    known = ct.fit(mech, t, noisy, ["J1"], names, q={"J1": 1.0}, sigma=sigma)
    assert (np.abs(np.array(list(known.std.values())) / std - 1.0) < 0.2).all()
    assert abs(fits[0].correlation[0, 1]) < 1.0


def test_missing_data_bounds_and_complaints():
    mech = ct.gallery.pendulum_chain(1)
    mech.joint_damper("oil", "J1", damping=0.4)
    t = np.linspace(0.1, 1.0, 8)
    data = ct.simulate(mech, 1.0, {"J1": 1.0}, output=t).q.copy()
    data[3] = np.nan
    given = {"q": {"J1": 1.0}}
    found = ct.fit(mech, t, data, ["J1"], ["oil.damping"], bounds={"oil.damping": (0.39, 0.45)}, **given)
    assert abs(found.values["oil.damping"] - 0.4) < 1e-6
    with pytest.raises(StudyError, match=r"do not determine"):
        ct.fit(mech, t, data, ["J1"], ["gravity.y", "link1.mass", "link1.com.x", "link1.inertia.zz"], **given)
    with pytest.raises(ArgumentError, match="name parameters"):
        ct.fit(mech, t, data, ["J1"], **given)
    with pytest.raises(ArgumentError, match="first value for it"):
        ct.fit(mech, t, data, ["J1"], start=["J1.rate"], **given)
    with pytest.raises(UnknownNameError, match=r"no parameter 'oil\.damp'"):
        ct.fit(mech, t, data, ["J1"], ["oil.damp"], **given)
    for bad in ({"t": t[::-1]}, {"measured": data[1:]}, {"sigma": -1.0}):
        with pytest.raises(ShapeError):
            ct.fit(
                **{
                    "mechanism": mech,
                    "t": t,
                    "measured": data,
                    "outputs": ["J1"],
                    "parameters": ["oil.damping"],
                    **given,
                    **bad,
                }
            )
    with pytest.raises(ArgumentError, match="as a dict"):
        ct.fit(mech, t, data, ["J1"], ["oil.damping"], bounds=[(0, 1)], **given)
    with pytest.raises(ArgumentError, match="there is no parameter 'oil'"):
        ct.fit(mech, t, data, ["J1"], ["oil.damping"], bounds={"oil": (0, 1)}, **given)
    with pytest.raises(ShapeError, match="between them"):
        ct.fit(mech, t, data, ["J1"], ["oil.damping"], bounds={"oil.damping": (0.5, 1)}, **given)


def test_optimum_with_exact_and_differenced_slopes():
    """The damping with which a pendulum is nearest to rest after a second: two routes to the derivatives."""
    mech = ct.gallery.pendulum_chain(1)
    mech.joint_damper("oil", "J1", damping=2.0)

    def left(q, v):
        return q[0] ** 2 + 0.1 * v[0] ** 2

    def exact(m):
        s = ct.sensitivities(m, 1.0, {"J1": 1.0}, parameters=["oil.damping"], outputs=[left], way="adjoint")
        return float(s.y[-1, 0]), s.gradient

    both = [
        ct.optimize(mech, f, ["oil.damping"], bounds={"oil.damping": (0.1, 100.0)})
        for f in (exact, lambda m: exact(m)[0])
    ]
    assert all(x.success for x in both)
    assert abs(both[0].values["oil.damping"] - both[1].values["oil.damping"]) < 1e-3 * both[0].values["oil.damping"]
    assert both[0].objective < both[0].begin
    assert both[0].evaluations < both[1].evaluations
    d = both[0].values["oil.damping"]
    assert all(exact(ct.with_parameters(mech, {"oil.damping": f * d}))[0] > both[0].objective for f in (0.97, 1.03))
    assert "objective" in str(both[0])


def test_constraints_and_complaints_of_optimize():
    mech = ct.gallery.pendulum_chain(1)
    name = f"{next(iter(mech.bodies))}.mass"

    def mass(m):
        return ct.parameters(m)[name]

    found = ct.optimize(
        mech,
        lambda m: (mass(m), {name: 1.0}),
        [name],
        constraints=[lambda m: mass(m) - 0.25],
        bounds={name: (0.0, 9.0)},
    )
    assert abs(found.values[name] - 0.25) < 1e-9
    with pytest.raises(ArgumentError, match="name parameters"):
        ct.optimize(mech, mass, [])
    with pytest.raises(ArgumentError, match="must return one number"):
        ct.optimize(mech, lambda m: None, [name])
    with pytest.raises(ArgumentError, match="derivatives lack"):
        ct.optimize(mech, lambda m: (1.0, {}), [name])

    def never(m):
        raise StudyError("never")

    with pytest.raises(StudyError, match="no finite value"):
        ct.optimize(mech, never, [name])


def test_ipopt_finds_what_slsqp_finds():
    """A mass between bounds with a constraint on it, with and without derivatives."""
    pytest.importorskip("casadi", reason="the package casadi is not installed")
    mech = ct.gallery.pendulum_chain(2)
    names = [f"{body}.mass" for body in mech.bodies]

    def objective(m):
        a, b = (ct.parameters(m)[name] for name in names)
        slopes = {names[0]: 2 * (a - 2.0) + 2 * b * (a * b - 3.0), names[1]: 2 * a * (a * b - 3.0)}
        return (a - 2.0) ** 2 + (a * b - 3.0) ** 2, slopes

    def light(m):
        return 3.0 - sum(ct.parameters(m)[name] for name in names)

    options = {"bounds": {names[0]: (0.5, 4.0), names[1]: (0.5, 4.0)}, "constraints": [light], "tolerance": 1e-10}
    by_scipy, by_ipopt = (ct.optimize(mech, objective, names, method=x, **options) for x in ("slsqp", "ipopt"))
    assert by_ipopt.success
    assert by_ipopt.message == "Solve Succeeded"
    assert by_ipopt.values == pytest.approx(by_scipy.values, abs=1e-4)  # each to its own measure
    assert abs(light(by_ipopt.mechanism)) < 1e-6
    free = ct.optimize(mech, lambda m: objective(m)[0], names, method="ipopt")
    assert free.values == pytest.approx({names[0]: 2.0, names[1]: 1.5}, abs=1e-5)
    with pytest.raises(ChoiceError, match="method is 'newton'"):
        ct.optimize(mech, objective, names, method="newton")


def test_errors_of_the_objective_say_whose_they_are():
    with pytest.raises(ZeroDivisionError) as raised:
        ct.optimize(ct.gallery.four_bar(), lambda mech: 1 / 0, parameters=["crank.mass"])
    assert raised.value.__notes__ == ["in the objective of optimize"]
    with pytest.raises(KeyError) as raised:
        ct.optimize(ct.gallery.four_bar(), lambda mech: 1.0, parameters=["crank.mass"], constraints=[lambda m: {}["x"]])
    assert "in the constraint of optimize" in raised.value.__notes__


def test_plot(tmp_path):
    mech = ct.gallery.pendulum_chain(1)
    mech.joint_damper("oil", "J1", damping=0.5)
    run = ct.simulate(mech, 1.0, {"J1": 0.5}, output=11)
    speed = run.point(next(iter(mech.bodies))).velocity[:, 0]
    guess = ct.with_parameters(mech, {"oil.damping": 0.1})
    outputs = ["J1", lambda s: s.point(next(iter(mech.bodies))).velocity[0]]
    found = ct.fit(guess, run.t, np.column_stack([run.q, speed]), outputs, ["oil.damping"], q={"J1": 0.5})
    assert abs(found.values["oil.damping"] - 0.5) < 1e-5
    figure = found.plot(tmp_path / "fit.png")
    above, below = figure.axes
    assert np.allclose(above.lines[0].get_ydata(), run.q[:, 0])
    assert np.allclose(above.lines[3].get_ydata(), found.y[:, 1])
    assert np.allclose(below.lines[1].get_ydata(), found.residuals[:, 1])
    assert (tmp_path / "fit.png").stat().st_size > 5000
