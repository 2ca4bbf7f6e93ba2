"""The live view and what notebooks show, in a real browser: what is seen is where the run has it, and nothing goes wrong."""

import io
import time

import numpy as np
import pytest

import cotree as ct
from cotree.lie import rotation_of_quaternion
from cotree.view import write_rest_page
from cotree.view.live import player
from cotree.view.scene.colours import LIGHT, rgb
from tests.model.builders import four_bar
from tests.view.browsers import browser, complaints, until
from tests.view.test_page import evil_run

pytest.importorskip("viser", reason="the package viser is not installed: no live views")


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as made:
        made.set_window_size(1000, 700)
        yield made


@pytest.fixture(scope="module")
def run():
    return ct.simulate(four_bar(), 2.0, output=41, events=[ct.Event(lambda q: q[0] + 0.31, "crank down", direction=-1)])


def opened(driver, shown):
    """A view in the browser, paused, with its panel there."""
    viewer = shown.view(open=False, wait=False)
    if hasattr(viewer, "pause"):
        viewer.pause()
    driver.get(viewer.url)
    until(lambda: viewer.server.get_clients(), "no browser came")
    until(lambda: driver.find_elements("css selector", "canvas"), "there is no picture")
    until(lambda: driver.find_elements("xpath", "//*[text()='Show']"), "there is no panel")
    return viewer


def closed(driver, viewer):
    """What the console has to say; the page goes before the server, of whose absence it would complain."""
    found = complaints(driver)
    driver.get("about:blank")
    viewer.close()
    complaints(driver)
    return found


@pytest.fixture(scope="module")
def viewer(driver, run):
    """One view of the run for all: a browser without a graphics card takes seconds to begin."""
    made = opened(driver, run)
    yield made
    assert closed(driver, made) == []


@pytest.fixture
def show(driver):
    """Opens a view; in the end no errors may be in the console."""
    made = []

    def show_it(shown):
        made.append(opened(driver, shown))
        return made[-1]

    yield show_it
    assert [closed(driver, viewer) for viewer in made] == [[]] * len(made)


def picture(driver):
    """What is seen: (height, width, 3)."""
    image = pytest.importorskip("PIL.Image")
    return np.asarray(image.open(io.BytesIO(driver.get_screenshot_as_png())).convert("RGB")).astype(int)


def settled(driver, before=None):
    """The picture when it has come to rest, other than `before`."""
    last = None
    end = time.monotonic() + 60
    while time.monotonic() < end:
        now = picture(driver)
        if last is not None and np.array_equal(now, last) and (before is None or not np.array_equal(now, before)):
            return now
        last = now
        time.sleep(0.3)
    pytest.fail("the picture does not change" if before is not None else "the picture does not come to rest")


def pixel_of(viewer, point):
    """Where a camera of this place and direction sees a point of the world: the browser says which camera it has."""
    (client,) = viewer.server.get_clients().values()
    camera = client.camera
    R = rotation_of_quaternion(np.array(camera.wxyz))  # to the right, down, ahead
    x, y, z = R.T @ (np.asarray(point) - viewer.stage.scene.frames.origin - camera.position)
    f = camera.image_height / 2 / np.tan(camera.fov / 2)
    return round(camera.image_width / 2 + f * x / z), round(camera.image_height / 2 + f * y / z)


def hue_at(image, place):
    """Which of the colours of bodies a pixel is nearest to in hue; None where it is grey."""
    pixel = image[place[1], place[0]]
    if np.ptp(pixel) < 40:
        return None

    def direction(c):
        c = np.array(c, dtype=float) - np.mean(c)
        return c / np.linalg.norm(c)

    return max(("c0", "c1", "c2"), key=lambda name: float(direction(rgb(LIGHT[name])) @ direction(pixel)))


def mass_centres(run, k):
    coms = [run.system.mechanism.bodies[name].properties.com for name in run.system.body_names]
    return [(C @ [*com, 1.0])[:3] for C, com in zip(run.poses()[k, 1:], coms, strict=True)]


def test_bodies_are_seen_where_the_run_has_them(viewer, driver, run):
    """The pixel at which the browser's camera sees a mass centre has the body's colour, and another one when it has gone."""
    image = None
    for k in (29, 17, 0):
        viewer.time = run.t[k]
        image = settled(driver, image)
        places = [pixel_of(viewer, x) for x in mass_centres(run, k)]
        assert [hue_at(image, place) for place in places] == ["c0", "c1", "c2"]
    assert hue_at(image, pixel_of(viewer, mass_centres(run, 17)[1])) is None


@pytest.mark.usefixtures("viewer")
def test_the_sky_is_that_of_the_page(driver):
    image = settled(driver)
    np.testing.assert_allclose(image[60, 500], rgb(LIGHT["sky"]), atol=4)


def test_the_whole_motion_is_in_the_picture(viewer, driver, run):
    (client,) = viewer.server.get_clients().values()
    for k in range(0, 41, 4):
        for x, y in (pixel_of(viewer, p) for p in mass_centres(run, k)):
            assert 0.03 * client.camera.image_width < x < 0.97 * client.camera.image_width
            assert 0.03 * client.camera.image_height < y < 0.97 * client.camera.image_height


def press(driver, text):
    """A button; by one command, since a browser without a graphics card answers few while it plays."""
    button = driver.find_element("xpath", f"//button[contains(., '{text}')]")
    driver.execute_script("arguments[0].click()", button)


def type_over(driver, old, new):
    """Put a number into the field whose own begins like this, by ctrl-A and Enter."""
    fields = [f for f in driver.find_elements("css selector", "input") if f.is_displayed()]
    (field,) = [f for f in fields if f.get_attribute("value").startswith(old)]
    field.send_keys("\ue009a\ue000", new, "\ue007")


def test_play_pause_events_and_time_from_the_browser(viewer, driver, run, monkeypatch):
    monkeypatch.setattr(player, "TICK", 0.5)  # lest a browser without a graphics card have no time for clicks
    viewer.time = 0.0
    press(driver, "Play")
    until(lambda: viewer.playing and viewer.time > 0, "it does not play")
    until(lambda: driver.find_elements("xpath", "//button[contains(., 'Pause')]"), "the button does not change")
    press(driver, "Pause")
    until(lambda: not viewer.playing, "it does not pause")
    press(driver, "crank down")
    until(lambda: viewer.time == run.events[0].t, "the button does not jump to the event")
    type_over(driver, "0.3", "1.5")
    until(lambda: viewer.time == pytest.approx(1.5, abs=2e-3), "the number does not set the time")


@pytest.mark.usefixtures("viewer")
def test_words_are_those_of_the_run(driver, run):
    body = driver.find_element("tag name", "body").get_attribute("innerText")
    for line in str(run).split("\n"):
        assert line.strip() in body.replace("\n", " ") or line.strip() in body


def test_nothing_is_loaded_from_elsewhere(viewer, driver):
    loaded = driver.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert all(name.startswith((viewer.url, "blob:", "data:")) for name in loaded)


def test_names_run_no_scripts(show, driver):
    from selenium.common.exceptions import NoAlertPresentException

    viewer = show(evil_run())
    viewer.stage.show("body names", True)
    viewer.stage.show("joint names", True)
    settled(driver)
    with pytest.raises(NoAlertPresentException):
        driver.switch_to.alert.accept()
    assert driver.find_elements("css selector", "img[src=x]") == []


def test_a_mechanism_follows_its_sliders(show, driver):
    viewer = show(four_bar())
    first = settled(driver)
    viewer.move("A", 0.6)
    second = settled(driver, first)
    assert np.abs(second - first)[:, :600].max() > 60
    type_over(driver, "0.6", "0.2")
    until(lambda: viewer.q[0] == pytest.approx(0.2, abs=1e-9), "the number does not move the mechanism")
    assert np.abs(ct.constraint_residual(viewer.system, viewer.q)).max() < 1e-10


def test_the_page_of_a_mechanism_at_rest(driver, tmp_path):
    write_rest_page(four_bar(), tmp_path / "rest.html")
    driver.get((tmp_path / "rest.html").as_uri())
    places = driver.execute_script("return cotree.bodies().map(cotree.bodyPosition)")
    np.testing.assert_allclose(places, np.zeros((3, 3)), atol=3e-6)
    assert "1 DOF, trivial" in driver.find_element("css selector", "#certificate").text
    assert not driver.find_element("css selector", "#play").is_enabled()
    assert complaints(driver) == []


# -- notebooks -------------------------------------------------------------------------------------------------


def test_a_run_plays_within_a_notebook(driver, run, tmp_path):
    """The frame is shut off from the page around it, as notebooks show it."""
    shown = [run, run.system, run.system.mechanism, ct.mobility(run.system)]
    body = "".join(f"<div>{x._repr_html_()}</div>" for x in shown)
    (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8><body>{body}", encoding="utf-8")
    driver.get((tmp_path / "notebook.html").as_uri())
    assert driver.find_element("tag name", "svg").size["width"] == 380
    frame = driver.find_element("tag name", "iframe")
    before = frame.screenshot_as_png
    driver.switch_to.frame(frame)
    try:
        k = 23
        driver.execute_script("cotree.setTime(arguments[0])", float(run.t[k]))
        places = driver.execute_script("return cotree.bodies().map(cotree.bodyPosition)")
        np.testing.assert_allclose(places, run.poses()[k, 1:, :3, 3], atol=3e-6)
        driver.find_element("css selector", "#play").click()
        until(lambda: driver.execute_script("return cotree.getTime()") > run.t[k], "it does not play")
        driver.execute_script("cotree.pause()")
        loaded = driver.execute_script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
        assert loaded == []
    finally:
        driver.switch_to.default_content()
    assert frame.screenshot_as_png != before
    assert complaints(driver) == []
