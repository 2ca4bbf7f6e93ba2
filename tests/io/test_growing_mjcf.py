"""MJCF files that are short and would become huge, or that read others: refused before MuJoCo sees them."""

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
    MODEL.format("<asset><hfield name='h' nrow='100000' ncol='100000' size='1 1 1 1'/></asset>"): "hfield 'h' has more than",
    MODEL.format("<asset><texture name='t' type='2d' builtin='flat' width='1000000' height='1000000'/></asset>"):
        "texture 't' has more than 1000000 points",
    MODEL.format("<worldbody><flexcomp name='f' type='grid' count='1000 1000 100' spacing='1 1 1'/></worldbody>"):
        "flexcomp 'f' has more than",
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
