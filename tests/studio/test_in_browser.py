"""The studio as a person uses it, in a real browser: open, drag, set, run, read, plot, save, open again."""

import http.client
import time
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

import cotree as ct
from cotree.cli import main
from cotree.errors import ChoiceError
from cotree.studio import Bench, Studio
from cotree.view.scene.reference import mass_centres
from tests.studio.pointer import drag, on_screen
from tests.view.browsers import browser, complaints, until

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

pytest.importorskip("viser", reason="the package viser is not installed: no studio")


def tab(driver, name, sign):
    """Go to a tab, by a real click, since it listens to the pointer; again if a busy browser has missed it."""
    xpath = f"//*[@role='tab']//*[text()='{name}']"
    until(lambda: driver.find_elements("xpath", xpath), f"there is no tab {name}")

    def there():
        shown = [e for e in driver.find_elements("xpath", f"//*[normalize-space()='{sign}']") if e.is_displayed()]
        if not shown:
            driver.find_element("xpath", xpath).click()
            time.sleep(0.5)
        return shown

    until(there, f"the tab {name} does not come")


def click(driver, elements):
    """Click on the first of some elements; whether there is one."""
    if elements:
        driver.execute_script("arguments[0].click()", elements[0])
    return bool(elements)


def press(driver, text):
    """A button of the tab that is shown."""
    xpath = f"//button[normalize-space()='{text}']"
    until(lambda: click(driver, driver.find_elements("xpath", xpath)), f"there is no button {text}")


def centre(studio, body):
    """Where the mass centre of a body is."""
    system = studio.bench.system
    C, local = ct.poses(system, studio.bench.q)[system.row_of(body)], mass_centres(system, np.zeros(3))
    return C[:3, :3] @ local[system.row_of(body)] + C[:3, 3]


def words(driver):
    return driver.find_element("tag name", "body").text


def choose(driver, label, option):
    """An option of a list: open it, and click on the option of exactly this name."""
    xpath = f"//label[normalize-space()='{label}']/following::input[1]"
    until(lambda: click(driver, driver.find_elements("xpath", xpath)), f"there is no field {label}")
    xpath = f"//*[@role='option'][normalize-space()='{option}']"

    def options():  # other lists may have the same, which are not shown
        return [one for one in driver.find_elements("xpath", xpath) if one.is_displayed()]

    until(lambda: click(driver, options()), f"there is no option {option}")


def type_into(driver, label, value):
    from selenium.webdriver.common.keys import Keys

    xpath = f"//label[normalize-space()='{label}']/following::input[@type='text'][1]"

    def typed():
        fields = driver.find_elements("xpath", xpath)
        if fields:
            fields[0].send_keys(Keys.CONTROL, "a")
            fields[0].send_keys(value, Keys.ENTER, Keys.TAB)
        return fields

    until(typed, f"there is no field {label}")


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    studio = Studio(Bench.of_gallery("slider_crank"))
    down = tmp_path_factory.mktemp("down")
    with browser(tmp_path_factory.mktemp("profile")) as driver:
        driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(down)})
        driver.get(studio.url)
        until(lambda: studio.server.get_clients(), "no browser came")
        until(lambda: driver.find_elements("xpath", "//*[@role='tab']"), "there is no panel")
        yield studio, driver, down
        assert complaints(driver) == []
        driver.get("about:blank")
    studio.close()


def test_a_person_opens_drags_sets_runs_reads_plots_saves_and_opens_again(opened):
    studio, driver, down = opened
    # a mechanism of the gallery
    choose(driver, "gallery", "four_bar")
    press(driver, "Open from gallery")
    until(lambda: studio.bench.name == "four_bar", "the four-bar was not opened")
    until(lambda: "cut at [C: Revolute]" in words(driver), "tree and loops are not shown")
    until(lambda: "1 degree of freedom, regular configuration" in words(driver), "the mobility is not said")
    # a slider is dragged, and the loop is closed
    slider = until(lambda: driver.find_elements("css selector", "[role='slider']"), "there is no slider")[0]
    from selenium.webdriver import ActionChains

    ActionChains(driver).click_and_hold(slider).move_by_offset(12, 0).release().perform()
    until(lambda: abs(studio.bench.q[0]) > 0.1, "the slider moved nothing")
    time.sleep(1.0)
    with studio._lock:
        residual = np.abs(ct.constraint_residual(studio.bench.system, studio.bench.q)).max()
        said = studio.bench.closure()
    assert residual < 1e-12
    assert said == residual
    until(lambda: f"loops closed to {said:.2g}" in words(driver), "the closure is not said")
    # a body is dragged in the picture, and the loop is closed
    before, grip = studio.bench.q.copy(), studio.bench.grip("coupler", centre(studio, "coupler"))
    here = grip.place(studio.bench.system, before)
    drag(driver, on_screen(studio, driver, here), (40, 25))
    until(lambda: studio.hand.grip is None and abs(studio.bench.q - before).max() > 0.05, "the body was not dragged")
    until(lambda: studio._unmarked is None, "the posture is not told")
    assert studio.bench.closure() < 1e-12
    pulled = grip.place(studio.bench.system, studio.bench.q) - here
    assert pulled[0] > 0.05, "it followed the pointer to the right"
    until(lambda: "yellow joints" in words(driver) and ": A, B, C, D" in words(driver), "redundancy is not explained")
    # a motor
    tab(driver, "Set", "Loads")
    type_into(driver, "torque [N m]", "25")
    until(lambda: studio.panels.size.value == 25, "the value did not arrive")  # a person is slower than this
    press(driver, "Set")
    until(lambda: "motor of A" in studio.bench.mech.joint_forces, "no motor was set")
    assert studio.bench.mech.joint_forces["motor of A"].torque.tolist() == [25.0]
    until(lambda: "motor of A: 25" in words(driver), "the motor is not listed")
    # a spring between two points that are picked in the picture, by short drags that move nothing
    before, crank, coupler = studio.bench.q.copy(), centre(studio, "crank"), centre(studio, "coupler")
    studio.panels.picking.value = True
    for body, place in (("crank", crank), ("coupler", coupler)):
        drag(driver, on_screen(studio, driver, place), (8, 0))
        until(lambda body=body: f"a point of '{body}'" in studio.panels.said, f"{body} was not picked")
    (first, _), (second, where) = studio.panels.ends
    assert (first.value, second.value) == ("crank", "coupler")
    assert np.linalg.norm(np.array(where.value) - coupler) < 0.2  # on its surface
    assert np.array_equal(studio.bench.q, before)
    press(driver, "Set spring")
    until(lambda: "spring from crank to coupler" in studio.bench.mech.springs, "no spring was set")
    until(lambda: "spring from crank to coupler: 100 N/m" in words(driver), "the spring is not listed")
    studio.panels.picking.value = False
    # a run with its certificate
    tab(driver, "Run", "Stop")
    studio.panels.play_box.value = False  # a browser without a graphics card is busy with each picture
    type_into(driver, "end [s]", "1.5")
    until(lambda: studio.panels.t_end.value == 1.5, "the end did not arrive")
    press(driver, "Run")
    run = until(lambda: studio.bench.runs.get("run 1"), "nothing was run")
    until(lambda: "run 1: four-bar: done, 0 to 1.5 s" in words(driver), "there is no certificate")
    until(lambda: "loops closed to within" in words(driver), "the closure of the run is not said")
    assert run.status == "done"
    assert studio.playing == "run"
    again = ct.simulate(studio.bench.system, 1.5, run.q[0], output=401)
    np.testing.assert_allclose(run.q, again.q, atol=1e-12)
    # a sensor
    tab(driver, "Plot", "sensor")
    choose(driver, "sensor", "joint C: angle [rad]")
    until(lambda: "joint C: angle [rad]\nrun 1:" in words(driver), "the sensor is not plotted")
    angle = run.joint("C").angle
    until(lambda: f"run 1: {angle.min():.6g} to {angle.max():.6g}" in words(driver), "it is not the sensor of the run")
    until(lambda: driver.find_elements("css selector", ".uplot canvas"), "there is no curve")
    # another run beside it
    studio.attempt(lambda: studio.panels._added("add", "motor", "A", 5.0))
    tab(driver, "Run", "Stop")
    press(driver, "Run")
    other = until(lambda: studio.bench.runs.get("run 2"), "nothing was run")
    until(lambda: "run 2: four-bar: done" in words(driver), "there is no certificate")
    choose(driver, "beside it", "run 1")
    until(lambda: studio._ghost is not None, "no run is shown beside the other")
    until(
        lambda: "made with: spring from" in words(driver) and "motor of A: 5" in words(driver),
        "what the run was made with is not said",
    )
    tab(driver, "Plot", "sensor")
    turned = other.joint("C").angle
    until(lambda: f"run 2: {turned.min():.6g} to {turned.max():.6g}" in words(driver), "the runs are not compared")
    studio.attempt(lambda: studio.panels._added("add", "motor", "A", 25.0))
    # saved and opened again
    tab(driver, "Save", "Save model")
    press(driver, "Save model")
    model = until(lambda: next(iter(down.glob("four_bar*.json")), None), "no model came down")
    press(driver, "Save page")
    page = until(lambda: next(iter(down.glob("four_bar*.html")), None), "no page came down")
    until(lambda: page.stat().st_size > 10_000, "the page is not whole")
    q = studio.bench.q.copy()
    before = studio.bench
    tab(driver, "Model", "Posture")
    driver.find_element("css selector", "input[type='file']").send_keys(str(Path(model).resolve()))
    until(lambda: studio.bench is not before, "the file was not opened")
    np.testing.assert_allclose(studio.bench.q, q, atol=1e-14)
    assert studio.bench.mech.joint_forces["motor of A"].torque.tolist() == [25.0]
    assert studio.bench.mech.springs["spring from crank to coupler"].stiffness == 100.0


def test_a_cad_assembly_is_opened_and_its_joints_are_chosen(opened):
    pytest.importorskip("OCP", reason="the package cadquery-ocp-novtk is not installed: no STEP files")
    studio, driver, _ = opened
    tab(driver, "Model", "Posture")
    driver.find_element("css selector", "input[type='file']").send_keys(str(EXAMPLES / "four_bar.step"))
    until(lambda: studio.bench.cad is not None, "the CAD assembly was not opened")
    until(lambda: "Joints were found where a shaft is in its hole" in words(driver), "it is not said what was found")
    until(lambda: "stays fixed" in words(driver), "there are no choices")
    assert studio.bench.mobility().local == 1
    choose(driver, "gravity along", "-y")
    choose(driver, "coupler-rocker", "no joint")
    time.sleep(0.5)  # a person is slower than this
    press(driver, "Build again")
    until(lambda: studio.bench.mech.gravity[1] < 0, "it was not built again")
    assert studio.bench.mobility().local == 3
    until(lambda: "3 degrees of freedom" in words(driver), "the mobility is not said")


def test_a_file_that_is_wrong_is_said_to_be(opened, tmp_path, monkeypatch):
    studio, driver, _ = opened
    before = studio.bench
    (tmp_path / "bad.json").write_text('{"version": 1, "bodies": [{"name": "b", "mass": -1}]}')
    tab(driver, "Model", "Posture")
    driver.find_element("css selector", "input[type='file']").send_keys(str(tmp_path / "bad.json"))
    until(lambda: "bodies[0]" in words(driver), "nothing was said")
    assert studio.bench is before
    monkeypatch.setattr("cotree.studio.uploads.MOST_BYTES", 1000)
    (tmp_path / "large.json").write_text(" " * 2000)
    driver.find_element("css selector", "input[type='file']").send_keys(str(tmp_path / "large.json"))
    until(lambda: "'large.json' has" in words(driver), "a large file is not refused")
    assert not studio.server.gui._current_file_upload_states


def test_another_origin_and_another_secret_are_refused(opened):
    studio, _, _ = opened
    where = urlsplit(studio.url)

    def status(path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", where.port, timeout=60)
        try:
            connection.request("GET", path, headers=headers)
            return connection.getresponse().status
        finally:
            connection.close()

    assert where.hostname == "127.0.0.1"
    assert status(where.path) == 200
    assert status(where.path, Origin="http://evil.example") == 403
    assert status("/") == 403
    assert status("/wrong") == 403
    assert status(where.path, Host="evil.example") == 403


def test_what_a_widget_cannot_hold_is_refused_and_said():
    with Studio(Bench.of_gallery("four_bar")) as studio:
        with pytest.raises(ChoiceError, match="cannot be set"):
            studio.panels._added("push", "crank", 3.0)
        studio.attempt(lambda: studio.panels._added("add", "motor", "X", 3.0))
        assert "no one-DOF joint" in studio.panels.message.content
        assert studio.move("A", 3.0) is False
        assert "goes no further" in studio.panels.message.content


def test_the_command_opens_it(monkeypatch, capsys, tmp_path):
    seen = []
    monkeypatch.setattr(Studio, "wait", lambda self, words="": (seen.append((words, self.bench.name)), self.close()))
    assert main(["studio", "slider_crank", "--no-browser"]) == 0
    ct.save(ct.gallery.four_bar(), tmp_path / "mine.json")
    monkeypatch.setattr("webbrowser.open", lambda url: seen.append(url))
    assert main(["studio", str(tmp_path / "mine.json")]) == 0
    assert [seen[0][1], seen[2][1]] == ["slider_crank", "mine"]
    assert seen[1].startswith("http://127.0.0.1:")
    assert main(["studio", str(tmp_path / "not there.json"), "--no-browser"]) == 2
