"""Collision shapes of MJCF, URDF and SDF files as contacts."""

import numpy as np
import pytest

import cotree as ct
from cotree.constraints.contacts.measure import PointTable, touches_of

MJCF = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1" pos="0 0 -0.5" friction="0.3 0 0"/>
    <body name="arm"><joint type="hinge" axis="0 1 0"/>
      <geom type="capsule" fromto="0 0 0 0.5 0 0" size="0.04" friction="0.8 0 0"/>
      <body name="hand" pos="0.6 0 0"><joint type="hinge" axis="0 1 0"/>
        <geom type="box" size="0.05 0.04 0.03" condim="1"/><geom type="sphere" size="0.06" pos="0.1 0 0" priority="2"
          friction="0.1 0 0"/>
      </body>
    </body>
    <body name="part" pos="0.4 0 -0.4"><freejoint/><geom name="part" type="cylinder" size="0.05 0.1"/></body>
    <body name="ball" pos="0.8 0 -0.4"><freejoint/><geom name="ball" type="sphere" size="0.05" contype="2" conaffinity="2"/>
      <geom name="egg" type="ellipsoid" size="0.1 0.1 0.2" pos="0.5 0 0"/></body>
    <body name="seen" pos="0 2 0"><freejoint/><geom type="sphere" size="0.05" contype="0" conaffinity="0"/></body>
  </worldbody>
  <contact><exclude body1="part" body2="world"/><pair geom1="ball" geom2="floor" friction="0.7 0.7 0 0 0"/></contact>
</mujoco>
"""
URDF = """
<robot name="r">
  <link name="base"><collision><geometry><box size="1 1 0.1"/></geometry></collision></link>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.5"/><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="tip"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.3"/><geometry><sphere radius="0.1"/></geometry></collision>
    <collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
  <joint name="a" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit effort="1" velocity="1"/></joint>
  <joint name="b" type="revolute"><parent link="arm"/><child link="tip"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit effort="1" velocity="1"/></joint>
</robot>
"""
SDF = """
<sdf version="1.9"><model name="m">
  <link name="one"><inertial><mass>1</mass></inertial>
    <collision name="c"><geometry><sphere><radius>0.1</radius></sphere></geometry>
    <surface><friction><ode><mu>0.6</mu></ode></friction></surface></collision></link>
  <link name="two"><pose>1 0 0 0 0 0</pose><inertial><mass>1</mass></inertial>
    <collision name="c"><geometry><capsule><radius>0.1</radius><length>0.4</length></capsule></geometry>
    <surface><friction><ode><mu>0.4</mu></ode></friction></surface></collision></link>
</model></sdf>
"""


def _contacts(mech):
    return {n: d.friction for n, d in mech.devices.items() if d.word == "contact"}


def _load(tmp_path, name, text, **options):
    (tmp_path / name).write_text(text)
    return ct.load(tmp_path / name, **options)


def test_geoms_that_mujoco_lets_collide_are_contacts(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    mech = _load(tmp_path, "m.xml", MJCF, contacts=True)
    assert _contacts(mech) == {
        "ground, ball": 0.7,
        "ground, arm": 0.8,
        "ground, hand (1)": 1.0,
        "ground, hand (2)": 0.1,
    }
    assert any(
        "contacts between 'Box and Cylinder', 'Cylinder and Rod', 'Cylinder and Sphere'" in n for n in mech.notes
    )
    assert "'egg'" in str(mech.notes)
    assert "contacts are ignored" not in str(mech.notes)
    system = mech.compile()
    points = PointTable(system, touches_of(system)).measure(system, system.q0, np.zeros(system.nv))
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    ball, floor = (mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_GEOM, n) for n in ("ball", "floor"))
    wanted = mujoco.mj_geomDistance(model, data, ball, floor, 10.0, None)
    own = [k for k, touch in enumerate(touches_of(system)) if touch.contact == "ground, ball"]
    np.testing.assert_allclose(points[own, 0], wanted, atol=1e-12)


def test_collisions_of_urdf_files_are_contacts_without_friction(tmp_path):
    mech = _load(tmp_path, "r.urdf", URDF, contacts=True)
    assert _contacts(mech) == {"base, tip": 0.0}
    assert any("have no friction in the file" in note for note in mech.notes)
    assert any("contacts between 'Box and Cylinder' are left out" in note for note in mech.notes)
    system = mech.compile()
    points = PointTable(system, touches_of(system)).measure(system, system.q0, np.zeros(system.nv))
    np.testing.assert_allclose(points[:, 0], 1.3 - 0.1 - 0.05, atol=1e-12)
    assert _contacts(_load(tmp_path, "r.urdf", URDF)) == {}


def test_collisions_of_sdf_files_are_contacts_with_their_friction(tmp_path):
    mech = _load(tmp_path, "m.sdf", SDF, contacts=True, floating=True)
    assert _contacts(mech) == {"one, two": 0.4}
    assert type(mech.devices["one, two"].shape_b) is ct.Rod
