"""Equalities of MJCF: loops recognised, closed where MuJoCo closes them, moving as the rows of MuJoCo let them."""

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cotree as ct
from cotree.errors import AssemblyError, ChoiceError, DocumentError
from cotree.io.mjcf import import_mjcf, read_mjcf
from tests.io.mjcf_files import INERTIAL, check_tree, model, pair_of, random_state, words
from tests.model.builders import refused

# A four-bar A(0,0) B(0.6,0.8) C(2.4,1.4) D(2.5,0), drawn as crank and coupler, and a rocker from ground
BARS = (
    f'<body name="crank"><joint name="A"/>{INERTIAL}<site name="b" pos=".6 .8 0"/>'
    f'<body name="coupler" pos=".6 .8 0"><joint name="B"/>{INERTIAL}<site name="c" pos="1.8 .6 0"/></body></body>'
    f'<body name="rocker" pos="2.5 0 0"><joint name="D"/>{INERTIAL}<site name="e" pos="-.1 1.4 0"/></body>'
)
POINT = '<connect name="C" body1="coupler" body2="rocker" anchor="1.8 .6 0"/>'
SECOND = '<connect body1="coupler" body2="rocker" anchor="1.8 .6 1"/>'
TWIST = '<connect body1="rocker" body2="coupler" anchor="-.1 2.4 0"/>'
WELD = '<weld name="W" body1="coupler" body2="rocker"/>'


def bars(*equalities, world=BARS, rest="", **options):
    return import_mjcf(model(world, f"<equality>{''.join(equalities)}</equality>{rest}"), **options)


def gaps(imported, qpos):
    """MuJoCo's residuals of the equalities."""
    data = mujoco.MjData(imported.model)
    data.qpos[:] = qpos
    mujoco.mj_forward(imported.model, data)
    return np.array(data.efc_pos[: data.ne])


def rows(imported, qpos):
    imported.model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(imported.model)
    data.qpos[:] = qpos
    mujoco.mj_forward(imported.model, data)
    return np.array(data.efc_J).reshape(-1, imported.model.nv)[: data.ne], data


# -- recognised -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("equalities", "kind"),
    [
        ([POINT], "Spherical"), ([POINT, POINT.replace('name="C"', "")], "Spherical"), ([POINT, SECOND], "Revolute"),
        ([POINT, SECOND, SECOND.replace(" 1", " -2")], "Revolute"), ([POINT, SECOND, TWIST], "Weld"),
        ([POINT, TWIST], "Revolute"),
        ([WELD.replace('"W"', '"C"')], "Weld"), ([WELD.replace('"W"', '"C" torquescale="0" anchor="-.1 1.4 0"')], "Spherical"),
    ],
)  # fmt: skip
def test_connects_and_welds_are_joints(equalities, kind):
    imported = bars(*equalities)
    assert imported.closing == ("C",)
    found = imported.mechanism.joints["C"]
    assert (found.parent, found.child, type(found.joint).__name__) == ("coupler", "rocker", kind)
    if kind != "Weld":
        np.testing.assert_allclose(found.joint.point, (2.4, 1.4, 0.0), atol=1e-14)
    J, _ = rows(imported, imported.reference)
    assert ct.mobility(imported.mechanism).differential == 3 - np.linalg.matrix_rank(J, tol=1e-9)


def test_two_points_make_the_hinge_through_both():
    joint = bars(POINT, SECOND).mechanism.joints["C"].joint
    np.testing.assert_allclose(np.abs(joint.axis) / np.linalg.norm(joint.axis), (0, 0, 1), atol=1e-14)
    tilted = bars(POINT, TWIST).mechanism.joints["C"].joint
    along = np.array((2.4, 2.4, 0.0)) - (2.4, 1.4, 0.0)
    np.testing.assert_allclose(np.cross(tilted.axis, along), 0.0, atol=1e-12)


def test_those_that_are_not_active_are_skipped():
    imported = bars(POINT.replace("/>", ' active="false"/>'))
    assert imported.closing == ()
    assert any("equalities 'C' are not active" in note for note in imported.remarks)


def test_to_the_world():
    """With the second body left out, and with the world first."""
    for end in ('body1="rocker" anchor="-.1 1.4 0"', 'body1="world" body2="rocker" anchor="2.4 1.4 0"'):
        imported = bars(f'<connect name="C" {end}/>')
        c = imported.mechanism.joints["C"]
        assert {c.parent, c.child} == {"ground", "rocker"}
        np.testing.assert_allclose(c.joint.point, (2.4, 1.4, 0.0), atol=1e-14)


# -- closed ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "equality",
    [
        '<connect name="C" site1="c" site2="e"/>',
        '<weld name="C" site1="c" site2="e"/>',
        '<weld name="C" body1="coupler" body2="rocker" relpose="1.9 -.8 0 1 0 0 0.4"/>',
        '<weld name="C" body1="coupler" body2="rocker" anchor="0 1 0" relpose="1.9 .2 0 1 0 0 0.4"/>',
    ],
)
def test_loops_drawn_open_are_closed(equality):
    """At the configuration that MuJoCo's rows lead to, from which coordinates count then; Cotree's rows agree there."""
    world = BARS.replace('pos="2.5 0 0"', 'pos="2.3 0.1 0"')
    if "weld" in equality:
        world = world.replace('name="D"', 'name="D" type="free"')
    imported = bars(equality, world=world)
    assert np.abs(gaps(imported, imported.model.qpos0)).max() > 0.05
    assert np.abs(gaps(imported, imported.reference)).max() < 1e-12
    system = imported.mechanism.compile(cut=imported.closing)
    assert np.abs(ct.constraint_residual(system, system.q0)).max() < 1e-12
    pair = pair_of(model(world, f"<equality>{equality}</equality>"))
    rng = np.random.default_rng(0)
    check_tree(pair, *random_state(pair, rng))
    # and elsewhere: a pose that Cotree closes is closed for MuJoCo
    if "connect" in equality:
        q = ct.assemble(system, system.q0 + 0.3 * np.sign(rng.normal(size=system.nq)), fixed=("A",))
        qpos = [q[system.velocity_index(name)] + imported.zero[name] for name in imported.names.joints]
        assert np.abs(np.array(qpos) - imported.reference).max() > 0.1
        assert np.abs(gaps(imported, qpos)).max() < 1e-9


def test_a_keyframe_leads_to_a_closed_configuration():
    """From qpos0, which is stretched out and singular, no step leads there; from a key it does."""
    arm = (
        f'<body name="a"><joint name="j"/>{INERTIAL}<body name="b" pos="1 0 0"><joint name="k"/>{INERTIAL}'
        '<site name="s" pos="1 0 0"/></body></body><site name="w" pos="1 0 0"/>'
    )
    equality = '<equality><connect name="C" site1="s" site2="w"/></equality>'
    with refused(AssemblyError, "the equalities cannot be closed: equality 'C' stays open by 1"):
        read_mjcf(model(arm, equality))
    imported = import_mjcf(model(arm, equality + '<keyframe><key qpos="1 -2"/></keyframe>'))
    assert imported.zero["j"] == pytest.approx(np.pi / 3)
    assert imported.zero["k"] == pytest.approx(-2 * np.pi / 3)


def test_what_cannot_be_closed():
    with refused(
        AssemblyError, "MJCF: the equalities cannot be closed: equality 'crank-ground' stays open by", "keyframe"
    ):
        bars('<connect site1="b" site2="w"/>', world=BARS + '<site name="w" pos="5 5 0"/>')


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1))
def test_random_loops_hold_and_move_as_mujocos_rows(seed):
    """Two random arms joined at a point: the force that is missing to the motion of Cotree is one of MuJoCo's rows."""
    rng = np.random.default_rng(seed)

    def arm(name, depth):
        kinds = ("hinge", "ball", "slide")
        kind = kinds[rng.integers(3)] if depth == 1 else "hinge"
        joint = f'<joint name="{name}{depth}" type="{kind}" axis="{words(rng.normal(size=3))}" damping=".3"/>'
        inside = arm(name, depth + 1) if depth < 3 else ""
        place = f'pos="{words(rng.normal(size=3))}" euler="{words(rng.uniform(-90, 90, 3))}"'
        return f'<body name="{name}{depth}" {place}>{joint}{INERTIAL}{inside}</body>'

    anchor = words(rng.normal(size=3))
    equality = f'<equality><connect name="C" body1="a3" body2="b3" anchor="{anchor}"/></equality>'
    pair = pair_of(model(arm("a", 1) + arm("b", 1), equality))
    system = pair.system
    v = ct.consistent_velocity(system, system.q0, rng.normal(size=system.nv))
    T = pair.rates(pair.imported.reference)
    q, same = pair.place(pair.imported.reference, np.linalg.solve(T, v))
    np.testing.assert_allclose(same, v, atol=1e-12)
    J, _ = rows(pair.imported, pair.imported.reference)
    assert np.abs(J @ np.linalg.solve(T, v)).max() < 1e-9 * max(1.0, np.abs(v).max())
    found = ct.forward_dynamics(system, q, v)
    missing = T.T @ ct.inverse_dynamics(system, q, v, found.v_dot)
    M = np.zeros((pair.model.nv, pair.model.nv))
    mujoco.mj_fullM(pair.model, pair.data, M)
    theirs = M @ np.linalg.solve(T, found.v_dot) + pair.data.qfrc_bias - pair.data.qfrc_passive
    size = max(1.0, np.abs(theirs).max())
    np.testing.assert_allclose(missing, theirs, atol=1e-9 * size)
    lam = np.linalg.lstsq(J.T, theirs, rcond=None)[0]
    np.testing.assert_allclose(J.T @ lam, theirs, atol=1e-7 * size)


def test_velocities_want_the_trees_joints():
    imported = bars(POINT, SECOND)
    tree = imported.mechanism.compile(cut=["A"])
    with refused(ChoiceError, "joint 'C' closes a loop but is in the tree", "cut=imported.closing"):
        imported.velocities(tree, imported.reference, np.zeros(3))


@pytest.mark.parametrize("equalities", [[POINT], [POINT, SECOND], [WELD]])
def test_coordinates_of_joints_that_close_loops_are_measured(equalities):
    """Whatever is cut, bodies are where MuJoCo has them."""
    imported = bars(*equalities)
    qpos = np.array(imported.reference)
    if equalities != [WELD]:
        start = imported.mechanism.compile(cut=imported.closing)
        q = ct.assemble(start, (0.4, 0.0, 0.0), fixed=("A",))
        qpos = np.array([q[start.velocity_index(name)] for name in imported.names.joints])
    data = mujoco.MjData(imported.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(imported.model, data)
    for cut in ("A", "B", "D"):
        system = imported.mechanism.compile(cut=[cut])
        poses = ct.poses(system, imported.coordinates(system, qpos))
        for k, name in enumerate(imported.names.bodies):
            np.testing.assert_allclose(poses[system.body_rows[name]][:3, 3], data.xpos[k], atol=1e-9)
            np.testing.assert_allclose(poses[system.body_rows[name]][:3, :3].ravel(), data.xmat[k], atol=1e-9)


# -- couplings ------------------------------------------------------------------------------------------------

FIXED = (
    '<tendon><fixed name="f"><joint joint="A" coef="2"/><joint joint="B" coef="-1"/><joint joint="D" coef="3"/></fixed>'
)
OTHER = '<fixed name="g"><joint joint="D" coef="1.5"/></fixed></tendon>'
LINE = '<tendon><spatial name="l"><site site="b"/><site site="e"/></spatial></tendon>'


@pytest.mark.parametrize(
    ("equality", "rest"),
    [
        ('<joint name="C" joint1="A" joint2="D" polycoef="0.2 -1.5 0 0 0"/>', ""),
        ('<joint name="C" joint1="A" polycoef="0.3 0 0 0 0"/>', ""),
        ('<joint name="C" joint1="A" joint2="D" polycoef="0.3 0 0 0 0"/>', ""),
        ('<tendon name="C" tendon1="f" polycoef="0.2 0 0 0 0"/>', FIXED + OTHER),
        ('<tendon name="C" tendon1="f" tendon2="g" polycoef="0.1 0.7 0 0 0"/>', FIXED + OTHER),
        ('<tendon name="C" tendon1="l" polycoef="0.2 0 0 0 0"/>', LINE),
    ],
)
def test_couplings_and_distances(equality, rest):
    """One row, which holds where MuJoCo's does; joints have references of their own."""
    world = BARS.replace('name="A"', 'name="A" ref="20"').replace('name="D"', 'name="D" ref="-50"')
    imported = bars(equality, world=world, rest=rest)
    system = imported.mechanism.compile()
    assert system.n_constraints == 1
    assert np.abs(ct.constraint_residual(system, system.q0)).max() < 1e-12
    rng = np.random.default_rng(0)
    q = ct.assemble(system, system.q0 + 0.3 * rng.normal(size=3))
    assert np.abs(q - system.q0).max() > 0.05
    qpos = [q[system.velocity_index(name)] + imported.zero[name] for name in imported.names.joints]
    assert np.abs(gaps(imported, qpos)).max() < 1e-9
    J, ours = rows(imported, qpos)[0], ct.constraint_jacobian(system, q)
    order = [system.velocity_index(name) for name in imported.names.joints]
    across = J - (J @ ours[:, order].T) / (ours @ ours.T) @ ours[:, order]
    assert np.abs(across).max() < 1e-9


@pytest.mark.parametrize(
    ("equality", "rest", "words"),
    [
        ('<joint joint1="A" joint2="D" polycoef="0 1 2 0 0"/>', "", ("'A-D'", "terms 2, 0, 0 of higher order")),
        ('<tendon tendon1="f" tendon2="l"/>', FIXED + "</tendon>" + LINE, ("'f-l'", "only linear couplings of fixed tendons")),
        ('<tendon tendon1="f" tendon2="g" polycoef="0 1 1 0 0"/>', FIXED + OTHER, ("'f-g'", "only linear couplings")),
        ('<tendon tendon1="l"/>', LINE.replace('"b"/>', '"b"/><site site="c"/>'), ("tendon 'l' is neither between two sites",)),
        ('<distance geom1="a" geom2="b"/>', "", ("MuJoCo cannot read", "spatial tendon between two sites")),
    ],
)  # fmt: skip
def test_equalities_that_are_refused(equality, rest, words):
    with refused(DocumentError, "MJCF: ", *words):
        bars(equality, rest=rest)


def test_equalities_of_soft_bodies_are_refused():
    sheet = (
        '<flexcomp name="c" type="grid" count="3 3 1" spacing=".1 .1 .1" dim="2" mass="1" radius=".01">'
        '<edge equality="true"/></flexcomp>'
    )
    with refused(DocumentError, "MJCF: equality", "of type flex does not apply to rigid bodies"):
        read_mjcf(model(sheet))
