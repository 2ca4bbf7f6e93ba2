"""Pages that simulate: the same numbers as the package, in node and in a browser, and no crash with damaged data."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import cotree as ct
from cotree.export.answers import poses_of
from tests.view.browsers import browser, complaints

NODE = shutil.which("node")
HERE = Path(__file__).parent
INPUTS = ["A", "B", "D"]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return ct.export_page(ct.gallery.four_bar(), tmp_path_factory.mktemp("pages") / "four_bar.html")


@pytest.fixture(scope="module")
def stepper():
    """After a thousand steps."""
    s = ct.Stepper(ct.gallery.four_bar(), 1e-3, record=False)
    s.step(1000)
    return s


def in_node(page, **commands):
    if NODE is None:
        pytest.skip("there is no node here")
    given = {"steps": 1000, "driven": 100, "inputs": INPUTS} | commands
    told = subprocess.run(
        [NODE, str(HERE / "instance.mjs"), str(page), json.dumps(given)], capture_output=True, text=True, check=True
    )
    return json.loads(told.stdout)


def test_a_page_moves_as_the_package_does(page, stepper):
    told = in_node(page)
    system = stepper.system
    assert told["status"] == 0
    assert told["t"] == pytest.approx(1.0, abs=1e-12)
    assert np.allclose(told["q"], stepper.q, rtol=0, atol=1e-11)
    assert np.allclose(told["v"], stepper.v, rtol=0, atol=1e-11)
    assert np.allclose(told["poses"], poses_of(system, stepper.q), rtol=0, atol=1e-11)
    energy = ct.energy(system, stepper.q, stepper.v)
    assert told["measure"]["kinetic"] == pytest.approx(energy.kinetic, abs=1e-10)
    assert told["measure"]["potential"] == pytest.approx(energy.potential, abs=1e-10)
    assert told["measure"]["position"] < 1e-12
    driven = stepper.copy()
    for i in range(100):
        driven.set(torque={name: 0.1 * np.sin(0.01 * i + k) for k, name in enumerate(INPUTS)})
        driven.step()
    assert np.allclose(told["driven"], driven.q, rtol=0, atol=1e-11)
    assert np.allclose(told["start"], ct.Stepper(ct.gallery.four_bar(), 1e-3).q, rtol=0, atol=0)
    closed = ct.assemble(system, np.array([0.05, 0.0, 0.0]), fixed=("A",))
    assert np.allclose(told["closed"], closed, rtol=0, atol=1e-10)


def test_damaged_models_and_other_versions_are_refused(page):
    assert in_node(page, damage=1000) == {"error": "the model is damaged"}
    assert in_node(page, damage=2) == {"error": "the model is damaged"}
    assert in_node(page, version="17") == {"error": "the model is of another version"}


def test_a_page_is_one_small_file_that_asks_nobody(page):
    text = page.read_text()
    assert len(text) < 600_000
    assert not re.search(r"https?://", text)
    assert "default-src 'none'" in text


def test_names_are_only_ever_text(tmp_path):
    mech = ct.Mechanism("</script><b>{{data}}", gravity=(0, -9.81, 0))
    arm = mech.body("<i>arm", mass=1, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1))
    mech.joint("A", mech.ground, arm, ct.Revolute(point=(0, 0, 0), axis=(0, 0, 1)))
    from cotree.export.page import page as text_of
    from cotree.export.preparing import prepare

    model = prepare(mech, None, 1e-3, "rk4", "auto", "export_page")
    with pytest.MonkeyPatch.context() as patch:  # what is compiled is of no concern here
        patch.setattr("cotree.export.page.runtime_of", lambda model: (b"", {}))
        text = text_of(model)
    assert "</script><b>" not in text
    assert "<i>arm" not in text


def test_a_page_in_a_browser(page, stepper, tmp_path):
    """It steps as the package does, shows no error, and moves what is drawn."""
    with browser(tmp_path) as driver:
        driver.get(page.as_uri())
        from tests.view.browsers import until

        until(lambda: driver.execute_script("return Boolean(window.cotree)"), "the module")
        assert driver.execute_script("return cotree.error") is None
        driver.execute_script("cotree.toggle(false); cotree.reset()")
        assert driver.execute_script("return cotree.advance(1000)") == 0
        told = driver.execute_script("cotree.draw(); return [[...cotree.model.q], [...cotree.model.v]]")
        assert np.allclose(told, [stepper.q, stepper.v], rtol=0, atol=1e-11)
        assert "t = 1.000 s" in driver.find_element("id", "clock").text
        assert "constraints to" in driver.find_element("id", "certificate").text
        driver.execute_script("cotree.setStart(0, 0.3)")
        q = np.array(driver.execute_script("return [...cotree.model.q]"))
        assert np.allclose(q, ct.assemble(stepper.system, q, fixed=("A",)), rtol=0, atol=1e-10)
        assert q[0] == pytest.approx(0.3, abs=1e-12)
        assert complaints(driver) == []
