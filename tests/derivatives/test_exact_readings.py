"""Exact derivatives of everything that sensors read, against differences of eighth order of what they read."""

import numpy as np
import pytest

import cotree as ct
from cotree.errors import SingularError, SingularWarning, StudyError
from cotree.lie.varied import Varied
from cotree.sensors.varied_sensors import VariedSensors
from tests import closed_mechanisms
from tests.derivatives.differences import slope
from tests.derivatives.test_all_elements import ELEMENTS, belt, rig, tyre
from tests.derivatives.test_constrained_derivatives import kernel
from tests.derivatives.test_constrained_derivatives import state as constrained_state
from tests.derivatives.test_constraint_changes import bench
from tests.derivatives.test_parameter_derivatives import loaded_four_bar, spatial_tree
from tests.derivatives.test_tree_derivatives import loaded
from tests.extending.slot import Slot
from tests.random_mechanisms import error, make_case

TOLERANCE = 1e-9


def readings(system, reactions=True):
    """By name: functions of sensors that read all there is of a system."""
    mech, found = system.mechanism, {"kinetic": lambda s: s.energy.kinetic, "potential": lambda s: s.energy.potential}
    for k, body in enumerate(mech.bodies):
        at = (0.3, -0.2 + 0.1 * k, 0.5)
        found[f"{body} position"] = lambda s, b=body, at=at: s.point(b, at).position
        found[f"{body} velocity"] = lambda s, b=body, at=at: s.point(b, at).velocity
        found[f"{body} acceleration"] = lambda s, b=body: s.point(b).acceleration
        found[f"{body} turned"] = lambda s, b=body: s.orientation(b).quaternion
        found[f"{body} spin"] = lambda s, b=body: s.orientation(b).angular_acceleration
        found[f"{body} energy"] = lambda s, b=body: s.body_energy(b).total
        found[f"{body} apart"] = lambda s, b=body, at=at: s.distance(b, at, "ground", (3, 2, 1)).rate
    for joint in system.joint_names:
        if mech.joints[joint].joint.dof:
            found[f"{joint} angle"] = lambda s, j=joint: s.joint(j).angle
            found[f"{joint} rate"] = lambda s, j=joint: s.joint(j).rate
            found[f"{joint} acceleration"] = lambda s, j=joint: s.joint(j).acceleration
        if reactions:
            found[f"{joint} moment"] = lambda s, j=joint: s.reaction(j).moment
            found[f"{joint} force"] = lambda s, j=joint: s.reaction(j, axes="joint").force
            found[f"{joint} about"] = lambda s, j=joint: s.reaction(j, point=(0.2, 0.1, -0.3), axes="parent").moment
    for name in [*mech.springs, *mech.loads, *mech.joint_forces, *mech.elements, *mech.constraints]:
        if reactions or name not in mech.constraints:
            found[f"{name} force"] = lambda s, e=name: s.element(e).force
            found[f"{name} power"] = lambda s, e=name: s.element(e).power
    return found


def all_of(system, q, v, t, which):
    """Readings of a state one behind the other."""
    sensors = ct.measure(system, q, v, t)
    return np.concatenate([np.ravel(f(sensors)) for f in which.values()])


def check(system, q, v, t=0.0, names=(), reactions=True, tolerance=TOLERANCE, closed=True):
    """All readings of a system at a state: along configurations and velocities that the constraints allow (closed: with loops
    closed again), along time and by numbers of the mechanism."""
    which, J = readings(system, reactions), ct.constraint_jacobian(system, q, t)
    sensors, n = VariedSensors(system, q, v, t, names), system.nv
    found = [f(sensors) for f in which.values()]
    assert all(isinstance(x, Varied) for x in found)
    value = np.concatenate([x.value.ravel() for x in found])
    slopes = np.hstack([x.slopes.reshape(len(x.slopes), -1) for x in found])
    labels = np.concatenate([[name] * np.size(x.value) for name, x in zip(which, found, strict=True)])
    assert error(value, all_of(system, q, v, t, which)) < TOLERANCE
    size = {
        name: max(np.abs(slopes[:, labels == name]).max(), np.abs(value[labels == name]).max(), 1.0) for name in which
    }
    wrenches = [name for name in which if name.endswith((" moment", " about", " force"))]  # they cancel each other
    size |= dict.fromkeys(wrenches, max([size[name] for name in wrenches], default=1.0))
    scale = np.array([size[name] for name in labels])

    def compare(found, f, step):
        off = np.abs(found - slope(f, step)) / scale
        assert off.max() < tolerance, (labels[np.argmax(off)], off.max())

    def moved(s, z):
        there = ct.displace(system, q, s * z)
        return all_of(system, ct.assemble(system, there, t=t) if closed else there, v, t, which)

    for z in kernel(J[system.holonomic])[:2] if closed else np.eye(n):
        compare(z @ slopes[:n], lambda s, z=z: moved(s, z), 4e-3 if closed else 1e-3)
    for z in kernel(J)[:2]:
        compare(z @ slopes[n : 2 * n], lambda s, z=z: all_of(system, q, v + s * z, t, which), 0.05)
    if not len(system.extra_rows.motions):
        compare(slopes[3 * n], lambda s: all_of(system, q, v, t + s, which), 1e-2)
    for k, name in enumerate(names):
        now = ct.parameters(system)[name]

        def other(s, name=name, now=now):
            mech = ct.with_parameters(system, {name: now + s})
            cut = list(system.cut_joints) if system.coordinates == "relative" else None
            return all_of(mech.compile(coordinates=system.coordinates, group=system.group, cut=cut), q, v, t, which)

        compare(slopes[3 * n + 1 + k], other, 4e-3)


@pytest.mark.parametrize("seed", range(4))
def test_random_trees(seed):
    system, s = loaded(seed)
    body = system.body_names[0]
    check(system, s.q, s.v, names=[f"{body}.mass", f"{body}.com.y", "s1.stiffness", "gravity.z"])


@pytest.mark.parametrize("coordinates", ["first", "cayley", "second", "group", "quaternion"])
def test_kinds_of_coordinates(coordinates):
    c = make_case(
        1, 3, joints=("Spherical", "Planar", "Free", "Cylindrical"), coordinates=(coordinates,), choices=(0.7,)
    )
    check(c.system, c.state.q, c.state.v)


@pytest.mark.parametrize("coordinates", ["relative", "absolute"])
def test_numbers_of_a_tree(coordinates):
    mech = spatial_tree(rotor=coordinates == "relative")
    system = mech.compile(coordinates=coordinates)
    q, v, _ = constrained_state(system)
    names = ["a.mass", "b.com.z", "e.mass", "c.inertia.xy", "line.stiffness", "line.point_b.x", "gravity.x"]
    if coordinates == "relative":
        names += ["B.point.y", "A.axis.x", "C.point.z", "rotor.ratio"]
    check(system, q, v, names=names)


@pytest.mark.parametrize("cut", [None, ["C"]])
def test_loops_with_forces_across_the_cut(cut):
    system = loaded_four_bar().compile(cut=cut)
    q, v, _ = constrained_state(system)
    names = [
        "crank.mass",
        "line.point_a.y",
        "push.force.x",
        "twist.moment.z",
        "coil.rest",
        "oil.damping",
        "motor.torque",
    ]
    check(system, q, v, names=names)


@pytest.mark.parametrize("name", ["stewart", "sarrus", "delta", "double_parallelogram"])
def test_closed_and_redundant(name):
    system = getattr(closed_mechanisms, name)().compile(regularize=name in ("stewart", "delta"))
    q, v, _ = constrained_state(system)
    J = ct.constraint_jacobian(system, q)
    check(system, q, v, reactions=np.linalg.matrix_rank(J, 1e-9) == len(J))


@pytest.mark.parametrize("name", ["bicycle", "rolling_disk"])
def test_rolling(name):
    system = getattr(ct.gallery, name)().compile()
    q, v, _ = constrained_state(system)
    check(system, q, v)


def test_all_kinds_of_rows():
    """Drivers, distances, knife edges, cut universal and screw joints, with loops that open along each coordinate."""
    system = bench().compile(cut=["D", "E"])
    check(system, system.q0, 0.3 * np.ones(system.nv), closed=False)


@pytest.mark.parametrize("add", [f for f in ELEMENTS if f is not belt], ids=lambda f: f.__name__)
def test_elements_of_registered_kinds_and_laws(add):
    mech = rig()
    add(mech)
    system = mech.compile()
    q, v, _ = constrained_state(system, 3)
    check(system, q, v, tolerance=1e-7 if add is tyre else 1e-8)  # which are differenced


def test_time_and_forces():
    """A motor and a driver that are functions of time; forces along the coordinates against a motor that gives them."""
    mech = ct.gallery.four_bar()
    mech.motor("servo", "B", 0.7)
    mech.force("gust", "coupler", lambda t: (np.sin(3.0 * t), t * t, 0.0))
    system = mech.compile()
    q, v, _ = constrained_state(system)
    check(system, q, v, 0.4)

    def read(s):
        return np.concatenate([s.reaction("B").force, s.point("rocker").acceleration])

    found = ct.reading_derivatives(system, q, read, v, 0.4, ["servo.torque"])
    assert found.exact
    assert error(found.dtau[:, system.v_index("B")], found.dparameters[:, 0]) < 1e-12


def test_drivers_by_time():
    """Force and power of a driver, and reactions, where only the time goes on."""
    mech = ct.gallery.four_bar()
    given = [lambda t: 0.2 * np.sin(3.0 * t), lambda t: 0.6 * np.cos(3.0 * t), lambda t: -1.8 * np.sin(3.0 * t)]
    mech.drive("turning", "A", given[0], rate=given[1], acceleration=given[2])
    system = mech.compile()
    q = ct.assemble(system, system.q0, t=0.4)
    v = ct.consistent_velocity(system, q, np.zeros(system.nv), 0.4)
    for read in (
        lambda s: s.element("turning").force,
        lambda s: s.element("turning").power,
        lambda s: s.reaction("C").force,
    ):
        found = ct.reading_derivatives(system, q, read, v, 0.4)
        assert found.exact
        assert (
            error(found.dt, slope(lambda s, read=read: np.ravel(read(ct.measure(system, q, v, 0.4 + s))), 1e-2))
            < TOLERANCE
        )


def test_functions_that_cannot_be_followed_are_differenced():
    system = loaded_four_bar().compile()
    q, v, _ = constrained_state(system)
    exact = ct.reading_derivatives(system, q, lambda s: s.point("coupler").acceleration, v, 0.0, ["crank.mass"])
    other = ct.reading_derivatives(
        system, q, lambda s: np.array(s.point("coupler").acceleration, dtype=float), v, 0.0, ["crank.mass"]
    )
    assert exact.exact
    assert not other.exact
    for kind in ("value", "dq", "dv", "dtau", "dt", "dparameters"):
        assert error(getattr(exact, kind), getattr(other, kind)) < 1e-9


def test_lists_and_numpy_of_readings():
    system = loaded_four_bar().compile()
    q, v, _ = constrained_state(system)

    def read(s):
        tip = s.point("coupler").velocity
        return [
            np.linalg.norm(tip),
            np.array([tip[0] ** 2, np.hypot(tip[0], 2.0)]),
            (s.joint("A").angle, max(tip[1], 0.0)),
        ]

    def plain(s):
        tip = s.point("coupler").velocity
        first = [float(np.linalg.norm(tip)), float(tip[0] ** 2), float(np.hypot(tip[0], 2.0))]
        return np.array([*first, float(s.joint("A").angle), max(float(tip[1]), 0.0)])

    def flat(s):
        return np.hstack([np.ravel(x) for x in (read(s)[0], read(s)[1], read(s)[2][0], read(s)[2][1])])

    found = ct.reading_derivatives(system, q, flat, v)
    other = ct.reading_derivatives(system, q, plain, v)
    assert not other.exact
    assert error(found.dq, other.dq) < 1e-9
    assert error(found.dv, other.dv) < 1e-9


def test_singular_states_are_named():
    """What needs no accelerations is read there too."""
    system = closed_mechanisms.flat_parallelogram().compile()
    q, body = system.q0, system.body_names[0]
    assert ct.reading_derivatives(system, q, lambda s: s.point(body).position).exact
    with pytest.warns(SingularWarning), pytest.raises(SingularError, match="singular configuration"):
        ct.reading_derivatives(system, q, lambda s: s.point(body).acceleration)


class TestOutputs:
    """Functions of sensors as outputs of linear equations and of runs."""

    def test_linear_equations(self):
        """Rows by states against the derivatives of readings; D against readings with the inputs changed."""
        mech = loaded_four_bar()
        at, system = ct.equilibrium(mech).q, mech.compile()
        reads = [
            lambda s: s.reaction("D").force[0],
            lambda s: s.element("motor").force,
            lambda s: s.point("rocker").acceleration[1],
        ]
        linear = ct.linearize(mech, at, inputs=["motor", "push", "A"], outputs=[*reads, "A"])
        alone = [ct.reading_derivatives(system, at, f, parameters=["motor.torque", "push.force.y"]) for f in reads]
        assert error(linear.D[:3, 0], np.array([x.dparameters[0, 0] for x in alone])) < 1e-12
        assert error(linear.D[:3, 2], np.array([x.dparameters[0, 1] for x in alone])) < 1e-12
        assert error(linear.D[:3, 4], np.array([x.dtau[0, system.v_index("A")] for x in alone])) < 1e-12
        assert linear.D[1, 0] == 1.0
        assert not linear.D[3].any()

        def moved(s):
            q = ct.assemble(system, {linear.states[0]: at[system.q_index(linear.states[0])] + s})
            return [float(f(ct.measure(system, q))) for f in reads]

        assert error(linear.C[:3, 0], slope(moved, 1e-2)) < TOLERANCE

    def test_states_of_laws(self):
        mech = ct.gallery.pendulum_chain(1)
        mech.pid("servo", "J1", target=0.0, kp=20.0, ki=5.0, kd=3.0)
        linear = ct.linearize(mech, outputs=[lambda s: s.element("servo").force, lambda s: s.joint("J1").acceleration])
        row = dict(zip(linear.states, linear.C[0], strict=True))
        assert abs(row["J1"] + 20.0) < 1e-9
        assert abs(abs(row["servo.integral"]) - 5.0) < 1e-9
        assert error(linear.C[1], linear.A[linear.states.index("J1.rate")]) < 1e-9

    def test_runs(self):
        """Through a stop, by a number that moves a joint among others, against differences of runs; forward and adjoint."""
        mech = ct.gallery.four_bar()
        mech.joint_spring("coil", "A", stiffness=20.0)
        mech.limit("A", lower=-0.7, restitution=0.6, name="stop")
        names, options = ["crank.mass", "B.point.x", "coil.stiffness"], {"rtol": 1e-11, "atol": 1e-11}
        reads = [
            lambda s: s.reaction("D").force[0],
            lambda s: s.point("coupler").acceleration[1],
            lambda s: s.element("coil").power,
        ]
        both = [
            ct.sensitivities(
                mech, 1.0, v={"A": 1.0}, parameters=names, start=["A.rate"], outputs=reads, way=way, **options
            )
            for way in ("forward", "adjoint")
        ]
        assert error(both[0].dy, both[1].dy) < 1e-9
        assert both[0].run.switches

        def ran(name, s):
            other = ct.with_parameters(mech, {name: ct.parameters(mech)[name] + s})
            run = ct.simulate(other, 1.0, v={"A": 1.0}, output=[0.0, 1.0], **options)
            return np.array(
                [
                    run.reaction("D").force[-1, 0],
                    run.point("coupler").acceleration[-1, 1],
                    run.element("coil").power[-1],
                ]
            )

        for k, name in enumerate(names):
            assert error(both[0].dy[0, :, k], slope(lambda s, name=name: ran(name, s), 1e-3)) < 1e-6

    def test_refusals(self):
        mech = ct.gallery.pendulum_chain(1)
        with pytest.raises(StudyError, match="cannot be followed exactly"):
            ct.linearize(mech, outputs=[lambda s: float(s.joint("J1").rate)])
        with pytest.raises(StudyError, match="one number"):
            ct.linearize(mech, outputs=[lambda s: s.reaction("J1").force])
        mech.motor("servo", "J1", ct.Law(lambda angle: -30.0 * angle, period=0.1))
        with pytest.raises(StudyError, match="laws that are sampled"):
            ct.linearize(mech, outputs=[lambda s: s.joint("J1").rate])


class TestVaried:
    """The array type by itself, against differences."""

    @pytest.mark.parametrize(
        "f",
        [
            lambda x: np.sin(x) * np.cos(x) - np.tan(x) / (2.0 + x),
            lambda x: np.sqrt(x) + x**3 - 2.0**x + x**x,
            lambda x: np.exp(-x) + np.log(x) + np.arctan(x) + np.tanh(x),
            lambda x: (
                np.arcsin(x / 9.0) - np.arccos(x / 9.0) + np.sinh(x) * np.cosh(x) + np.reciprocal(x) + np.square(x)
            ),
            lambda x: np.arctan2(x, x[::-1]) + np.hypot(x, 2.0) + np.abs(-x) + np.maximum(x, 1.0) - np.minimum(1.0, x),
            lambda x: np.where(x > 1.0, x * x, -x) + np.rint(x) + np.degrees(x) - np.radians(x),
            lambda x: np.linalg.norm(x) * x + np.cross(x, x[::-1] * x),
            lambda x: np.einsum("i,j,k->ijk", x, x, x).ravel()[:5],
            lambda x: np.outer(x, x) @ x + np.dot(x, x) + np.inner(x, 2.0) + x.sum() - x.mean(),
            lambda x: np.concatenate([x[None], np.ones((1, 3))]).T.reshape(-1)[[0, 5, 2]] * np.stack([x, x])[1],
            lambda x: np.cumsum(x)[1:] + np.diff(x) + np.swapaxes(np.outer(x, x), 0, 1)[0, :2],
        ],
    )
    def test_functions(self, f):
        x = np.array([0.7, 1.9, 3.1])
        found = f(Varied(x, np.eye(3)))
        assert error(found.value, f(x)) < 1e-14
        expected = [slope(lambda s, e=e: f(x + s * e), 1e-3) for e in np.eye(3)]
        assert error(found.slopes, np.array(expected)) < 1e-10

    @pytest.mark.parametrize(
        "f",
        [
            float,
            np.fft.fft,
            np.sort,
            np.linalg.inv,
            lambda x: np.add.accumulate(x),
            lambda x: np.asarray(x, dtype=float),
        ],
    )
    def test_what_is_not_known_raises(self, f):
        with pytest.raises((TypeError, ValueError)):
            f(Varied(np.eye(2)[0], np.ones((1, 2))))

    def test_shapes_must_fit(self):
        with pytest.raises(TypeError, match="do not belong"):
            Varied(np.zeros(3), np.zeros((2, 4)))
        with pytest.raises(TypeError, match="Euclidean"):
            np.linalg.norm(Varied(np.ones(3), np.ones((1, 3))), ord=1)


def test_what_has_no_closed_form_is_differenced():
    """Rows of a kind without jets, and the work of a state, which has none."""
    mech = ct.gallery.four_bar()
    mech.joint_spring("coil", "A", stiffness=20.0)
    mech.add(Slot("slot", "crank", (0.3, 0.4, 0), (0.6, 0.8, 0.1), "rocker", (2.45, 0.7, 0.1)))
    system = mech.compile()
    for read in (lambda s: s.reaction("A").force[0], lambda s: s.element("coil").work):
        found = ct.reading_derivatives(system, system.q0, read)
        assert not found.exact
        assert np.isfinite(found.dq).all()
    assert ct.reading_derivatives(system, system.q0, lambda s: s.element("coil").force).exact
