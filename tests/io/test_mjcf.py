"""MJCF files: trees against MuJoCo itself, what becomes of all that they say, and Cassie."""

import copy
import sys
import warnings

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cotree as ct
from cotree.errors import ChoiceError, DocumentError, MissingPackageError, ModelWarning, ShapeError
from cotree.io.mjcf import import_mjcf, mjcf_text, read_mjcf
from tests.io.mjcf_files import INERTIAL, MODELS, check_tree, model, pair_of, random_mjcf, random_state
from tests.model.builders import refused

CASSIE = MODELS / "menagerie_cassie.xml"
with_cassie = pytest.mark.skipif(not CASSIE.is_file(), reason="the model lies beside the repository")
ARM = (
    f'<body name="a" pos="0 0 1"><joint name="j"/>{INERTIAL}'
    f'<body name="b" pos="1 0 0"><joint name="k" type="slide" axis="1 0 1"/>{INERTIAL}</body></body>'
)


# -- trees ----------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_random_trees_are_mujocos(seed, moving):
    rng = np.random.default_rng(seed)
    pair = pair_of(random_mjcf(rng))
    qpos, qvel = random_state(pair, rng)
    check_tree(pair, qpos, qvel if moving else 0.0 * qvel)


@pytest.mark.parametrize("group", ["SE3", "SO3xR3"])
def test_velocities_of_a_free_body_on_both_groups(group):
    pair = pair_of(model(f'<body name="a" pos="1 2 3" euler="10 20 30"><freejoint name="f"/>{INERTIAL}</body>'), group)
    rng = np.random.default_rng(1)
    qpos, qvel = random_state(pair, rng)
    q, v = pair.place(qpos, qvel)
    np.testing.assert_allclose(q[4:], qpos[:3], atol=1e-14)
    assert abs(q[:4] @ qpos[3:]) == pytest.approx(1.0, abs=1e-14)
    momentum = ct.momentum(pair.system, q, v, point=pair.data.subtree_com[0])
    mujoco.mj_subtreeVel(pair.model, pair.data)
    np.testing.assert_allclose(momentum[:3], pair.data.subtree_angmom[0], atol=1e-12)
    np.testing.assert_allclose(momentum[3:], 1.5 * pair.data.subtree_linvel[0], atol=1e-12)
    mujoco.mj_energyVel(pair.model, pair.data)
    assert ct.energy(pair.system, q, v).kinetic == pytest.approx(pair.data.energy[1], rel=1e-12)


def test_several_joints_on_a_body_that_is_not_closed_as_drawn():
    """The reference is off qpos0 in all of its joints."""
    joints = '<joint name="h" pos=".1 0 0" axis="1 2 3"/><joint name="s" type="ball"/><joint name="p" type="slide"/>'
    arm = f'<body name="a">{joints}{INERTIAL}<site name="x" pos="1 0 0"/></body><site name="w" pos=".6 .7 .8"/>'
    pair = pair_of(model(arm, '<equality><connect site1="x" site2="w"/></equality>'))
    assert min(abs(pair.imported.zero[name]) for name in ("h", "p")) > 1e-3
    assert np.abs(pair.imported.reference[1:4]).max() > 1e-3
    rng = np.random.default_rng(3)
    for _ in range(3):
        check_tree(pair, *random_state(pair, rng))


def test_names_for_what_has_none():
    bodies = f'<body name="ground"><joint/><joint axis="1 0 0"/>{INERTIAL}<body>{INERTIAL}</body></body>'
    bodies += f"<body><freejoint/>{INERTIAL}</body>"
    mech = read_mjcf(model(bodies))
    assert list(mech.bodies) == ["ground_", "body 2", "body 3", "ground_ after ground_ hinge"]
    assert list(mech.joints) == ["ground_ hinge", "ground_ hinge_", "body 2 weld", "body 3 free"]
    assert mech.name == ""
    assert read_mjcf(model(ARM).replace("<mujoco>", '<mujoco model="arm">')).name == "arm"


@pytest.mark.filterwarnings("ignore:.*settotalmass")  # which later versions of MuJoCo advise against
def test_inertia_told_in_full():
    """As the file has it; what the compiler is told to change of it is changed."""
    full = '<inertial pos="0 0 0" mass="2" fullinertia="0.085821 0.049222 0.08626 1.276e-05 -0.00016022 -0.000414"/>'
    tensor = [[0.085821, 1.276e-05, -0.00016022], [1.276e-05, 0.049222, -0.000414], [-0.00016022, -0.000414, 0.08626]]
    body = f'<body name="a" euler="10 20 30"><joint/>{full}</body>'
    assert read_mjcf(model(body)).bodies["a"].properties.inertia.tolist() == tensor
    for option, factor in (('settotalmass="6"', 3.0), ('boundmass="0.1"', 1.0)):
        found = read_mjcf(model(body, head=f"<compiler {option}/>")).bodies["a"].properties
        np.testing.assert_allclose(found.inertia, factor * np.array(tensor), rtol=1e-5, atol=1e-9)
        assert found.mass == pytest.approx(2.0 * factor)


def test_floating_or_not():
    free = model(f'<body name="a"><freejoint name="f"/>{INERTIAL}</body><body name="b">{INERTIAL}</body>')
    as_told, held, loose = (read_mjcf(free, floating=floating).compile() for floating in (None, False, True))
    assert (as_told.nv, held.nv, loose.nv) == (6, 0, 12)
    imported = import_mjcf(free, floating=True)
    np.testing.assert_allclose(
        imported.coordinates(loose, imported.model.qpos0), loose.q0, atol=1e-15
    )  # a body that is fast there stays where it is


def test_switched_off_gravity_springs_and_equalities():
    flag = '<option><flag gravity="disable" spring="disable" damper="disable" equality="disable"/></option>'
    soft = ARM.replace('name="j"', 'name="j" stiffness="3" damping="2"')
    mech = read_mjcf(model(soft, '<equality><connect body1="a" anchor="0 0 1"/></equality>', flag))
    assert not mech.gravity.any()
    assert not mech.joint_forces
    assert list(mech.joints) == ["j", "k"]


# -- what goes with joints ------------------------------------------------------------------------------------


def test_springs_dampers_motors_and_limits():
    joint = 'name="j" ref="90" springref="120" stiffness="3" damping="0.5" range="-30 200"'
    motors = '<motor name="m" joint="j" gear="7"/><position name="p" joint="j" kp="5"/><motor name="w" joint="s"/>'
    rest = f"<actuator>{motors}</actuator>"
    text = model(ARM.replace('name="j"', joint) + f'<body><joint name="s" type="ball"/>{INERTIAL}</body>', rest)
    imported = import_mjcf(text, limits=True)
    mech = imported.mechanism
    assert imported.zero["j"] == pytest.approx(np.pi / 2)
    spring, damper, motor = (mech.joint_forces[name] for name in ("j spring", "j damping", "m"))
    assert (spring.stiffness, spring.rest) == pytest.approx((3.0, np.pi / 6))
    assert damper.damping == 0.5
    assert (motor.joint, motor.torque.tolist()) == ("j", [0.0])
    limit = mech.devices["limit j"]
    assert (limit.lower, limit.upper) == pytest.approx(np.radians((-120, 110)))
    assert mech.joint_forces["p"].torque.law.kp == 5.0
    assert any("'w' are not motors" in note for note in imported.remarks)
    assert mech.notes == (*imported.left_out, *imported.remarks)
    assert "limits" in " ".join(import_mjcf(text).mechanism.notes)
    assert "limits" not in " ".join(import_mjcf(text).with_limits().notes)
    assert not import_mjcf(text).mechanism.devices
    assert any("'j'" in note and "limits=True" in note for note in import_mjcf(text).remarks)


SERVOS = {
    "position": '<position name="p" joint="j" kp="50"/><motor name="m" joint="j" gear="50"/>',
    "gear": '<position name="p" joint="j" kp="50" kv="2" gear="-3"/>',
    "forces within a range": '<position name="p" joint="j" kp="50" kv="2" gear="3" forcerange="-1 4"/>',
    "controls within a range": '<position name="p" joint="j" kp="50" dampratio="1" ctrlrange="0.3 1"/>',
    "velocity": '<velocity name="p" joint="j" kv="5"/>',
    "general": '<general name="p" joint="j" gainprm="2" biastype="affine" biasprm="1 -20 -1"/>',
    "constant": '<general name="p" joint="j" biastype="affine" biasprm="3 0 0" forcerange="-2 2"/>',
    "in the parent's frame": '<position name="p" jointinparent="j" kp="50"/>',
}
HOME = '<keyframe><key name="a" ctrl="1"/><key name="home" qpos="0.5" ctrl="0.4"/></keyframe>'


@pytest.mark.parametrize("key", ["", HOME])
@pytest.mark.parametrize("servo", SERVOS)
def test_servos_are_controllers(servo, key):
    """Accelerations with the controls of the start are MuJoCo's, and again after writing and reading."""
    if key and "<motor" in SERVOS[servo]:
        key = key.replace('ctrl="1"', 'ctrl="1 0"').replace('ctrl="0.4"', 'ctrl="0.4 0.02"')
    if key and servo == "velocity":
        key = key.replace('ctrl="0.4"', 'ctrl="0"')
    arm = f'<body><joint name="j" axis="0 1 0" ref="20"/>{INERTIAL}</body>'
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        imported = import_mjcf(model(arm, f"<actuator>{SERVOS[servo]}</actuator>{key}"))
    data, system = mujoco.MjData(imported.model), imported.mechanism.compile()
    again = read_mjcf(mjcf_text(imported.mechanism)).compile()
    for q, v in ((0.0, 0.1), (0.3, 2.0), (-1.1, -0.7)):
        if key:
            mujoco.mj_resetDataKeyframe(imported.model, data, 1)
        data.qpos[0], data.qvel[0] = q + imported.zero["j"], v
        mujoco.mj_forward(imported.model, data)
        assert data.qfrc_actuator[0]
        for one in (system, again):
            np.testing.assert_allclose(ct.forward_dynamics(one, [q], [v]).v_dot, data.qacc, rtol=1e-10)


def test_a_servo_holds_an_arm():
    """0.0147 rad after half a second, where the arm fell to 2.854 rad without it."""
    rod = '<geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/>'
    world = f'<body pos="0 0 1"><joint name="j" axis="0 1 0"/>{rod}</body>'
    mech = read_mjcf(model(world, '<actuator><position name="p" joint="j" kp="50"/></actuator>'))
    assert ct.simulate(mech, 0.5).q[-1] == pytest.approx([0.0146437], rel=1e-4)


@pytest.mark.parametrize(
    ("actuators", "joint", "key"),
    [
        ('<position name="p" joint="j" kp="50" timeconst="0.1"/>', "", ""),
        ('<intvelocity name="p" joint="j" kp="50" actrange="-1 1"/>', "", ""),
        ('<muscle name="p" joint="j" lengthrange="0 1"/>', "", ""),
        ('<position name="p" joint="s" kp="50"/>', "", ""),
        ('<velocity name="p" joint="j" kv="5"/>', "", '<keyframe><key ctrl="2"/></keyframe>'),
        ('<general name="p" joint="j" dyntype="integrator"/>', "", '<keyframe><key act="2"/></keyframe>'),
        ('<position name="p" joint="j" kp="5"/><motor name="m" joint="j"/>', 'actuatorfrcrange="-2 2"', ""),
        ('<position name="p" joint="j" kp="5"/>', 'actuatorfrcrange="-2 2" actuatorgravcomp="true"', ""),
    ],
)
def test_actuators_that_act_and_are_left_out_are_warned_of(actuators, joint, key):
    world = ARM.replace('name="j"', f'name="j" {joint}') + f'<body><joint name="s" type="ball"/>{INERTIAL}</body>'
    with pytest.warns(ModelWarning, match="actuators 'p' act in MuJoCo and are ignored; only motors and servos"):
        read_mjcf(model(world, f"<actuator>{actuators}</actuator>{key}"))


@pytest.mark.parametrize(
    ("actuators", "head"),
    [
        ('<damper name="p" joint="j" kv="5" ctrlrange="0 1"/>', ""),
        ('<motor name="p" joint="s"/>', ""),
        ('<position name="p" joint="s" kp="5"/>', '<option><flag actuation="disable"/></option>'),
        ('<position name="p" joint="s" kp="5" group="3"/>', '<option actuatorgroupdisable="3"/>'),
    ],
)
def test_actuators_without_a_force_are_noted(actuators, head):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mech = read_mjcf(
            model(
                ARM + f'<body><joint name="s" type="ball"/>{INERTIAL}</body>', f"<actuator>{actuators}</actuator>", head
            )
        )
    assert any("'p' are not motors" in note for note in mech.notes)


def test_controls_that_are_not_clamped():
    servo = '<actuator><position name="p" joint="j" kp="5" ctrlrange="0.3 1"/></actuator>'
    held = read_mjcf(model(ARM, servo)), read_mjcf(model(ARM, servo, '<option><flag clampctrl="disable"/></option>'))
    assert [mech.joint_forces["p"].torque.law.target for mech in held] == pytest.approx([0.3, 0.0])


def test_what_is_left_out_is_warned_of():
    joints = 'name="j" armature="0.1" frictionloss="0.2"'
    ball = f'<body><joint name="s" type="ball" stiffness="2"/>{INERTIAL}<site name="x"/></body><site name="y" pos="1 1 1"/>'
    tendon = '<tendon><spatial name="t" range="0 5" limited="true"><site site="x"/><site site="y"/></spatial></tendon>'
    text = model(ARM.replace('name="j"', joints) + ball, tendon, '<option density="1.2"/>')
    with pytest.warns(UserWarning, match="MJCF: ") as caught:
        imported = import_mjcf(text)
    said = " | ".join(str(w.message) for w in caught)
    for word in (
        "frictionloss of joints 'j'",
        "ball and free joints 's'",
        "tendons 't'",
        "density",
    ):
        assert word in said
    assert len(imported.left_out) == 4


def test_armature():
    """It is kept unless told otherwise, that of a free joint is warned of."""
    text = model(ARM.replace('name="j"', 'name="j" armature="0.1"'))
    assert read_mjcf(text).joint_forces["j armature"].reflected == 0.1
    with pytest.warns(UserWarning, match="armature of joints 'j' was ignored"):
        assert not read_mjcf(text, armature="ignore").joint_forces
    with refused(DocumentError, "MJCF: joint 'j' has armature", "armature='keep'"):
        read_mjcf(text, armature="error")
    with refused(ChoiceError, "armature is 'no'", "'keep', 'ignore', 'error'"):
        read_mjcf(text, armature="no")
    assert read_mjcf(model(ARM), armature="error").joints
    free = f'<body><joint name="f" type="free" armature="0.2"/>{INERTIAL}</body>'
    with pytest.warns(UserWarning, match="armature of free joints 'f' was ignored"):
        assert not read_mjcf(model(free)).joint_forces


def test_springs_with_powers_and_actuators_with_inertia_are_warned_of():
    """Things that later versions of MuJoCo have."""
    text = model(ARM.replace('name="j"', 'name="j" stiffness="1 2 3"').replace('name="k"', 'name="k" damping="1 2"'))
    try:
        mujoco.MjModel.from_xml_string(text)
    except ValueError:
        pytest.skip("this version of MuJoCo has none")
    with pytest.warns(UserWarning, match="of joints 'j', 'k' are read as linear"):
        read_mjcf(text)
    with pytest.warns(UserWarning, match="armature and damping of actuators 'm' are ignored"):
        read_mjcf(model(ARM, '<actuator><motor name="m" joint="j" armature="0.1"/></actuator>'))


def test_tendons_between_two_sites_are_springs():
    """With MuJoCo's forces; one with a dead band, or within a body, is left out."""
    body = '<site name="p" pos=".2 0 0"/><site name="q" pos="1 1 1"/><body name="b"'
    sites = ARM.replace('<body name="b"', body)
    sites = sites.replace("</body></body>", '<site name="r" pos="0 .3 0"/></body></body>')
    inside = '<site site="p"/><site site="r"/>'
    tendon = '<tendon><spatial name="t" stiffness="40" damping="3" springlength="0.4">{}</spatial></tendon>'
    pair = pair_of(model(sites, tendon.format(inside)))
    assert pair.imported.mechanism.springs["t"].length == 0.4
    check_tree(pair, *random_state(pair, np.random.default_rng(0)))
    dead = tendon.format(inside).replace('"0.4"', '"0.2 0.4"')
    for other in (dead, tendon.format(inside.replace('"r"', '"q"'))):
        with pytest.warns(UserWarning, match="tendons 't'"):
            assert not read_mjcf(model(sites, other)).springs


def test_keyframes_are_starts():
    keys = '<keyframe><key name="up" qpos="0.1 0.2"/><key name="home" qpos="0.3 0.4"/></keyframe>'
    mech = read_mjcf(model(ARM.replace('name="j"', 'name="j" ref="90"'), keys))
    np.testing.assert_allclose(mech.q_start, (0.3 - np.pi / 2, 0.4))
    first = read_mjcf(model(ARM, keys.replace("home", "down")))
    np.testing.assert_allclose(first.q_start, (0.1, 0.2))
    assert read_mjcf(model(ARM)).q_start is None


def test_states_of_the_wrong_size():
    pair = pair_of(model(ARM))
    with refused(ShapeError, "qpos must be 2 finite numbers"):
        pair.imported.coordinates(pair.system, np.zeros(3))
    with refused(ShapeError, "qvel must be 2 finite numbers"):
        pair.imported.velocities(pair.system, np.zeros(2), [0.0, np.nan])


# -- shapes, meshes, includes ---------------------------------------------------------------------------------


def test_shapes():
    def shape(geoms, **replaced):
        return read_mjcf(model(f'<body name="a"><joint/>{INERTIAL}{geoms}</body>')).bodies["a"].shape

    ball = shape('<geom type="ellipsoid" size="1 2 3"/><geom size="0.3" pos="1 2 3"/>')
    assert (ball.center, ball.radius) == ((1.0, 2.0, 3.0), 0.3)
    rod = shape('<geom type="capsule" size="0.1" fromto="0 0 1 0 2 1"/>')
    np.testing.assert_allclose(sorted([rod.a, rod.b]), [(0, 0, 1), (0, 2, 1)], atol=1e-14)
    assert rod.radius == 0.1
    assert isinstance(shape('<geom type="cylinder" size="0.1 0.2"/>'), ct.Cylinder)
    box = shape('<geom type="box" size="0.1 0.2 0.3" euler="0 0 90"/>')
    assert box.size == (0.2, 0.4, 0.6)
    np.testing.assert_allclose(box.rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15)
    assert shape("") is None


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
MESH = '<asset><mesh name="m" file="m.obj" scale="2 2 2"/></asset>'


def test_meshes_that_are_not_there():
    text = model(
        f'<body name="a"><joint/>{INERTIAL}<geom type="mesh" mesh="m" pos="1 2 3" euler="0 0 90"/></body>', MESH
    )
    text = text.replace("<mujoco>", '<mujoco><compiler meshdir="parts"/>')
    mesh = read_mjcf(text).bodies["a"].shape
    assert (mesh.path, mesh.scale) == ("parts/m.obj", 2.0)
    np.testing.assert_allclose(mesh.pose, [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], atol=1e-12)
    turned = read_mjcf(text.replace("scale=", 'refpos="1 0 0" refquat="0 1 0 0" scale=')).bodies["a"].shape
    np.testing.assert_allclose(
        np.array(turned.pose) @ (1, 0, 0, 1), (1, 2, 3, 1), atol=1e-12
    )  # the file's (1, 0, 0) is its origin
    mirrored = read_mjcf(text.replace('"2 2 2"', '"2 -2 2"'))
    assert mirrored.bodies["a"].shape is None
    pictures = '<texture name="t" type="2d" file="t.png"/><texture name="c" type="cube" fileup="u.png"/>'
    pictures += '<material name="q" texture="t"/><hfield name="h" file="h.png" size="1 1 1 1"/>'
    ground = '<geom type="hfield" hfield="h" material="q"/>'
    assert read_mjcf(model(ARM + ground, f"<asset>{pictures}</asset>")).bodies


def test_meshes_that_inertia_comes_from(tmp_path):
    (tmp_path / "parts").mkdir()
    text = model('<body name="a"><joint/><geom type="mesh" mesh="m"/></body>', MESH, '<compiler meshdir="parts"/>')
    path = tmp_path / "m.xml"
    path.write_text(text)
    with refused(DocumentError, "m.xml: MuJoCo cannot read the model", "m.obj", "give the body an <inertial>"):
        ct.load(path)
    (tmp_path / "parts" / "m.obj").write_text(TETRAHEDRON)
    mech = ct.load(path)
    assert mech.bodies["a"].properties.mass == pytest.approx(1000 * 8 / 6)
    np.testing.assert_allclose(mech.bodies["a"].properties.com, (0.5, 0.5, 0.5))
    np.testing.assert_allclose(mech.bodies["a"].shape.pose, np.eye(4), atol=1e-6)
    (tmp_path / "parts" / "m.obj").unlink()
    for without in ('mass="0"', 'density="0"', 'group="5"'):
        rest = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>" if without != 'group="5"' else '<geom size=".1"/>'
        head = '<compiler meshdir="parts" inertiagrouprange="0 4"/>'
        body = f'<body name="a"><joint/>{rest}<geom type="mesh" mesh="m" {without}/></body>'
        path.write_text(model(body, MESH, head))
        assert ct.load(path).bodies["a"].properties.mass > 0.0


def test_includes(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "arm.xml").write_text(
        f'<mujocoinclude>{ARM}<include file="lost.xml"></include></mujocoinclude>'
    )
    path = tmp_path / "m.xml"
    path.write_text(model('<include file="parts/arm.xml"/>', "<include file='gone.xml'/>"))
    with pytest.warns(UserWarning, match=r"files 'gone.xml', 'lost.xml' were to be included but were not found"):
        mech = ct.load(path)
    assert list(mech.bodies) == ["a", "b"]


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with refused(MissingPackageError, "the package mujoco is needed", "cotree[mjcf]"):
        read_mjcf(model(ARM))


def test_load_knows_mjcf_by_its_name_and_root(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(model(ARM))
    assert list(ct.load(path, floating=False).bodies) == ["a", "b"]
    path.write_text(model(ARM.replace('name="j"', 'name="j" range="-1 1"')))
    assert list(ct.load(path, limits=True).devices) == ["limit j"]
    with refused(ChoiceError, "'arm.xml': an MJCF file contains its loops"):
        ct.load(path, loops=False)
    path.write_text("<robot name='r'/>")
    with refused(DocumentError, "arm.xml: the root element is <robot>"):
        ct.load(path)


# -- Cassie ---------------------------------------------------------------------------------------------------


@with_cassie
def test_cassie_is_mujocos():
    pair, rng = pair_of(CASSIE), np.random.default_rng(0)
    assert pair.model.dof_armature.max() > 0.09
    qpos, qvel = np.array(pair.model.key_qpos[0]), rng.normal(size=pair.model.nv)
    check_tree(pair, qpos, 0.0 * qvel)
    mujoco.mj_integratePos(pair.model, qpos, 0.5 * rng.normal(size=pair.model.nv), 1.0)
    check_tree(pair, qpos, qvel)


@with_cassie
def test_cassie_closes_and_moves():
    imported = import_mjcf(CASSIE)
    mech = imported.mechanism
    assert imported.closing == tuple(
        f"{side}-{rod}-{side}-{end}"
        for side in ("left", "right")
        for rod, end in (("plantar-rod", "foot"), ("achilles-rod", "heel-spring"))
    )
    system = mech.compile()
    assert system.cut_joints == mech.preferred_cut == imported.closing
    found = ct.mobility(system)
    assert (found.grubler, found.regularized, found.differential) == (20, 22, 22)
    # 32 velocities less the rank of MuJoCo's own rows where they are closed
    data = mujoco.MjData(imported.model)
    data.qpos[:] = imported.reference
    imported.model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    mujoco.mj_forward(imported.model, data)
    J = np.array(data.efc_J).reshape(-1, imported.model.nv)[: data.ne]
    assert J.shape == (12, 32)
    assert 32 - np.linalg.matrix_rank(J, tol=1e-9) == 22
    assert np.abs(ct.constraint_residual(system, mech.q_start)).max() > 1e-4  # as the file has it
    q = ct.assemble(system, mech.q_start)
    assert np.abs(ct.constraint_residual(system, q)).max() < 1e-10
    run = ct.simulate(mech, 0.2)
    assert run.status == "done"
    assert run.violation.max() < 1e-10


@with_cassie
def test_cassie_with_armature_accelerates_as_in_mujoco():
    """The tree with its loops open, by articulated bodies; the rods' balls have armature too."""
    pair, rng = pair_of(CASSIE), np.random.default_rng(5)
    qpos, qvel = np.array(pair.model.key_qpos[0]), rng.normal(size=pair.model.nv)
    mujoco.mj_integratePos(pair.model, qpos, 0.3 * rng.normal(size=pair.model.nv), 1.0)
    q, v = pair.place(qpos, qvel)
    mujoco.mj_forward(pair.model, pair.data)
    opened = copy.deepcopy(pair.imported.mechanism)
    for name in pair.imported.closing:
        del opened.joints[name]
    opened.preferred_cut, opened.q_start = (), None
    tree = opened.compile(group="SO3xR3")
    assert tree.n_constraints == 0
    assert tree.coordinate_names == pair.system.coordinate_names
    found = ct.forward_dynamics(tree, q, v).v_dot
    expected = pair.rates(qpos) @ pair.data.qacc_smooth
    np.testing.assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())
