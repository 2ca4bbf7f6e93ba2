"""The page of a run in a real browser: what it shows at a time is what the run says, and nothing goes wrong."""

import numpy as np
import pytest

import cotree as ct
from cotree.lie import rotation_of_quaternion
from cotree.studies.modes import modes_of
from tests.model.builders import four_bar
from tests.view.browsers import browser, complaints, pixels
from tests.view.pages import EVIL, made_run
from tests.view.rigs import rig
from tests.view.test_page import evil_run


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as made:
        yield made


@pytest.fixture(scope="module")
def run():
    """The four-bar, with an event at a time that is no row's."""
    return ct.simulate(four_bar(), 2.0, output=41, events=[ct.Event(lambda q: q[0] + 0.31, "crank down", direction=-1)])


@pytest.fixture
def show(driver, tmp_path):
    """Opens the page of a run; in the end no errors may be in the console."""

    def opened(run):
        run.html(tmp_path / "run.html")
        driver.get((tmp_path / "run.html").as_uri())
        return driver

    yield opened
    assert complaints(driver) == []


def ask(driver, expression, *arguments):
    return driver.execute_script(f"return {expression}", *arguments)


def positions(driver, t):
    driver.execute_script("cotree.setTime(arguments[0])", float(t))
    return np.array(ask(driver, "cotree.bodies().map(cotree.bodyPosition)"))


def turns_at(driver, t):
    return ask(driver, "(cotree.setTime(arguments[0]), cotree.bodies().map(cotree.bodyTurn))", float(t))


def until(driver, expression, *arguments):
    from selenium.webdriver.support.ui import WebDriverWait

    met = expression if callable(expression) else lambda d: ask(d, expression, *arguments)
    WebDriverWait(driver, 30, poll_frequency=0.02).until(met)


def mouse(driver):
    from selenium.webdriver.common.action_chains import ActionChains

    return ActionChains(driver, duration=20)


def find(driver, selector):
    return driver.find_element("css selector", selector)


# -- motion --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make", [four_bar, ct.gallery.spherical_double_pendulum, ct.gallery.snakeboard, ct.gallery.stewart]
)
def test_bodies_are_where_the_run_says(make, show):
    run = ct.simulate(make(), 0.5, output=11)
    driver = show(run)
    assert ask(driver, "cotree.bodies()") == list(run.system.body_names)
    for t, C in zip(run.t, run.poses()[:, 1:], strict=True):
        np.testing.assert_allclose(positions(driver, t), C[:, :3, 3], atol=3e-6)
        assert ask(driver, "cotree.getTime()") == t


@pytest.mark.parametrize(
    ("make", "t_end", "rows"), [(four_bar, 1.2, 97), (ct.gallery.spherical_double_pendulum, 0.2, 33)]
)
def test_between_frames_the_picture_follows_the_motion(make, t_end, rows, show):
    """A run of twice as many rows tells where the bodies were between those of the page."""
    coarse, fine = (ct.simulate(make(), t_end, output=n) for n in (rows, 2 * rows - 1))
    np.testing.assert_allclose(fine.q[::2], coarse.q, atol=1e-8)
    C, driver = fine.poses()[:, 1:], show(coarse)
    p, R, places = C[..., :3, 3], C[..., :3, :3], range(rows // 2 * 2 + 1, 2 * rows - 2, 4)
    shown = {k: positions(driver, fine.t[k]) for k in places}
    worst = max(np.abs(x - p[k]).max() for k, x in shown.items())
    straight = max(np.abs((p[k - 1] + p[k + 1]) / 2 - p[k]).max() for k in places)
    assert worst < min(0.05 * straight, 5e-4)
    turns = {k: turns_at(driver, fine.t[k]) for k in places}
    assert max(np.abs(rotation_of_quaternion(x) - R[k]).max() for k, x in turns.items()) < 5e-4


def test_full_turns_between_frames_are_not_lost(show):
    """At 20 rad/s and four frames a second a body turns by 5 rad from one to the next."""
    mech = ct.Mechanism("wheel")
    mech.body("wheel", 1, (0, 0, 0), (0.1, 0.1, 0.1), pose=ct.lie.pose(p=(0.3, 0, 0)))
    mech.joint("hub", "ground", "wheel", ct.Revolute((0, 0, 0), (0, 0, 1)))
    t = np.linspace(0, 1, 5)
    driver = show(made_run(mech, 20 * t, t, np.full((5, 1), 20.0)))
    shown = [
        ask(driver, "(cotree.setTime(arguments[0]), cotree.bodyTurn('wheel'))", float(x)) for x in (0.1, 0.4, 0.85)
    ]
    exact = [[np.cos(10 * x), 0, 0, np.sin(10 * x)] for x in (0.1, 0.4, 0.85)]
    assert np.abs(np.sum(np.multiply(shown, exact), axis=1)) == pytest.approx(1.0, abs=1e-5)  # the sign is free


def test_far_away_the_mass_centre_is_exact(show):
    away = np.array([1e6, -2e6, 3e6])
    mech = ct.Mechanism("far")
    mech.body("bob", 1, away + np.array([0.3, 0, 0]), (0.1, 0.1, 0.1))
    mech.joint("pivot", "ground", "bob", ct.Revolute(away, (0, 1, 0)))
    driver = show(made_run(mech, [0.0, 0.5], v=np.full((2, 1), 0.5)))
    driver.execute_script("cotree.setTime(1)")
    np.testing.assert_allclose(
        ask(driver, "cotree.massCentre('bob')") - away, [0.3 * np.cos(0.5), 0, -0.3 * np.sin(0.5)], atol=1e-6
    )
    assert pixels(driver)[0] > 50


# -- picture -------------------------------------------------------------------------------------------------


def test_something_is_drawn_and_it_moves(show, run):
    driver = show(run)
    colours, first = pixels(driver)
    assert colours > 100
    driver.execute_script("cotree.setTime(1)")
    assert pixels(driver)[1] != first
    driver.execute_script("cotree.setTime(0)")
    assert pixels(driver)[1] == first


def names_seen(driver):
    return set(ask(driver, "cotree.inView()"))


def test_every_body_and_joint_is_in_view_and_can_be_hidden(show, run):
    driver = show(run)
    seen = names_seen(driver)
    assert {"crank", "coupler", "rocker"} <= seen
    assert {"B: Revolute, crank → coupler", "C: Revolute, coupler → rocker, cut"} <= seen
    driver.execute_script("document.getElementById('show-joints').click()")
    for box in driver.find_elements("css selector", "#legend input")[1:]:
        box.click()
    assert names_seen(driver) == {"crank"}


def test_the_whole_motion_stays_in_view(show):
    """Nothing is ever seen at the rim of the picture."""
    driver, reach = show(ct.simulate(ct.gallery.bricard(), 3.0, output=31)), []
    for t in np.linspace(0, 3, 31):
        driver.execute_script("cotree.setTime(arguments[0])", float(t))
        reach += ask(driver, "Object.values(cotree.inView())")
    left, top, right, bottom = np.array(reach).T
    assert min(left.min(), top.min()) > 0.01
    assert max(right.max(), bottom.max()) < 0.99
    assert max(right.max() - left.min(), bottom.max() - top.min()) > 0.7  # and the picture is filled


def test_turning_moving_zooming_and_back(show, run):
    driver = show(run)
    picture, home = find(driver, "#picture"), pixels(driver)[1]
    views = [home]
    mouse(driver).move_to_element(picture).click_and_hold().move_by_offset(80, 30).release().perform()
    views.append(pixels(driver)[1])
    mouse(driver).move_to_element(picture).key_down("\ue008").click_and_hold().move_by_offset(60, 0).release().key_up(
        "\ue008"
    ).perform()
    views.append(pixels(driver)[1])
    from selenium.webdriver.common.action_chains import ScrollOrigin

    mouse(driver).scroll_from_origin(ScrollOrigin.from_element(picture), 0, 300).perform()
    views.append(pixels(driver)[1])
    assert len(set(views)) == 4
    mouse(driver).move_to_element(picture).double_click().move_to_element(find(driver, "#name")).perform()
    assert pixels(driver)[1] == home


def test_names_appear_under_the_mouse(show, run):
    driver = show(run)
    picture = find(driver, "#picture")
    left, top, right, bottom = ask(driver, "cotree.inView().coupler")  # of a straight rod: its middle is on it
    offset = [
        int(((left + right) / 2 - 0.5) * picture.size["width"]),
        int(((top + bottom) / 2 - 0.5) * picture.size["height"]),
    ]
    mouse(driver).move_to_element_with_offset(find(driver, "#picture"), *offset).perform()
    assert find(driver, "#tip").text == "coupler"
    mouse(driver).move_to_element(find(driver, "#name")).perform()
    assert not find(driver, "#tip").is_displayed()


@pytest.mark.parametrize("switch", ["joints", "floor", "axes", "paths", "follow"])
def test_switches_change_the_picture(switch, show, run):
    driver = show(run)
    driver.execute_script("cotree.setTime(0.8)")
    before = pixels(driver)[1]
    find(driver, f"#show-{switch}").click()
    after = pixels(driver)[1]
    assert after != before
    find(driver, f"#show-{switch}").click()
    assert pixels(driver)[1] == before


# -- time ----------------------------------------------------------------------------------------------------


def test_the_slider_and_the_ticks(show, run):
    (event,) = [e for e in run.events if e.t < 1.0][:1]
    driver = show(run)
    find(driver, "#slider").click()  # in its middle
    assert ask(driver, "cotree.getTime()") == pytest.approx(1.0, abs=0.02)
    ticks = driver.find_elements("css selector", ".tick")
    assert len(ticks) == len(run.events)
    assert ticks[0].get_attribute("title").startswith("crank down, t = ")
    ticks[0].click()
    assert ask(driver, "cotree.getTime()") == event.t
    assert f"{event.t:.3f} / 2 s" in find(driver, "#clock").text or f"{event.t:.2f}" in find(driver, "#clock").text


def test_playing_and_pausing_by_the_space_bar(show, run):
    driver = show(run)
    body = find(driver, "body")
    assert not ask(driver, "cotree.isPlaying()")
    body.send_keys(" ")
    until(driver, "cotree.getTime() > 0")
    body.send_keys(" ")
    assert not ask(driver, "cotree.isPlaying()")
    t = ask(driver, "cotree.getTime()")
    driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(done))")
    assert ask(driver, "cotree.getTime()") == t
    find(driver, "#play").click()
    until(driver, "cotree.getTime() !== arguments[0]", t)


def test_without_the_loop_it_stops_at_the_end(show, run):
    driver = show(run)
    find(driver, "#loop").click()
    driver.execute_script("document.getElementById('speed').value = '10'; cotree.setTime(1.9); cotree.play()")
    until(driver, "!cotree.isPlaying()")
    assert ask(driver, "cotree.getTime()") == 2.0
    driver.execute_script("document.getElementById('loop').checked = true; cotree.play()")  # from the start again
    until(driver, "cotree.getTime() < 2.0")
    assert ask(driver, "cotree.isPlaying()")


def test_arrows_step_from_row_to_row(show, run):
    driver = show(run)
    body = find(driver, "body")
    for key, row in (("\ue014", 1), ("\ue014", 2), ("\ue012", 1), ("\ue012", 0), ("\ue012", 0)):
        body.send_keys(key)
        assert ask(driver, "cotree.getTime()") == run.t[row]


# -- plots and words -----------------------------------------------------------------------------------------


def test_plots_have_curves_a_cursor_and_a_choice(show, run):
    driver = show(run)
    headings = [h.text for h in driver.find_elements("css selector", ".plot h2")]
    assert headings == [
        "energy [J]", "energy balance error [J]", "constraint violation [m, rad, m/s, rad/s]", "coordinates [rad]",
    ]  # fmt: skip
    image = "Array.from(document.querySelectorAll('.plot canvas'), (c) => c.toDataURL())"
    driver.execute_script("cotree.setTime(0)")
    first = ask(driver, image)
    driver.execute_script("cotree.setTime(1.1)")
    assert all(a != b for a, b in zip(first, ask(driver, image), strict=True))
    keys = find(driver, ".plot .key").text
    assert f"kinetic {np.interp(1.1, run.t, run.energy.kinetic):.2f}"[:11] in keys
    boxes = driver.find_elements("css selector", ".choice input")
    assert len(boxes) == 3
    boxes[0].click()
    assert [k.text.split()[0] for k in driver.find_elements("css selector", ".plot:last-child .key span")] == ["B", "D"]


def test_a_click_in_a_plot_jumps_there(show, run):
    driver = show(run)
    find(driver, ".plot canvas").click()
    assert 0.9 < ask(driver, "cotree.getTime()") < 1.2


def test_words_are_those_of_the_run(show, run):
    driver = show(run)
    assert find(driver, "#name").text == "four-bar"
    assert find(driver, "#version").text == f"cotree {ct.__version__}"
    shown = find(driver, "#certificate").get_attribute("innerText").split("\n")
    assert shown == [line.strip() for line in str(run).split("\n")]


def test_the_dark_theme_is_dark(show, run):
    driver = show(run)
    light = ask(driver, "getComputedStyle(document.body).backgroundColor"), pixels(driver)[1]
    scheme = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", scheme)
    try:
        assert ask(driver, "getComputedStyle(document.body).backgroundColor") != light[0]
        until(driver, lambda d: pixels(d)[1] != light[1])
    finally:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


# -- no harm -------------------------------------------------------------------------------------------------


def test_nothing_is_loaded_from_elsewhere(show, run):
    driver = show(run)
    assert ask(driver, "performance.getEntriesByType('resource').map((entry) => entry.name)") == []


def test_names_run_no_scripts(show):
    from selenium.common.exceptions import NoAlertPresentException

    driver = show(evil_run())
    driver.execute_script("document.getElementById('show-names').click(); cotree.setTime(0.5)")
    with pytest.raises(NoAlertPresentException):
        driver.switch_to.alert.accept()
    assert driver.find_elements("css selector", "img") == []
    assert driver.title == EVIL
    assert find(driver, "#name").text == EVIL
    assert find(driver, "#legend li").text.strip() == EVIL
    assert EVIL in find(driver, ".tick").get_attribute("title")
    assert EVIL in names_seen(driver)


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_runs_of_few_rows(rows, show):
    driver = show(made_run(four_bar(), np.zeros((rows, 3)), status="failed", message="stopped"))
    assert find(driver, "#play").is_enabled() == (rows == 2)
    driver.execute_script("cotree.setTime(5)")
    np.testing.assert_allclose(ask(driver, "cotree.bodyPosition('rocker')"), 0, atol=1e-5)
    assert pixels(driver)[0] > 100
    assert find(driver, "#status").text == "failed"


def test_without_webgl_the_plots_are_there(show, run, driver):
    hide = """HTMLCanvasElement.prototype.getContext = new Proxy(HTMLCanvasElement.prototype.getContext,
        {apply: (call, self, given) => (given[0] === 'webgl2' ? null : Reflect.apply(call, self, given))})"""
    script = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": hide})
    try:
        show(run)
        assert "needs WebGL 2" in find(driver, "#trouble").text
        assert len(driver.find_elements("css selector", ".plot")) == 4
        np.testing.assert_allclose(positions(driver, run.t[7]), run.poses()[7, 1:, :3, 3], atol=3e-6)
    finally:
        driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def test_arrows_and_runs_to_compare_with_are_where_the_runs_have_them(driver, tmp_path):
    first, other = (ct.simulate(rig(k), 0.5, output=21) for k in (60.0, 120.0))
    first.html(tmp_path / "both.html", arrows=True, compare={"stiffer": other})
    driver.get((tmp_path / "both.html").as_uri())
    for row in (0, 13, 20):
        driver.execute_script("cotree.setTime(arguments[0])", float(first.t[row]))
        read = driver.execute_script("return [cotree.arrow('B'), cotree.comparedCentre(0, 'rocker')]")
        np.testing.assert_allclose(read[0], first.reaction("B").force[row], rtol=1e-5, atol=1e-3)
        np.testing.assert_allclose(read[1], other.point("rocker").position[row], atol=1e-5)
    before = pixels(driver)
    for name in ("forces", "compared", "elements"):  # each of them is seen
        driver.execute_script("cotree.show(arguments[0], false)", name)
        after = pixels(driver)
        assert after[1] != before[1], name
        before = after
    assert "stiffer" in driver.find_element("id", "legend").text
    assert complaints(driver) == []


def test_modes_are_chosen_from_a_list(driver, tmp_path):
    mech = ct.gallery.five_bar()
    mech.joint_spring("left", "A1", 40.0)
    mech.joint_spring("right", "A2", 90.0)
    linear = ct.linearize(mech, ct.equilibrium(mech).q)
    linear.html(tmp_path / "modes.html")
    driver.get((tmp_path / "modes.html").as_uri())
    until(driver, "cotree.isPlaying()")
    choices = driver.find_elements("css selector", "#modes label")
    assert [x.text for x in choices] == ask(driver, "cotree.modes()")
    choices[1].click()
    driver.execute_script("cotree.pause()")
    period = linear.motion(modes_of(linear)[1].column)
    for k in (0, 5, 20):
        expected = ct.poses(linear.system, period[k])[1:, :3, 3]
        assert np.abs(positions(driver, 2.0 * k / len(period)) - expected).max() < 1e-5
    assert ask(driver, "document.getElementById('clock').textContent").startswith("phase 225")
    assert complaints(driver) == []
