"""Hostile and broken XML: an error of ours that names the place, or a mechanism, and never more work than the file is worth."""

import pytest

import cotree as ct
from cotree.errors import (
    AxisError,
    DocumentError,
    DuplicateNameError,
    InertiaError,
    MassError,
    NotFiniteError,
    UnsafeFileError,
)
from cotree.io.xml import elements
from tests.io.fuzzed import BOMB, FETCH, THIEF
from tests.io.robot_files import joint, link, robot, two_links
from tests.model.builders import refused

HOSTILE = [
    (BOMB, "DOCTYPE"), (THIEF, "DOCTYPE"), (FETCH, "DOCTYPE"), ("<!DOCTYPE robot>" + two_links(), "DOCTYPE"),
    ("<robot>" + "<a>" * 100 + "</a>" * 100 + "</robot>", "more than 50 levels deep"),
    ("<a>" * 1_000_000, "more than 50 levels deep"),
    (robot("<a/>" * 100_001), "more than 100000 elements"),
    (robot("<a " + " ".join(f'x{k}="1"' for k in range(60)) + "/>"), "'a' has more than 50 attributes"),
    (two_links().replace('"j"', f'"{"j" * 300}"'), "'joint' has a name of more than 200 characters"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("kind", ["urdf", "sdf"])
def test_hostile_files_are_not_read(tmp_path, kind, text, words):
    path = tmp_path / f"robot.{kind}"
    path.write_text(text)
    with refused(UnsafeFileError, f"robot.{kind}: ", words):
        ct.load(path)


def test_files_that_are_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(elements, "MOST_BYTES", 100)
    (tmp_path / "robot.urdf").write_text(two_links() + " " * elements.MOST_BYTES)
    with refused(UnsafeFileError, "robot.urdf: the file has more than", "bytes"):
        elements_read(tmp_path / "robot.urdf")


def elements_read(path):
    from cotree.io.native.error_paths import located

    with located(path.name):
        return elements.parse(elements.read_bytes(path, elements.MOST_BYTES))


@pytest.mark.parametrize(
    "data",
    [b"", b"<robot", b"<robot></link>", b"\x00\x01", b"<?xml version='1.0' encoding='nothing'?><robot/>", b"<a>&b;</a>",
     b"<?xml version='1.0' encoding='shift_jis'?><robot/>", b"<robot name='\xff'/>", "<robot name='ü'/>".encode("utf-16")[:9]],
)  # fmt: skip
def test_what_is_no_xml(tmp_path, data):
    (tmp_path / "robot.urdf").write_bytes(data)
    with refused(DocumentError, "robot.urdf: this is not valid XML"):
        ct.load(tmp_path / "robot.urdf")


def test_other_encodings(tmp_path):
    for encoding in ("utf-16", "latin-1"):
        text = two_links().replace('"1.0"', f'"1.0" encoding="{encoding}"').replace('name="a"', 'name="grün"')
        (tmp_path / "robot.urdf").write_bytes(text.replace('link="a"', 'link="grün"').encode(encoding))
        assert "grün" in ct.load(tmp_path / "robot.urdf").bodies


MASS = '<inertial><mass value="{}"/><inertia ixx="{}" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
A, B = link("a"), link("b")
WRONG = [
    ("<sdf/>", DocumentError, "the root element is <sdf>; a URDF file has <robot>"),
    (robot('<xacro:macro name="m"/>'), DocumentError, "<xacro:macro>: this is xacro, not URDF; run xacro on it first"),
    (robot(), DocumentError, "the robot has no links"),
    (robot("<link/>"), DocumentError, "link: link has no name"),
    (robot(A, A), DuplicateNameError, "link 'a' occurs twice"),
    (robot(A, B), DocumentError, "links without a parent: 'a', 'b'; a URDF has exactly one"),
    (robot(A, B, joint("j", "fixed", "a", "b"), joint("k", "fixed", "b", "a")), DocumentError, "links without a parent: none"),
    (robot(A, B, link("c"), joint("j", "fixed", "b", "c"), joint("k", "fixed", "c", "b")), DocumentError,
     "link 'b' is part of a cycle of joints"),
    (robot(A, link("ground"), joint("j", "fixed", "a", "ground")), DocumentError, "link 'ground' is not the root"),
    (robot(A, joint("j", "fixed", "a", "a")), DocumentError, "joint 'j': link 'a' is its own parent"),
    (robot(A, B, joint("j", "fixed", "a", "c")), DocumentError, "joint 'j': child: there is no link 'c'; there are 'a', 'b'"),
    (robot(A, B, joint("j", "hinge", "a", "b")), DocumentError, "joint 'j': type 'hinge' is unknown"),
    (robot(A, B, '<joint name="j" type="fixed"><child link="b"/></joint>'), DocumentError, "joint has no <parent>"),
    (two_links('<axis xyz="0 0 0"/>'), AxisError, "joint 'j': axis 0 0 0 has no direction; give one such as 0 0 1"),
    (two_links('<axis xyz="0 0"/>'), DocumentError, "joint 'j': axis xyz is '0 0'; it must be 3 numbers"),
    (two_links('<axis xyz="0 0 x"/>'), DocumentError, "joint 'j': axis xyz is 'x', which is not a number"),
    (two_links('<axis xyz="0 0 ${pi}"/>'), DocumentError, "run xacro on the file first"),
    (two_links('<origin xyz="0 0 nan"/>'), NotFiniteError, "joint 'j': xyz is nan; give a finite number"),
    (two_links('<origin xyz="0 0 -inf"/>'), NotFiniteError, "xyz is -inf"),
    (two_links('<origin xyz="0 0 1e300"/>'), NotFiniteError, "xyz is 1e300, which is too large"),
    (two_links('<limit lower="nan"/>'), NotFiniteError, "limit lower is nan"),
    (two_links(f'<origin xyz="0 0 {"9" * 100}"/>'), DocumentError, "which is not a number"),
    (two_links('<mimic joint="k"/>'), DocumentError, "joint 'j': mimic: 'k' is not a joint; the joints are 'j'"),
    (two_links('<mimic joint="j"/>'), DocumentError, "joint 'j': mimic: joint 'j' cannot be followed"),
    (robot(f'<link name="a">{MASS.format(-1, 1)}</link>'), MassError, "link 'a': body 'a': mass is -1"),
    (robot(f'<link name="a">{MASS.format(1, 5)}</link>'), InertiaError, "link 'a': body 'a': principal moments"),
    (robot('<link name="a"><inertial/></link>'), DocumentError, "link 'a': inertial: inertial has no <mass>"),
    (robot(link("a", "<visual/>")), DocumentError, "link 'a': visual: visual has no <geometry>"),
    (robot(link("a", '<visual><geometry><sphere radius="-1"/></geometry></visual>')), DocumentError,
     "link 'a': visual: sphere with the size -1; it must be positive"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "error", "words"), WRONG, ids=range(len(WRONG)))
def test_broken_files_are_named(tmp_path, text, error, words):
    (tmp_path / "robot.urdf").write_text(text)
    with refused(error, "robot.urdf: ", words):
        ct.load(tmp_path / "robot.urdf")
