"""Dry friction of robot files: kept on demand, as `mech.friction`, in URDF, SDF and MJCF."""

import warnings

import numpy as np
import pytest

import cotree as ct

LOSS = 0.7
URDF = f"""<robot name="r"><link name="world"/><link name="a"><inertial><mass value="1"/><origin xyz="0.3 0 0"/>
<inertia ixx="0.01" iyy="0.11" izz="0.11" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="continuous"><parent link="world"/><child link="a"/><axis xyz="0 0 1"/>
<dynamics friction="{LOSS}"/></joint></robot>"""
SDF = f"""<sdf version="1.9"><model name="r"><link name="a"><inertial><mass>1</mass><pose>0.3 0 0 0 0 0</pose>
<inertia><ixx>0.01</ixx><iyy>0.11</iyy><izz>0.11</izz></inertia></inertial></link>
<joint name="j" type="revolute"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz>
<dynamics><friction>{LOSS}</friction></dynamics></axis></joint></model></sdf>"""
MJCF = f"""<mujoco><worldbody><body name="a"><joint name="j" type="hinge" axis="0 0 1" frictionloss="{LOSS}"/>
<inertial pos="0.3 0 0" mass="1" diaginertia="0.01 0.11 0.11"/></body></worldbody></mujoco>"""
FILES = {"urdf": URDF, "sdf": SDF, "xml": MJCF}
INERTIA, SPEED = 0.2, 3.0


@pytest.fixture(params=FILES)
def path(request, tmp_path):
    if request.param == "xml":
        pytest.importorskip("mujoco")
    (tmp_path / f"r.{request.param}").write_text(FILES[request.param])
    return tmp_path / f"r.{request.param}"


def test_friction_is_kept_on_demand(path):
    """A link that turns in a horizontal plane stops after inertia speed / friction, and stays."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mech = ct.load(path, friction=True)
    assert not any("friction" in note for note in mech.notes)
    run = ct.simulate(mech, 1.2, v={"j": SPEED}, output=25)
    stop = INERTIA * SPEED / LOSS
    rate = np.maximum(SPEED - LOSS / INERTIA * run.t, 0.0)
    assert abs(run.events[-1].t - stop) < 1e-9
    assert np.abs(run.joint("j").rate - rate).max() < 1e-9


def test_without_it_a_warning_says_so(path):
    with pytest.warns(UserWarning, match="is ignored; load\\(friction=True\\)"):
        mech = ct.load(path)
    assert not mech.devices
    assert any("friction=True" in note for note in mech.notes)
