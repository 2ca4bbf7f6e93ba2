"""MJCF files that are short and would become huge, or that read others: refused before MuJoCo sees them."""

import os

import pytest

import cotree as ct
from cotree.errors import UnsafeFileError
from tests.model.builders import refused

MODEL = "<mujoco>{}<worldbody><body><joint type='hinge'/><geom size='1'/></body></worldbody></mujoco>"
NESTED = "<replicate count='200' offset='0 0 1'>" * 4 + "<geom size='1'/>" + "</replicate>" * 4
CASES = {
    "<mujoco><asset><model name='m' file='a.xml'/></asset><worldbody><attach model='m' prefix='x'/></worldbody></mujoco>":
        "takes another model into this one",
    MODEL.format("<asset><model name='m' file='/etc/passwd'/></asset>"): "<model> takes another model",
    "<mujoco><worldbody><replicate count='100000000' offset='0 0 1'><geom size='1'/></replicate></worldbody></mujoco>":
        "replicate: count is '100000000', more than any mechanism needs",
    "<mujoco><worldbody><replicate count='1e999'><geom size='1'/></replicate></worldbody></mujoco>": "count is '1e999'",
    f"<mujoco><worldbody>{NESTED}</worldbody></mujoco>": "<replicate> makes more than 10000 elements",
    MODEL.format("<asset><hfield name='h' nrow='100000' ncol='100000' size='1 1 1 1'/></asset>"):
        "hfield 'h' has, together with others, more than",
    MODEL.format("<asset><texture name='t' type='2d' builtin='flat' width='1000000' height='1000000'/></asset>"):
        "texture 't' has, together with others, more than 1000000 points",
    MODEL.format("<worldbody><flexcomp name='f' type='grid' count='1000 1000 100' spacing='1 1 1'/></worldbody>"):
        "flexcomp 'f' has, together with others, more than",
    MODEL.format("<worldbody><flexcomp name='f' type='grid' count='21 21 21' spacing='1 1 1'/></worldbody>"):
        "than 1000 points",
    MODEL.format("<worldbody><flexcomp name='f' type='mesh' file='f.stl'/></worldbody>"): "flexcomp 'f' is made from a file",
    MODEL.format("<asset>" + "<hfield name='h' nrow='1000' ncol='900' size='1 1 1 1'/>" * 2 + "</asset>"):
        "hfield 'h' has, together with others, more than 1000000 points",
    MODEL.format("<asset><mesh name='m' builtin='cone' params='100000000 1'/></asset>"): "mesh 'm': params is '100000000 1'",
    MODEL.format("<asset>" + "<mesh name='m' builtin='supersphere' params='100 1 1'/>" * 101 + "</asset>"): "mesh 'm' has",
    MODEL.format("<custom>" + "<numeric name='n' size='300000'/>" * 4 + "</custom>"): "numeric 'n' has",
    MODEL.format("<sensor><user name='s' dim='2000000000'/></sensor>"): "user 's': dim is '2000000000'",
    MODEL.format("<actuator><general name='a' actdim='100000'/></actuator>"): "general 'a': actdim is '100000'",
    MODEL.format("<size nuser_body='1000000'/>"): "size: nuser_body is '1000000'",
    MODEL.format("<size nkey='1000000'/>"): "size: nkey is '1000000'",
    MODEL.format("<size memory='999G'/>"): "size: memory is '999G'",
    "<mujoco><worldbody><replicate count='50'><include file='c.xml'/></replicate></worldbody></mujoco>":
        "<include> within <replicate> is not read",
    MODEL.format("<size nuserdata='2000000000'/>"): "size: nuserdata is '2000000000'",
}  # fmt: skip


@pytest.mark.parametrize("text", CASES)
@pytest.mark.parametrize("included", [False, True])
def test_refused(tmp_path, text, included):
    (tmp_path / "a.xml").write_text("<mujoco><include file='b.xml'/></mujoco>" if included else text)
    (tmp_path / "b.xml").write_text(text)
    with refused(UnsafeFileError, "a.xml", CASES[text]):
        ct.load(tmp_path / "a.xml")


@pytest.mark.filterwarnings("ignore")
def test_a_few_copies_are_made(tmp_path):
    body = "<body><joint/><geom size='1'/></body>"
    text = f"<mujoco><worldbody><replicate count='3' offset='0 0 1'>{body}</replicate></worldbody></mujoco>"
    (tmp_path / "a.xml").write_text(text)
    assert len(ct.load(tmp_path / "a.xml").bodies) == 3


def test_depth_adds_up_over_files(tmp_path):
    """Six files, each of a depth that is allowed; MuJoCo goes down all of them at once."""
    for k in range(6):
        inner = f"<include file='{k + 1}.xml'/>" if k < 5 else "<geom size='1'/>"
        (tmp_path / f"{k}.xml").write_text("<mujoco>" + "<body>" * 90 + inner + "</body>" * 90 + "</mujoco>")
    (tmp_path / "a.xml").write_text("<mujoco><worldbody><include file='0.xml'/></worldbody></mujoco>")
    with refused(UnsafeFileError, "a.xml", "include '4.xml'", "deep"):
        ct.load(tmp_path / "a.xml")


def test_meshes_are_files(tmp_path):
    """A pipe would be waited for without end."""
    os.mkfifo(tmp_path / "pipe.stl")
    asset, shape = "<asset><mesh name='m' file='pipe.stl'/></asset>", "type='mesh' mesh='m'"
    (tmp_path / "a.xml").write_text(MODEL.format(asset).replace("size='1'", shape))
    with refused(UnsafeFileError, "a.xml", "mesh 'pipe.stl' is not a file"):
        ct.load(tmp_path / "a.xml")


@pytest.mark.filterwarnings("ignore")
def test_nothing_is_simulated_for_ranges_of_lengths(tmp_path):
    """The file asks for 1e18 steps."""
    range_of = "<compiler><lengthrange mode='all' inttotal='1e9' interval='1e9' timestep='1e-9'/></compiler>"
    text = MODEL.format(range_of).replace("<joint", "<joint name='j'")
    (tmp_path / "a.xml").write_text(text.replace("</mujoco>", "<actuator><motor joint='j'/></actuator></mujoco>"))
    assert len(ct.load(tmp_path / "a.xml").joints) == 1
